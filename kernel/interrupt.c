/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dispatcher: what happens between a machine's vector and a device's handler, on every machine.
 *
 * A line that interrupts while its priority level is masked (or being served) is noted in the CPU's
 * deferred list and served when the level falls; a level-triggered line stays masked at its chip
 * until then. Lines below IPL_SCHED are served with the CPU's interrupts on, so more urgent ones
 * nest; each level nests at most once, which bounds the stack.
 */
#include "kernel/interrupt.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/clock.h"
#include "kernel/cpu_clock.h"
#include "kernel/cpu_share.h"
#include "kernel/cross_call.h"
#include "kernel/panic.h"
#include "kernel/spinlock.h"
#include "kernel/thread.h"
#include "lib/errno.h"
#include "lib/string.h"

static LIST_HEAD(, interrupt_line) lines = LIST_HEAD_INITIALIZER(lines);
static struct interrupt_line *last_line;
static struct spinlock lines_lock = SPINLOCK_INITIALIZER("interrupt lines");

/* Nobody claimed the interrupt, or several did. */
static __attribute__((noinline)) void count_oddity(struct interrupt_line *line, unsigned served)
{
    if (served == 0)
        evcnt_incr(&line->spurious);
    for (; served > 1; served--)
        evcnt_incr(&line->multiple);
}

static __attribute__((noinline)) void record_long(struct interrupt_line *line, uint64_t cycles)
{
    histogram_add_shared(&line->service, clock_cycles_to_ns(cycles));
}

/* Notes how long LINE's handlers took. */
static inline void record(struct interrupt_line *line, uint64_t cycles)
{
    if (__builtin_expect(clock_is_short(cycles), 1))
        histogram_add_shared(&line->service, clock_short_ns(cycles));
    else
        record_long(line, cycles);
}

/* Calls the handlers of LINE and counts by claim. The level is already LINE's. */
static void serve(struct interrupt_line *line)
{
    struct interrupt_handler *handler = line->handlers;
    uint64_t start = cycles_now();
    unsigned served = 0;

    for (; handler; handler = handler->next) {
        if (handler->function(handler->argument)) {
            evcnt_incr(&handler->count);
            served++;
            if (line->chip->soft) /* each soft interrupt was counted on the line: one at a time */
                break;
        }
    }
    record(line, cycles_between(start, cycles_now()));
    if (__builtin_expect(served != 1, 0))
        count_oddity(line, served);
}

/* The time of interrupts begins, with what was read before: other CPUs look at the interrupted
 * thread's time meanwhile. */
static inline __attribute__((always_inline)) void begin_time(struct cpu *cpu, uint64_t start)
{
    if (cpu->depth++ == 0)
        CPU_TIME(cpu->time_interrupt -= start);
}

/* LINE's time from START on ends. */
static inline __attribute__((always_inline)) void
end_time(struct cpu *cpu, struct interrupt_line *line, uint64_t start, uint64_t outer)
{
    uint64_t elapsed = cpu_stamp(cpu) - start;

    line->here[cpu->id].cycles += elapsed - cpu->nested;
    cpu->nested = outer + elapsed;
    if (--cpu->depth == 0)
        CPU_TIME(cpu->time_interrupt += start + elapsed);
}

/*
 * Serves LINE at its level; interrupts off on both sides. A line of IPL_SCHED keeps them off; for
 * others the caller has seen to it that LINE itself stays quiet meanwhile. Its time has begun, at
 * START.
 */
static void run(struct cpu *cpu, struct interrupt_line *line, uint64_t start)
{
    int old = cpu->ipl;
    uint64_t outer = cpu->nested;

    cpu->nested = 0;
    line->here[cpu->id].active++;
    cpu->ipl = line->ipl;
    if (line->ipl < IPL_SCHED)
        interrupts_enable();
    serve(line);
    interrupts_disable();
    if (line->level && line->here[cpu->id].deferred == 0)
        line->chip->unmask(line);
    cpu->ipl = old;
    line->here[cpu->id].active--;
    end_time(cpu, line, start, outer);
}

static void defer(struct cpu *cpu, struct interrupt_line *line)
{
    if (line->here[cpu->id].deferred++ == 0) {
        struct interrupt_line **tail = &cpu->deferred[line->ipl];

        while (*tail)
            tail = &(*tail)->here[cpu->id].next;
        line->here[cpu->id].next = NULL;
        *tail = line;
        cpu->deferred_levels |= (uint8_t)(1u << line->ipl);
    }
    cpu->attention = 1;
}

