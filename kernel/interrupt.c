/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dispatcher: what happens between a machine's vector and a device's handler, on every machine.
 *
 * A line that interrupts while its priority level is masked (or being served) is noted in the CPU's deferred list and
 * served when the level falls; a level-triggered line stays masked at its chip until then. Lines below IPL_SCHED are
 * served with the CPU's interrupts on, so more urgent ones nest; each level nests at most once, which bounds the stack.
 */
#include "kernel/interrupt.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/clock.h"
#include "kernel/cpu.h"
#include "kernel/panic.h"
#include "kernel/spinlock.h"
#include "kernel/thread.h"
#include "lib/errno.h"
#include "lib/format.h"

static LIST_HEAD(, interrupt_line) lines = LIST_HEAD_INITIALIZER(lines);
static struct interrupt_line *last_line;
static struct spinlock lines_lock = SPINLOCK_INITIALIZER("interrupt lines");

/* Calls the handlers of LINE and counts by claim. The level is already LINE's. */
static inline void serve(struct interrupt_line *line)
{
    struct interrupt_handler *handler = line->handlers;
    uint64_t start = cycles_now();
    unsigned served = 0;

    for (; handler; handler = handler->next) {
        if (handler->function(handler->argument)) {
            evcnt_incr(&handler->count);
            served++;
        }
    }
    histogram_add(&line->service, clock_cycles_to_ns((cycles_now() - start) & CYCLES_MASK_OF(CYCLES_BITS)));
    if (__builtin_expect(served != 1, 0)) {
        if (served == 0)
            evcnt_incr(&line->spurious);
        for (; served > 1; served--)
            evcnt_incr(&line->multiple);
    }
}

/*
 * Serves LINE at its level; interrupts off on both sides. A line of IPL_SCHED keeps them off; for others the caller
 * has seen to it that LINE itself stays quiet meanwhile.
 */
static inline void run(struct cpu *cpu, struct interrupt_line *line)
{
    int old = cpu->ipl;

    cpu->ipl = line->ipl;
    cpu->depth++;
    if (line->ipl < IPL_SCHED) {
        interrupts_enable();
        serve(line);
        interrupts_disable();
    } else {
        serve(line);
    }
    cpu->depth--;
    cpu->ipl = old;
}

static void defer(struct cpu *cpu, struct interrupt_line *line)
{
    if (line->deferred++ == 0) {
        struct interrupt_line **tail = &cpu->deferred[line->ipl];

        while (*tail)
            tail = &(*tail)->next_deferred;
        line->next_deferred = NULL;
        *tail = line;
        cpu->deferred_levels |= (uint8_t)(1u << line->ipl);
    }
    cpu->attention = true;
}

/* Serves deferred lines above the CPU's level, the most urgent first; interrupts off. */
static void run_deferred(struct cpu *cpu)
{
    while (cpu->deferred_levels >> (cpu->ipl + 1)) {
        int level = 31 - __builtin_clz(cpu->deferred_levels);
        struct interrupt_line *line = cpu->deferred[level];

        if (--line->deferred == 0) {
            cpu->deferred[level] = line->next_deferred;
            if (!cpu->deferred[level])
                cpu->deferred_levels &= (uint8_t) ~(1u << level);
        }
        run(cpu, line);
        if (line->level && line->deferred == 0)
            line->chip->unmask(line);
    }
}

void interrupt_dispatch(struct interrupt_line *line)
{
    struct cpu *cpu = cpu_current();

    evcnt_incr(&line->count);
    if (__builtin_expect(cpu->ipl >= line->ipl, 0)) {
        if (line->level)
            line->chip->mask(line);
        line->chip->acknowledge(line);
        defer(cpu, line);
    } else if (line->level && line->ipl < IPL_SCHED) {
        line->chip->mask(line);
        line->chip->acknowledge(line);
        run(cpu, line);
        line->chip->unmask(line);
    } else {
        line->chip->acknowledge(line);
        run(cpu, line);
    }
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
        cpu->attention = false;
        if (cpu->reschedule)
            thread_preempt();
    }
}

int splraise(int level)
{
    struct cpu *cpu = cpu_current();
    int old = cpu->ipl;

    if (level > old)
        cpu->ipl = level;
    __asm__ volatile("" : : : "memory");
    return old;
}

void splx(int level)
{
    struct cpu *cpu = cpu_current();

    __asm__ volatile("" : : : "memory");
    cpu->ipl = level;
    if (cpu->attention && interrupts_enabled()) {
        interrupts_disable();
        interrupt_exit();
        interrupts_enable();
    }
}

void spl_restore(uintptr_t state)
{
    struct cpu *cpu = cpu_current();

    interrupts_restore(state);
    if (__builtin_expect(cpu->attention, 0) && state)
        splx(cpu->ipl);
}

bool interrupt_active(void)
{
    return cpu_current()->depth != 0;
}

/* A line that interrupts before it has a handler is masked rather than left to storm. */
void interrupt_line_attach(struct interrupt_line *line, const struct interrupt_chip *chip, unsigned pin, bool level,
                           const char *group, struct evcnt *parent)
{
    uintptr_t state;

    ASSERT(!line->attached);
    line->chip = chip;
    line->pin = (uint16_t)pin;
    line->level = level;
    line->ipl = IPL_VM;
    evcnt_attach_dynamic(&line->count, EVCNT_TYPE_INTR, parent, group, line->name);
    format(line->spurious_name, sizeof line->spurious_name, "%s spurious", line->name);
    format(line->multiple_name, sizeof line->multiple_name, "%s multiple service", line->name);
    evcnt_attach_dynamic(&line->spurious, EVCNT_TYPE_INTR, &line->count, group, line->spurious_name);
    evcnt_attach_dynamic(&line->multiple, EVCNT_TYPE_MISC, NULL, group, line->multiple_name);
    state = spinlock_acquire(&lines_lock);
    if (last_line)
        LIST_INSERT_AFTER(last_line, line, all);
    else
        LIST_INSERT_HEAD(&lines, line, all);
    last_line = line;
    line->attached = true;
    spinlock_release(&lines_lock, state);
}

int interrupt_establish(struct interrupt_line *line, int ipl, int (*function)(void *), void *argument,
                        const char *device, struct interrupt_handler *handler)
{
    return interrupt_establish_named(line, ipl, function, argument, device, "intr", handler);
}

int interrupt_establish_named(struct interrupt_line *line, int ipl, int (*function)(void *), void *argument,
                              const char *device, const char *event, struct interrupt_handler *handler)
{
    struct interrupt_handler **tail = &line->handlers;
    uintptr_t state;

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
    *tail = handler;
    if (line->chip->unmask)
        line->chip->unmask(line);
    spinlock_release(&lines_lock, state);
    return 0;
}

void interrupt_disestablish(struct interrupt_line *line, struct interrupt_handler *handler)
{
    struct interrupt_handler **link = &line->handlers;
    uintptr_t state = spinlock_acquire(&lines_lock);

    while (*link && *link != handler)
        link = &(*link)->next;
    ASSERT(*link == handler);
    *link = handler->next;
    if (!line->handlers && line->chip->mask)
        line->chip->mask(line);
    spinlock_release(&lines_lock, state);
    evcnt_detach(&handler->count);
}

struct interrupt_line *interrupt_line_next(struct interrupt_line *line)
{
    return line ? LIST_NEXT(line, all) : LIST_FIRST(&lines);
}
