/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/meminfo, uptime, loadavg, cpuinfo, version, filesystems, mounts: proc(5), what of them is
 * known; and inventory, which is for hinv(1). */
#include <arch/cpu.h>
#include "fs/proc/proc_private.h"
#include "fs/proc/proc.h"
#include "fs/file/stat.h"
#include "fs/tree/tree_data.h"
#include "kernel/base/inventory.h"
#include "kernel/base/version.h"
#include "kernel/cpu/cpu.h"
#include "kernel/device/late.h"
#include "kernel/memory/page.h"
#include "kernel/process/process.h"
#include "kernel/thread/load.h"
#include "kernel/thread/thread.h"
#include "kernel/time/cpu_time.h"
#include "kernel/time/clock.h"

#define LOAD_BITS 16
#define LOAD_HALF (1u << (LOAD_BITS - 1))

static unsigned long proc_system_kib(uint64_t pages)
{
    return (unsigned long)(pages << PAGE_SHIFT >> 10);
}

static int proc_system_make_meminfo(struct proc_text *text, struct process *process, void *argument)
{
    struct page_stats pages;
    uint64_t files = tree_data_pages();

    (void)process;
    (void)argument;
    page_stats_get(&pages);
    proc_printf(text,
                "MemTotal:       %8lu kB\nMemFree:        %8lu kB\nMemAvailable:   %8lu kB\n"
                "Buffers:        %8u kB\nCached:         %8lu kB\nSwapTotal:      %8u kB\n"
                "SwapFree:       %8u kB\nShmem:          %8lu kB\n",
                proc_system_kib(pages.total), proc_system_kib(pages.free),
                proc_system_kib(pages.free), 0u, proc_system_kib(files), 0u, 0u,
                proc_system_kib(files));
    return 0;
}

/* Idle time is the sum over CPUs, as on Linux. */
static int proc_system_make_uptime(struct proc_text *text, struct process *process, void *argument)
{
    uint64_t up = clock_now() / 10000000, idle = 0;

    (void)process;
    (void)argument;
    for (unsigned i = 0; i < cpu_count(); i++) {
        struct cpu_time time;

        cpu_time_get(i, &time);
        idle += time.idle / 10000000;
    }
    proc_printf(text, "%lu.%02lu %lu.%02lu\n", (unsigned long)(up / 100), (unsigned long)(up % 100),
                (unsigned long)(idle / 100), (unsigned long)(idle % 100));
    return 0;
}

/* Threads are the kernel's too, as on Linux, but idle ones. */
static int proc_system_make_loadavg(struct proc_text *text, struct process *process, void *argument)
{
    (void)process;
    (void)argument;
    for (unsigned i = 0; i < LOAD_AVERAGES; i++) {
        uint64_t hundredths = ((uint64_t)load_average(i, LOAD_BITS) * 100 + LOAD_HALF) >> LOAD_BITS;

        proc_printf(text, "%lu.%02lu ", (unsigned long)(hundredths / 100),
                    (unsigned long)(hundredths % 100));
    }
    proc_printf(text, "%u/%lu %u\n", load_now(),
                (unsigned long)(thread_snapshot(NULL, 0) - cpu_count()), process_last_id());
    return 0;
}

static int proc_system_make_cpuinfo(struct proc_text *text, struct process *process, void *argument)
{
    char model[80];

    (void)process;
    (void)argument;
    cpu_describe(model, sizeof model);
    for (unsigned i = 0; i < cpu_count(); i++)
        proc_printf(text, "processor\t: %u\nmodel name\t: %s\n\n", i, model);
    return 0;
}

static int proc_system_make_version(struct proc_text *text, struct process *process, void *argument)
{
    (void)process;
    (void)argument;
    proc_printf(text, "%s version %s\n", QUIPU_NAME, QUIPU_RELEASE);
    return 0;
}

static int proc_system_make_mounts_link(struct proc_text *text, struct process *process,
                                        void *argument)
{
    (void)process;
    (void)argument;
    proc_printf(text, "self/mounts");
    return 0;
}

static int proc_system_make_filesystems(struct proc_text *text, struct process *process,
                                        void *argument)
{
    (void)process;
    (void)argument;
    proc_printf(text, "nodev\ttmpfs\nnodev\tproc\nnodev\tdevtmpfs\n");
    return 0;
}

static bool proc_system_put_inventory(const char *class, const char *line, void *argument)
{
    proc_printf(argument, "%s\t%s\n", class, line);
    return true;
}

/* A line of hinv's behind its class and a tab. */
static int proc_system_make_inventory(struct proc_text *text, struct process *process,
                                      void *argument)
{
    (void)process;
    (void)argument;
    late_start();
    inventory_each(proc_system_put_inventory, text);
    return 0;
}

static const struct {
    const char *kind, *place;
    bool read_only;
} mounted[] = {
    {"rootfs", "/", true},
    {"tmpfs", "/tmp", false},
    {"devtmpfs", "/dev", false},
    {"proc", "/proc", false},
};

/* The same of every process, but that one which has gone shows nothing. */
static int proc_system_make_mounts(struct proc_text *text, struct process *process, void *argument)
{
    (void)process;
    (void)argument;
    for (unsigned i = 0; i < sizeof mounted / sizeof mounted[0]; i++)
        proc_printf(text, "%s %s %s %s 0 0\n", mounted[i].kind, mounted[i].place, mounted[i].kind,
                    mounted[i].read_only ? "ro" : "rw");
    return 0;
}

static int proc_system_make_mountinfo(struct proc_text *text, struct process *process,
                                      void *argument)
{
    (void)process;
    (void)argument;
    for (unsigned i = 0; i < sizeof mounted / sizeof mounted[0]; i++) {
        const char *mode = mounted[i].read_only ? "ro" : "rw";

        proc_printf(text, "%u %u 0:%u / %s %s - %s %s %s\n", i + 1, i == 0 ? 0 : 1, i + 1,
                    mounted[i].place, mode, mounted[i].kind, mounted[i].kind, mode);
    }
    return 0;
}

void proc_add_system(void)
{
    static struct proc_file all[] = {
        {.name = "meminfo", .mode = 0444, .make = proc_system_make_meminfo},
        {.name = "uptime", .mode = 0444, .make = proc_system_make_uptime},
        {.name = "loadavg", .mode = 0444, .make = proc_system_make_loadavg},
        {.name = "cpuinfo", .mode = 0444, .make = proc_system_make_cpuinfo},
        {.name = "version", .mode = 0444, .make = proc_system_make_version},
        {.name = "mounts", .mode = S_IFLNK | 0777, .make = proc_system_make_mounts_link},
        {.name = "filesystems", .mode = 0444, .make = proc_system_make_filesystems},
        {.name = "inventory", .mode = 0444, .make = proc_system_make_inventory},
    };

    static struct proc_file of_processes[] = {
        {.name = "mounts", .mode = 0444, .make = proc_system_make_mounts},
        {.name = "mountinfo", .mode = 0444, .make = proc_system_make_mountinfo},
    };

    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        proc_register(&all[i]);
    for (unsigned i = 0; i < sizeof of_processes / sizeof of_processes[0]; i++)
        proc_register_process(&of_processes[i]);
}