/* Serves deferred lines above the CPU's level, the most urgent first; interrupts off. */
static void run_deferred(struct cpu *cpu)
{
    while (cpu->deferred_levels >> (cpu->ipl + 1)) {
        int level = 31 - __builtin_clz(cpu->deferred_levels);
        struct interrupt_line *line = cpu->deferred[level];
        uint64_t start = cpu_stamp(cpu);

        begin_time(cpu, start);
        if (--line->here[cpu->id].deferred == 0) {
            cpu->deferred[level] = line->here[cpu->id].next;
            if (!cpu->deferred[level])
                cpu->deferred_levels &= (uint8_t)~(1u << level);
        }
        run(cpu, line, start);
    }
}

/* Any line in any state. */
static __attribute__((noinline)) void dispatch(struct cpu *cpu, struct interrupt_line *line,
                                               uint64_t start)
{
    uint64_t outer = cpu->nested;

    begin_time(cpu, start);
    if (line->level)
        line->chip->mask(line);
    line->acknowledge(line);
    if (cpu->ipl < line->ipl) {
        run(cpu, line, start);
    } else {
        defer(cpu, line);
        cpu->nested = 0;
        end_time(cpu, line, start, outer);
    }
    if (cpu->attention)
        interrupt_exit();
}

/* The short way is the clock's, out of a thread: one handler, and no interrupt can come between, so
 * nothing needs masking. */
void interrupt_dispatch(struct interrupt_line *line)
{
    struct cpu *cpu = cpu_current();
    uint64_t start = cpu_stamp(cpu), level = cpu->level, end;

    evcnt_incr(&line->count);
    if (__builtin_expect(level >= line->straight_below, 0)) {
        dispatch(cpu, line, start);
        return;
    }
    CPU_TIME(cpu->time_interrupt -= start);
    line->acknowledge(line);
    cpu->level = line->straight_level;
    if (__builtin_expect(line->handlers->function(line->handlers->argument), 1))
        evcnt_incr(&line->handlers->count);
    else
        evcnt_incr(&line->spurious);
    end = cpu_stamp(cpu);
    CPU_TIME(cpu->time_interrupt += end);
    record(line, cycles_between(start, end));
    cpu->level = level;
    if (__builtin_expect(cpu->attention, 0))
        interrupt_exit();
}

void interrupt_raise_soft(struct interrupt_line *line)
{
    evcnt_incr(&line->count);
    defer(cpu_current(), line);
}

void interrupt_exit(void)
{
    struct cpu *cpu = cpu_current();

    run_deferred(cpu);
    if (cpu->depth == 0 && cpu->ipl == IPL_NONE) {
        cpu->attention = 0;
        if (cpu->reschedule)
            thread_preempt();
    }
}

int splraise(int level)
{
    int old =
        cpu_here.ipl; /* a thread that is moved between the two has level IPL_NONE on both CPUs */

    if (level > old)
        cpu_here.ipl = level;
    __asm__ volatile("" : : : "memory");
    return old;
}

void splx(int level)
{
    __asm__ volatile("" : : : "memory");
    cpu_here.ipl = level;
    if (cpu_here.attention && interrupts_enabled()) {
        interrupts_disable();
        interrupt_exit();
        interrupts_enable();
    }
}

void spl_restore(uintptr_t state)
{
    interrupts_restore(state);
    if (__builtin_expect(cpu_here.attention, 0) && interrupts_were_enabled(state))
        splx(cpu_here.ipl);
}

bool interrupt_active(void)
{
    return cpu_here.depth != 0;
}

static void join(char *buffer, size_t size, const char *first, const char *second)
{
    size_t length = strlcpy(buffer, first, size);

    strlcpy(buffer + length, second, size - length);
}

static void no_acknowledge(struct interrupt_line *line)
{
    (void)line;
}

/* A line that interrupts before it has a handler is masked rather than left to storm. */
void interrupt_line_attach(struct interrupt_line *line, const struct interrupt_chip *chip,
                           unsigned pin, bool level, const char *group, struct evcnt *parent)
{
    uintptr_t state;

    ASSERT(!line->attached);
    line->chip = chip;
    line->acknowledge = chip->acknowledge ? chip->acknowledge : no_acknowledge;
    line->pin = (uint16_t)pin;
    line->level = level;
    line->ipl = IPL_VM;
    evcnt_attach_dynamic(&line->count, EVCNT_TYPE_INTR, parent, group, line->name);
    cpu_shares_attach(&line->count);
    if (!chip->soft) {
        join(line->spurious_name, sizeof line->spurious_name, line->name, " spurious");
        evcnt_attach_dynamic(&line->spurious, EVCNT_TYPE_INTR, &line->count, group,
                             line->spurious_name);
    }
    state = spinlock_acquire(&lines_lock);
    if (last_line)
        LIST_INSERT_AFTER(last_line, line, all);
    else
        LIST_INSERT_HEAD(&lines, line, all);
    last_line = line;
    line->attached = true;
    spinlock_release(&lines_lock, state);
}

