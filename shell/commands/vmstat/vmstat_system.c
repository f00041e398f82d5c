/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line of plain vmstat and the list of vmstat -s. Counters are asked for by name.
 */
#include "shell/commands/vmstat/vmstat_system.h"
#include <sys/evcnt.h>
#include "fs/tree/tree_data.h"
#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/interrupt/trap_count.h"
#include "kernel/memory/page.h"
#include "kernel/thread/cpu_counts.h"
#include "kernel/time/clock.h"
#include "kernel/time/cpu_time.h"
#include "kernel/vm/vm.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/commands/shared/share.h"
#include "shell/commands/shared/thread_list.h"
#include "shell/output.h"

#define KIB_A_PAGE  (PAGE_SIZE / 1024)
#define HEADING_END 48 /* columns before those of disks */

static uint64_t vmstat_count(const char *group, const char *name)
{
    const struct evcnt *ev = evcnt_lookup(group, name);

    return ev != NULL ? evcnt_value(ev) : 0;
}

static void vmstat_take(struct vmstat_system *out)
{
    *out = (struct vmstat_system){.elapsed = clock_now(),
                                  .faults = vmstat_count("uvm", "faults"),
                                  .system_calls = vmstat_count("uvm", "syscalls")};
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        struct cpu_counts counts;
        struct cpu_time time;

        cpu_counts_get(cpu, &counts);
        cpu_time_get(cpu, &time);
        out->interrupts += counts.interrupts;
        out->switches += counts.switches;
        out->cpu[0] += time.user;
        out->cpu[1] += time.system + time.interrupt;
        out->cpu[2] += time.idle;
    }
}

static size_t vmstat_take_disks(struct vmstat_system *out)
{
    const struct vmstat_source *const *source;

    LINKER_SET_FOREACH (source, vmstat_sources)
        return (*source)->disks(out->disks, VMSTAT_DISKS_MAX);
    return 0;
}

/* Threads that run or could, but for idle ones and the one that asks; and those that wait. */
static int vmstat_threads(const char *name, unsigned *ready, unsigned *blocked)
{
    struct thread_list list;

    *ready = *blocked = 0;
    if (thread_list_take(&list, name) != 0)
        return 1;
    for (size_t i = 0; i < list.count; i++) {
        const struct thread_info *info = &list.infos[i];

        if (info->priority == THREAD_PRIORITY_IDLE || info->id == thread_current()->id)
            continue;
        *ready += info->state == 'R' || info->state == 'r';
        *blocked += info->blocked;
    }
    thread_list_free(&list);
    return 0;
}

static void vmstat_print_heading(const struct vmstat_disk *disks, size_t count)
{
    struct shell_gather line = {.used = 0};

    shell_gather_printf(&line, "%-*s", HEADING_END, " procs    memory      page");
    if (count > 0)
        shell_gather_printf(&line, "%s %*sfaults      cpu\n", count > 1 ? "disks" : "disk",
                            count > 1 ? (int)count * 3 - 4 : 0, "");
    else
        shell_gather_printf(&line, "  faults   cpu\n");
    shell_gather_printf(&line, " r b      avm    fre  flt  re  pi   po   fr   sr ");
    for (size_t i = 0; i < count; i++)
        shell_gather_printf(&line, "%s ", disks[i].name);
    shell_gather_printf(&line, "  in   sy  cs us sy id\n");
    shell_gather_flush(&line);
}

static unsigned long long vmstat_rate(uint64_t now, uint64_t before, uint64_t elapsed)
{
    return share_rate(now - before, elapsed);
}

