/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace: each request to a block device, with the times that the statistics were made from. */
#include "kernel/block/io_trace.h"
#include "kernel/device/late.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

static int iotrace_show(void)
{
    static const char row[] = "%-6s %8lu %-5s %10lu %6u %9u %18lu %18lu %18lu %5d %4u %4u\n";
    uint64_t count = io_trace_count();
    uint64_t n = count > IO_TRACE_ENTRIES ? count - IO_TRACE_ENTRIES : 0;
    struct io_trace_entry entry;

    shell_printf("%-6s %8s %-5s %10s %6s %9s %18s %18s %18s %5s %4s %4s\n", "device", "number",
                 "kind", "block", "count", "bytes", "submitted", "started", "ended", "error",
                 "wait", "run");
    for (; n < count && !shell_interrupted(); n++)
        if (io_trace_get(n, &entry))
            shell_printf(row, entry.device, (unsigned long)entry.number,
                         block_kind_name(entry.kind), (unsigned long)entry.block, entry.count,
                         entry.bytes - entry.resid, (unsigned long)entry.submitted,
                         (unsigned long)entry.started, (unsigned long)entry.ended, -entry.error,
                         entry.waiting, entry.running);
    return shell_interrupted() ? STATUS_INTERRUPTED : 0;
}

static int iotrace_run(int argc, char **argv)
{
    if (argc != 2)
        return command_usage(argv[0]);
    late_start();
    if (strcmp(argv[1], "on") == 0) {
        if (io_trace_on() == 0)
            return 0;
        shell_printf("%s: out of memory\n", argv[0]);
        return 1;
    }
    if (strcmp(argv[1], "off") == 0)
        io_trace_off();
    else if (strcmp(argv[1], "clear") == 0)
        io_trace_clear();
    else if (strcmp(argv[1], "show") == 0)
        return iotrace_show();
    else
        return command_usage(argv[0]);
    return 0;
}

static void iotrace_complete(struct completion *completion, int argc, char **argv)
{
    static const char *const words[] = {"on", "off", "show", "clear", NULL};

    (void)argv;
    if (argc == 1)
        completion_add_list(completion, words);
}

COMMAND(iotrace, .name = "iotrace", .summary = "record each request to block devices",
        .usage = "iotrace on|off|show|clear",
        .description =
            "  on, off  begin and stop to record; off at first\n"
            "  show     the last 4096 requests that have ended, in the order of their ends:\n"
            "           when they came, were started and ended, in ns since boot, and the\n"
            "           lengths of the wait queue when they came and of the run queue when\n"
            "           they were started, themselves included\n"
            "  clear    forget them\n"
            "\n"
            "Example: iotrace on; sum wd0 0 64; iotrace off; iotrace show\n",
        .run = iotrace_run, .complete = iotrace_complete);
