/* SPDX-License-Identifier: BSD-2-Clause */
/* iostat: what the devices did, in two classic forms; shell/commands/iostat/iostat.h has both. */
#include "shell/commands/iostat/iostat.h"
#include "shell/command.h"

static int iostat_run(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] == '-' && argv[1][1] == 'F')
        return iostat_run_bsd(argc, argv);
    return iostat_run_kstat(argc, argv);
}

COMMAND(iostat, .name = "iostat", .summary = "print what the disks have done",
        .usage = "iostat [-cCdDeEInMrtxz] [-l N] [-T d|u] [DEVICE ...] [INTERVAL [COUNT]],\n       "
                 "      or iostat -F ...",
        .description =
            "The first report is about the time since start-up, each other one about the time\n"
            "since the one before. Without -F, from kstat, as Solaris has it:\n"
            "  -x           each device on a line: rates, queues, service time, % waiting, busy\n"
            "  -n           names last, and the time in each queue\n"
            "  -r           columns divided by commas\n"
            "  -I           how much, not how much a second\n"
            "  -M           in MB, not KB\n"
            "  -z           only devices that did something\n"
            "  -t -c        the terminal, the CPUs; with -x at the end of the first line,\n"
            "               with -xn above\n"
            "  -d -D        in short: KB and transfers a second, time of one; or reads and\n"
            "               writes a second, % busy\n"
            "  -e           numbers of errors: soft, hard, transport, in all\n"
            "  -E           all that is known of each device's errors\n"
            "  -C           with -x or -e also each controller\n"
            "  -l N         at most N devices; 4 without -x, unless they are named\n"
            "  -T           the time before each report: d a date, u seconds since 1970\n"
            "With -F first, from devstat, as FreeBSD has it:\n"
            "  -x -I -z     as above; rates, time per read, write, other and any operation\n"
            "  -o           blocks and operations a second, milliseconds an operation\n"
            "  -K           with -o: blocks of 1024 bytes\n"
            "  -d           only the devices; -C -T with it or -x also the CPUs, the terminal\n"
            "  -n COUNT     at most that many devices\n"
            "  -t TYPE      only devices of that type, such as da,ide\n"
            "  -c COUNT     that many reports\n"
            "  -w INTERVAL  a report each INTERVAL seconds\n"
            "\n"
            "Example: iostat -xn 2 5; iostat -F -x wd0\n",
        .run = iostat_run);