static void set_straight(struct interrupt_line *line)
{
    bool single = line->handlers && !line->handlers->next;

    line->straight_level = CPU_LEVEL(IPL_SCHED, 1);
    line->straight_below = single && line->ipl == IPL_SCHED ? IPL_SCHED : IPL_NONE;
}

int interrupt_establish(struct interrupt_line *line, int ipl, int (*function)(void *),
                        void *argument, const char *device, struct interrupt_handler *handler)
{
    return interrupt_establish_named(line, ipl, function, argument, device, "intr", handler);
}

int interrupt_establish_named(struct interrupt_line *line, int ipl, int (*function)(void *),
                              void *argument, const char *device, const char *event,
                              struct interrupt_handler *handler)
{
    struct interrupt_handler **tail = &line->handlers;
    uintptr_t state;
    bool shared;

    ASSERT(line->attached);
    if (ipl < IPL_SOFTCLOCK || ipl > IPL_SCHED)
        return -EINVAL;
    if (line->handlers && line->ipl != ipl)
        return -EBUSY;
    evcnt_attach_dynamic(&handler->count, EVCNT_TYPE_INTR, &line->count, device, event);
    handler->function = function;
    handler->argument = argument;
    handler->next = NULL;
    state = spinlock_acquire(&lines_lock);
    line->ipl = (uint8_t)ipl;
    while (*tail)
        tail = &(*tail)->next;
    shared = tail != &line->handlers && !line->chip->soft && !line->multiple_name[0];
    *tail = handler;
    if (shared)
        join(line->multiple_name, sizeof line->multiple_name, line->name, " multiple service");
    set_straight(line);
    if (line->chip->unmask)
        line->chip->unmask(line);
    spinlock_release(&lines_lock, state);
    if (shared) /* it may count already */
        evcnt_attach_dynamic_nozero(&line->multiple, EVCNT_TYPE_MISC, NULL, line->count.ev_group,
                                    line->multiple_name);
    return 0;
}

static void nothing(void *unused)
{
    (void)unused;
}

/* Until no CPU is in a handler of LINE that it had before the call. */
static void wait_served(struct interrupt_line *line)
{
    if (cpu_count() == 1)
        return;
    cross_call_all(nothing, NULL); /* the straight way has interrupts off */
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        while (*(volatile uint32_t *)&line->here[cpu].active)
            cross_call_poll();
}

void interrupt_disestablish(struct interrupt_line *line, struct interrupt_handler *handler)
{
    struct interrupt_handler **link = &line->handlers;
    uintptr_t state = spinlock_acquire(&lines_lock);

    line->straight_below = IPL_NONE; /* the straight way does not expect a handler to go */
    spinlock_release(&lines_lock, state);
    wait_served(line);
    state = spinlock_acquire(&lines_lock);
    while (*link && *link != handler)
        link = &(*link)->next;
    ASSERT(*link == handler);
    *link = handler->next;
    LIST_INSERT_HEAD(&line->departing, handler, leaving);
    set_straight(line);
    if (!line->handlers && line->chip->mask)
        line->chip->mask(line);
    spinlock_release(&lines_lock, state);
    wait_served(line);
    state = spinlock_acquire(&lines_lock);
    line->departed += evcnt_value(&handler->count);
    LIST_REMOVE(handler, leaving);
    spinlock_release(&lines_lock, state);
    evcnt_detach(&handler->count);
}

struct interrupt_line *interrupt_line_next(struct interrupt_line *line)
{
    return line ? LIST_NEXT(line, all) : LIST_FIRST(&lines);
}

int interrupt_set_affinity(struct interrupt_line *line, unsigned cpu)
{
    uintptr_t state;

    if (cpu >= cpu_count())
        return -EINVAL;
    if (!line->chip->route)
        return -ENOTSUP;
    state = spinlock_acquire(&lines_lock);
    line->cpu = cpu;
    line->chip->route(line, cpu);
    spinlock_release(&lines_lock, state);
    return 0;
}
