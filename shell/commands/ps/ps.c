/* SPDX-License-Identifier: BSD-2-Clause */
/* ps: lists the threads, all as of one moment. With options, the processes: see ps_form.h. */
#include "kernel/cpu/cpu.h"
#include "kernel/thread/thread.h"
#include "lib/format.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/commands/shared/cpu_list.h"
#include "shell/commands/ps/ps_form.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/commands/shared/thread_list.h"

#define SECOND      1000000000u
#define MICROSECOND 1000u

static uint32_t ps_all_cpus(void)
{
    return CPU_SET_ALL >> (32 - cpu_count());
}

static void ps_format_cpus(const struct thread_info *info, char *text, size_t size)
{
    if ((info->affinity & ps_all_cpus()) == ps_all_cpus())
        strlcpy(text, "all", size);
    else
        cpu_list_format(text, size, info->affinity, cpu_count());
}

static void ps_print_thread(const struct thread_info *info, int cpus_column)
{
    char used[16], size[16], cpus[CPU_LIST_BYTES];

    format(used, sizeof(used), info->stack_size ? "%zu" : "-", info->stack_used);
    format(size, sizeof(size), info->stack_size ? "%zu" : "-", info->stack_size);
    ps_format_cpus(info, cpus, sizeof(cpus));
    shell_printf("%5u %c %3u %3u %5llu.%06llu %5llu.%06llu %9llu %9llu %8llu %-*s %5s/%-5s %s\n",
                 info->id, info->state, info->priority, info->cpu,
                 (unsigned long long)(info->user_ns / SECOND),
                 (unsigned long long)(info->user_ns % SECOND / MICROSECOND),
                 (unsigned long long)(info->system_ns / SECOND),
                 (unsigned long long)(info->system_ns % SECOND / MICROSECOND),
                 (unsigned long long)info->voluntary, (unsigned long long)info->involuntary,
                 (unsigned long long)info->migrations, cpus_column, cpus, used, size, info->name);
}

/* Lists of CPUs may be long; usually they are not. */
static int ps_widest_cpus(const struct thread_list *list)
{
    size_t widest = 4;

    for (size_t i = 0; i < list->count; i++) {
        char cpus[CPU_LIST_BYTES];

        ps_format_cpus(&list->infos[i], cpus, sizeof(cpus));
        if (strlen(cpus) > widest)
            widest = strlen(cpus);
    }
    return (int)widest;
}

static int ps_run(int argc, char **argv)
{
    const struct ps_form *const *form;
    struct thread_list list;
    int column;

    if (argc > 1) {
        LINKER_SET_FOREACH (form, ps_forms)
            return (*form)->run(argc, argv);
        return options_none(argc, argv);
    }
    if (thread_list_take(&list, argv[0]) != 0)
        return 1;
    column = ps_widest_cpus(&list);
    shell_printf("%5s S PRI CPU %12s %12s %9s %9s %8s %-*s %5s/%-5s %s\n", "ID", "USER", "SYSTEM",
                 "VOLUNTARY", "PREEMPTED", "MIGRATED", column, "CPUS", "STACK", "SIZE", "NAME");
    for (size_t i = 0; i < list.count && !shell_interrupted(); i++)
        ps_print_thread(&list.infos[i], column);
    thread_list_free(&list);
    return 0;
}

COMMAND(
    ps, .name = "ps", .summary = "list the threads, or the processes",
    .usage = "ps [-aAeflux] [-p PID[,PID...]]",
    .description =
        "Without options, the threads. With any of them, the processes that run programs.\n"
        "  -a  all of them; so do -A, -e and -x\n"
        "  -l  (or -f) more: user, parent, CPU, threads, priority, sizes in KiB\n"
        "  -u  more: shares of a CPU since the process began and of memory, when it began\n"
        "  -p PID[,PID...]  only these\n"
        "\n"
        "A process runs or is ready (R), sleeps (S), is stopped (T) or has ended and was not\n"
        "waited for (Z); s leads a session, l has several threads. TIME is of a CPU.\n"
        "\n"
        "State of a thread: R running, r ready, S sleeping, Z ended. Priority 31 is the most\n"
        "urgent. CPU is where it runs or ran last. Then seconds of CPU time outside and inside\n"
        "the kernel, switches asked for and suffered, how often it was moved to another CPU, the\n"
        "CPUs it may run on, and how much of its stack it used when it last lost the CPU.\n"
        "\n"
        "Example: ps; ps -l\n",
    .run = ps_run);
