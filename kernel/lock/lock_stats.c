/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of locks: the list of records, and what is added to them. Compiled in the checked
 * build only. */
#include "kernel/lock/lock_stats.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/lock/lock_order.h"
#include "kernel/thread/thread.h"

extern char kernel_writable_start[], kernel_data_start[], kernel_data_end[];

static struct lock_record *volatile first; /* grows at its end, under the table's lock */
static struct lock_record **last = (struct lock_record **)&first;
static struct lock_record sums[LOCK_CLASSES]; /* of locks that come and go */

/* Whether OBJECT is there for good: in the kernel's data, or in a CPU's copy of it. */
static bool lock_stats_stays(const void *object)
{
    uintptr_t at = (uintptr_t)object, start = (uintptr_t)kernel_data_start;

    for (unsigned cpu = 0; cpu < CPU_MAX; cpu++)
        if (at - start + cpu * CPU_STRIDE < (uintptr_t)kernel_data_end - start)
            return true;
    return at >= (uintptr_t)kernel_writable_start && at < (uintptr_t)kernel_data_end;
}

static void lock_stats_list(struct lock_record *record)
{
    *last = record;
    last = &record->next;
}

void lock_stats_reset(struct lock_record *record)
{
    uintptr_t state = interrupts_save();
    const struct lock_record *listed;

    lock_order_enter();
    listed = first;
    while (listed && listed != record)
        listed = listed->next;
    if (listed)
        record->cpu = 0;
    else
        *record = (struct lock_record){.name = NULL};
    lock_order_leave();
    interrupts_restore(state);
}

/* The sum of the locks of CLASS that come and go. */
static struct lock_record *lock_stats_sum_of(unsigned class, const char *name, bool sleeping)
{
    struct lock_record *sum = &sums[class];

    if (!sum->name) {
        *sum = (struct lock_record){.name = class ? name : "(others)", .sleeping = sleeping};
        lock_stats_list(sum);
    }
    return sum;
}

void lock_stats_begin(struct lock_record *record, const char *name, bool sleeping)
{
    lock_order_enter();
    if (!record->name) { /* or another CPU was first: listed twice, it would come after itself */
        record->class = (uint16_t)lock_order_class(name);
        record->sleeping = sleeping;
        if (record->summed || !lock_stats_stays(record))
            record->shared = lock_stats_sum_of(record->class, name, sleeping);
        __atomic_store_n(&record->name, name, __ATOMIC_RELEASE); /* it is ready to be used */
        if (!record->shared)
            lock_stats_list(record);
    }
    lock_order_leave();
}

static void lock_stats_raise(uint64_t *sum, uint64_t *most, uint64_t cycles)
{
    if ((int64_t)cycles < 0) /* counters of two CPUs that are a little apart */
        cycles = 0;
    *sum += cycles;
    if (cycles > *most)
        *most = cycles;
}

void lock_stats_taken(struct lock_record *record, bool contended, uint64_t waited)
{
    struct lock_counts *counts = &record->counts;
    const struct cpu *cpu = cpu_current();

    record->cpu = cpu->id + 1;
    record->thread = cpu->current ? cpu->current->id : 0;
    if (record->shared) {
        counts = &record->shared->counts;
        lock_order_enter();
    }
    counts->acquired++;
    if (contended) {
        counts->contended++;
        lock_stats_raise(&counts->waited, &counts->waited_most, waited);
    }
    if (record->shared)
        lock_order_leave();
}

void lock_stats_left(struct lock_record *record, uint64_t cycles)
{
    struct lock_counts *counts = &record->counts;

    record->cpu = 0;
    if (record->shared) {
        counts = &record->shared->counts;
        lock_order_enter();
    }
    lock_stats_raise(&counts->held, &counts->held_most, cycles);
    if (record->shared)
        lock_order_leave();
}

unsigned lock_stats_get(struct lock_report *out, unsigned max)
{
    const struct lock_record *record = first;
    unsigned count = 0;

    for (; record; record = *(struct lock_record *const volatile *)&record->next, count++) {
        struct lock_counts counts = record->counts;

        if (count >= max)
            continue;
        counts.waited = clock_cycles_to_ns(counts.waited);
        counts.waited_most = clock_cycles_to_ns(counts.waited_most);
        counts.held = clock_cycles_to_ns(counts.held);
        counts.held_most = clock_cycles_to_ns(counts.held_most);
        out[count] = (struct lock_report){.name = record->name,
                                          .counts = counts,
                                          .cpu = record->cpu,
                                          .thread = record->thread,
                                          .sleeping = record->sleeping,
                                          .sum = record >= sums && record < sums + LOCK_CLASSES};
    }
    return count;
}
