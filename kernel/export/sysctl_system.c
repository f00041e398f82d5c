/* SPDX-License-Identifier: BSD-2-Clause */
/* sysctl: other names under which users of a BSD ask for the same: disks, counts of the CPUs'
 * events, the clock's source, the log. */
#include "kernel/block/block.h"
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/thread/cpu_counts.h"
#include "kernel/thread/load.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/console/log_ring.h"
#include "kernel/base/machine.h"
#include "kernel/memory/page.h"
#include "kernel/export/sysctl.h"
#include "kernel/interrupt/trap_count.h"
#include "lib/string.h"

#define NAMES_MAX    512
#define LOG_PIECE    256
#define LOADAVG_BITS 11 /* of a fraction, as in FreeBSD */

#define NUMBER(ident, node, value, about)                                                          \
    static int sysctl_system_read_##ident(struct sysctl_request *request)                          \
    {                                                                                              \
        return sysctl_out_int(request, (int)(value));                                              \
    }                                                                                              \
    SYSCTL(ident, .name = node, .type = SYSCTL_INT, .access = sysctl_system_read_##ident,          \
           .summary = about)

#define AMOUNT(ident, node, value, about)                                                          \
    static int sysctl_system_read_##ident(struct sysctl_request *request)                          \
    {                                                                                              \
        return sysctl_out_long(request, value);                                                    \
    }                                                                                              \
    SYSCTL(ident, .name = node, .type = SYSCTL_LONG, .access = sysctl_system_read_##ident,         \
           .summary = about)

NUMBER(hz, "kern.hz", CLOCK_HZ, "ticks of the clock a second");
NUMBER(osrevision, "kern.osrevision", 100, "the release as a number: 0.1 is 100");
NUMBER(securelevel, "kern.securelevel", -1, "-1: nothing is locked");
NUMBER(smp_cpus, "kern.smp.cpus", cpu_count(), "CPUs that run");
NUMBER(smp_maxcpus, "kern.smp.maxcpus", CPU_MAX, "CPUs that this kernel can run");
NUMBER(smp_active, "kern.smp.active", cpu_count() > 1, "1 if more than one CPU runs");
NUMBER(clockrate, "hw.clockrate", (clock_frequency() + 500000) / 1000000,
       "MHz of the CPU's counter");
AMOUNT(realmem, "hw.realmem", machine_memory_size(), "bytes of RAM");
AMOUNT(physmem64, "hw.physmem64", machine_memory_size(), "bytes of RAM");

static uint64_t sysctl_system_pages(void)
{
    struct page_stats stats;

    page_stats_get(&stats);
    return stats.total;
}
AMOUNT(usermem64, "hw.usermem64", sysctl_system_pages() * PAGE_SIZE,
       "bytes that the page allocator has");
AMOUNT(availpages, "hw.availpages", sysctl_system_pages(), "pages that the page allocator has");

/* The names of all block devices with blanks between. */
static int sysctl_system_read_disks(struct sysctl_request *request)
{
    struct block_device *device = NULL;
    char names[NAMES_MAX] = "";
    size_t used = 0;

    while ((device = block_next_device(device)) != NULL &&
           used + sizeof(device->name) < NAMES_MAX) {
        if (used > 0)
            names[used++] = ' ';
        used += strlcpy(names + used, device->name, NAMES_MAX - used);
    }
    return sysctl_out_string(request, names);
}
SYSCTL(disknames, .name = "hw.disknames", .type = SYSCTL_STRING, .access = sysctl_system_read_disks,
       .summary = "block devices");
SYSCTL(kern_disks, .name = "kern.disks", .type = SYSCTL_STRING, .access = sysctl_system_read_disks,
       .summary = "block devices");

static int sysctl_system_read_timecounter(struct sysctl_request *request)
{
    return sysctl_out_string(request, machine.name[0] == 'P' ? "TSC" : "mips_cp0");
}
SYSCTL(timecounter, .name = "kern.timecounter.hardware", .type = SYSCTL_STRING,
       .access = sysctl_system_read_timecounter, .summary = "what the time is counted by");

static int sysctl_system_read_log(struct sysctl_request *request)
{
    size_t offset = 0, got;
    char piece[LOG_PIECE];

    while ((got = log_read(&offset, piece, sizeof(piece))) > 0)
        sysctl_out(request, piece, got);
    return sysctl_out(request, "", 1);
}
SYSCTL(msgbuf, .name = "kern.msgbuf", .type = SYSCTL_STRING, .unlisted = true,
       .access = sysctl_system_read_log, .summary = "the kernel log");

/* struct loadavg: three of 32 bits, and the number that is a load of 1 as a long. */
static int sysctl_system_read_loadavg(struct sysctl_request *request)
{
    const struct {
        uint32_t average[LOAD_AVERAGES];
        uint64_t scale;
    } value = {{load_average(0, LOADAVG_BITS), load_average(1, LOADAVG_BITS),
                load_average(2, LOADAVG_BITS)},
               1u << LOADAVG_BITS};

    return sysctl_out(request, &value, sizeof(value));
}
SYSCTL(loadavg, .name = "vm.loadavg", .type = SYSCTL_OPAQUE, .format = "loadavg",
       .access = sysctl_system_read_loadavg,
       .summary = "threads that run or want to: mean of 1, 5, 15 minutes");

enum sum { SWITCHES, INTERRUPTS, SOFT_INTERRUPTS, TRAPS };

static uint64_t sysctl_system_soft_interrupts(unsigned cpu)
{
    struct interrupt_line *line = NULL;
    uint64_t sum = 0;

    while ((line = interrupt_line_next(line)) != NULL)
        sum += line->chip->soft ? evcnt_cpu_value(&line->count, cpu) : 0;
    return sum;
}

static uint64_t sysctl_system_sum_of(enum sum what)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        struct cpu_counts counts;

        cpu_counts_get(cpu, &counts);
        sum += what == SWITCHES          ? counts.switches
               : what == INTERRUPTS      ? counts.interrupts
               : what == SOFT_INTERRUPTS ? sysctl_system_soft_interrupts(cpu)
                                         : trap_count(cpu);
    }
    return sum;
}
AMOUNT(v_swtch, "vm.stats.sys.v_swtch", sysctl_system_sum_of(SWITCHES), "thread switches");
AMOUNT(v_intr, "vm.stats.sys.v_intr", sysctl_system_sum_of(INTERRUPTS),
       "interrupts of devices and clocks");
AMOUNT(v_soft, "vm.stats.sys.v_soft", sysctl_system_sum_of(SOFT_INTERRUPTS), "soft interrupts");
AMOUNT(v_trap, "vm.stats.sys.v_trap", sysctl_system_sum_of(TRAPS), "exceptions");
