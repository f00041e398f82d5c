/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/meminfo, uptime, cpuinfo, version, filesystems, mounts: proc(5), what of them is known; and
 * inventory, which is for hinv(1). */
#include <arch/cpu.h>
#include "fs/mount.h"
#include "fs/proc.h"
#include "fs/tree_data.h"
#include "kernel/base/inventory.h"
#include "kernel/base/version.h"
#include "kernel/cpu/cpu.h"
#include "kernel/memory/page.h"
#include "kernel/time/cpu_time.h"
#include "kernel/time/clock.h"

static unsigned long kib(uint64_t pages)
{
    return (unsigned long)(pages << PAGE_SHIFT >> 10);
}

static int make_meminfo(struct proc_text *text, struct process *process, void *argument)
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
                kib(pages.total), kib(pages.free), kib(pages.free), 0u, kib(files), 0u, 0u,
                kib(files));
    return 0;
}

/* Idle time is the sum over CPUs, as on Linux. */
static int make_uptime(struct proc_text *text, struct process *process, void *argument)
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

static int make_cpuinfo(struct proc_text *text, struct process *process, void *argument)
{
    char model[80];

    (void)process;
    (void)argument;
    cpu_describe(model, sizeof model);
    for (unsigned i = 0; i < cpu_count(); i++)
        proc_printf(text, "processor\t: %u\nmodel name\t: %s\n\n", i, model);
    return 0;
}

static int make_version(struct proc_text *text, struct process *process, void *argument)
{
    (void)process;
    (void)argument;
    proc_printf(text, "%s version %s\n", QUIPU_NAME, QUIPU_RELEASE);
    return 0;
}

static int make_mounts(struct proc_text *text, struct process *process, void *argument)
{
    (void)process;
    (void)argument;
    proc_printf(text, "rootfs / rootfs ro 0 0\ntmpfs /tmp tmpfs rw 0 0\n"
                      "devtmpfs /dev devtmpfs rw 0 0\nproc /proc proc rw 0 0\n");
    return 0;
}

static int make_filesystems(struct proc_text *text, struct process *process, void *argument)
{
    (void)process;
    (void)argument;
    proc_printf(text, "nodev\ttmpfs\nnodev\tproc\nnodev\tdevtmpfs\n");
    return 0;
}

static bool put_inventory(const char *class, const char *line, void *argument)
{
    proc_printf(argument, "%s\t%s\n", class, line);
    return true;
}

/* A line of hinv's behind its class and a tab. */
static int make_inventory(struct proc_text *text, struct process *process, void *argument)
{
    (void)process;
    (void)argument;
    inventory_each(put_inventory, text);
    return 0;
}

void proc_add_system(void)
{
    static struct proc_file all[] = {
        {.name = "meminfo", .mode = 0444, .make = make_meminfo},
        {.name = "uptime", .mode = 0444, .make = make_uptime},
        {.name = "cpuinfo", .mode = 0444, .make = make_cpuinfo},
        {.name = "version", .mode = 0444, .make = make_version},
        {.name = "mounts", .mode = 0444, .make = make_mounts},
        {.name = "filesystems", .mode = 0444, .make = make_filesystems},
        {.name = "inventory", .mode = 0444, .make = make_inventory},
    };

    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        proc_register(&all[i]);
}