static void vmstat_print_line(const struct vmstat_system *now, const struct vmstat_system *before,
                              size_t disks, unsigned ready, unsigned blocked)
{
    uint64_t elapsed = now->elapsed - before->elapsed, cpu[3];
    struct shell_gather line = {.used = 0};
    struct page_stats pages;
    unsigned percent[3];

    page_stats_get(&pages);
    for (unsigned i = 0; i < 3; i++)
        cpu[i] = now->cpu[i] - before->cpu[i];
    share_parts(cpu, percent, 3, 100);
    shell_gather_printf(&line, "%2u%2u %8llu %6llu %4llu %3u %3u %4u %4u %4u ", ready, blocked,
                        (unsigned long long)vm_all_pages() * KIB_A_PAGE,
                        (unsigned long long)pages.free * KIB_A_PAGE,
                        vmstat_rate(now->faults, before->faults, elapsed), 0u, 0u, 0u, 0u, 0u);
    for (size_t i = 0; i < disks; i++)
        shell_gather_printf(
            &line, "%2llu ",
            vmstat_rate(now->disks[i].transfers, before->disks[i].transfers, elapsed));
    shell_gather_printf(&line, "%4llu %4llu %3llu %2u %2u %2u\n",
                        vmstat_rate(now->interrupts, before->interrupts, elapsed),
                        vmstat_rate(now->system_calls, before->system_calls, elapsed),
                        vmstat_rate(now->switches, before->switches, elapsed), percent[0],
                        percent[1], percent[2]);
    shell_gather_flush(&line);
}

static int vmstat_system_print(struct vmstat_system *before, const char *name, bool heading)
{
    struct vmstat_system now;
    unsigned ready, blocked;
    size_t disks;

    if (vmstat_threads(name, &ready, &blocked) != 0)
        return 1;
    vmstat_take(&now);
    disks = vmstat_take_disks(&now);
    if (heading)
        vmstat_print_heading(now.disks, disks);
    vmstat_print_line(&now, before, disks, ready, blocked);
    *before = now;
    return 0;
}

void vmstat_sums_add(struct vmstat_sums *sums, uint64_t count, const char *what)
{
    if (sums->count < VMSTAT_SUMS_MAX) {
        sums->lines[sums->count].count = count;
        sums->lines[sums->count++].what = what;
    }
}

static void vmstat_add_memory(struct vmstat_sums *sums)
{
    struct page_stats pages;

    page_stats_get(&pages);
    vmstat_sums_add(sums, PAGE_SIZE, "bytes per page");
    vmstat_sums_add(sums, pages.total, "pages managed");
    vmstat_sums_add(sums, pages.free, "pages free");
    vmstat_sums_add(sums, vm_all_pages(), "pages active");
    vmstat_sums_add(sums, tree_data_pages(), "cached file pages");
}

static void vmstat_add_events(struct vmstat_sums *sums)
{
    struct vmstat_system all;
    uint64_t traps = 0, soft = 0;

    for (struct interrupt_line *line = NULL; (line = interrupt_line_next(line)) != NULL;)
        soft += line->chip->soft ? evcnt_value(&line->count) : 0;
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        traps += trap_count(cpu);
    vmstat_take(&all);
    vmstat_sums_add(sums, all.faults, "total faults taken");
    vmstat_sums_add(sums, traps, "traps");
    vmstat_sums_add(sums, all.interrupts, "device interrupts");
    vmstat_sums_add(sums, all.switches, "CPU context switches");
    vmstat_sums_add(sums, soft, "software interrupts");
    vmstat_sums_add(sums, all.system_calls, "system calls");
}

/* By the names of struct uvmexp. */
static void vmstat_add_uvm(struct vmstat_sums *sums)
{
    static const char *const lines[][2] = {
        {"forks", "forks total"},
        {"forks_ppwait", "forks blocked parent"},
        {"forks_sharevm", "forks shared address space with parent"},
        {"fltnoram", "faults with no memory"},
        {"flt_anon", "anon faults"},
        {"flt_acow", "anon copy on write faults"},
        {"flt_obj", "object faults"},
        {"flt_prcopy", "promote copy faults"},
        {"flt_przero", "promote zero fill faults"},
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (evcnt_lookup("uvm", lines[i][0]) != NULL)
            vmstat_sums_add(sums, vmstat_count("uvm", lines[i][0]), lines[i][1]);
}

static void vmstat_system_print_sums(void)
{
    const struct vmstat_source *const *source;
    struct vmstat_sums sums = {.count = 0};

    vmstat_add_memory(&sums);
    vmstat_add_events(&sums);
    vmstat_add_uvm(&sums);
    LINKER_SET_FOREACH (source, vmstat_sources)
        (*source)->sums(&sums);
    for (size_t i = 0; i < sums.count; i++)
        shell_printf("%9llu %s\n", (unsigned long long)sums.lines[i].count, sums.lines[i].what);
}

VMSTAT_REPORT(vmstat_system_report, .line = vmstat_system_print, .sums = vmstat_system_print_sums);
