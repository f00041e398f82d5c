/* SPDX-License-Identifier: BSD-2-Clause */
/* ps: lists the threads, all as of one moment. */
#include "kernel/kmem.h"
#include "kernel/thread.h"
#include "lib/format.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define SECOND      1000000000u
#define MICROSECOND 1000u
#define NEWCOMERS   8 /* room for threads that start between counting and copying */

static void print_thread(const struct thread_info *info)
{
    char used[16], size[16];

    format(used, sizeof(used), info->stack_size ? "%zu" : "-", info->stack_used);
    format(size, sizeof(size), info->stack_size ? "%zu" : "-", info->stack_size);
    shell_printf("%5u %c %3u %6llu.%06llu %10llu %10llu %5s/%-5s %s\n", info->id, info->state,
                 info->priority, (unsigned long long)(info->system_ns / SECOND),
                 (unsigned long long)(info->system_ns % SECOND / MICROSECOND),
                 (unsigned long long)info->voluntary, (unsigned long long)info->involuntary, used,
                 size, info->name);
}

static int run(int argc, char **argv)
{
    struct thread_info *infos;
    size_t room = thread_snapshot(NULL, 0) + NEWCOMERS, count;

    if (options_none(argc, argv) != 0)
        return STATUS_USAGE;
    infos = kmem_alloc(room * sizeof(*infos));
    if (infos == NULL) {
        shell_printf("ps: no memory for a list of %zu threads\n", room);
        return 1;
    }
    count = thread_snapshot(infos, room);
    shell_printf("   ID S PRI      CPU TIME  VOLUNTARY   PREEMPTED STACK USED  NAME\n");
    for (size_t i = 0; i < count && i < room && !shell_interrupted(); i++)
        print_thread(&infos[i]);
    kmem_free(infos);
    return 0;
}

COMMAND(ps, .name = "ps", .summary = "list the threads", .usage = "ps",
        .description =
            "State: R running, r ready, S sleeping, Z ended. Priority 31 is the most urgent.\n"
            "Then seconds of CPU time, switches asked for and suffered, and how much\n"
            "of its stack a thread used when it last lost the CPU, in bytes.\n"
            "\n"
            "Example: ps\n",
        .run = run);
