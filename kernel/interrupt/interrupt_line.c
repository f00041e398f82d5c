/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupt lines and their handlers: how they come, are routed and go. The dispatcher, which
 * serves them meanwhile, is interrupt.c.
 */
#include <arch/cpu.h>
#include "kernel/base/panic.h"
#include "kernel/cpu/cpu_share.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/lock/spinlock.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/evcnt/cell.h"

static LIST_HEAD(, interrupt_line) lines = LIST_HEAD_INITIALIZER(lines);
static struct interrupt_line *last_line;
static struct spinlock lines_lock = SPINLOCK_INITIALIZER("interrupt lines");

static void interrupt_line_join(char *buffer, size_t size, const char *first, const char *second)
{
    size_t length = strlcpy(buffer, first, size);

    strlcpy(buffer + length, second, size - length);
}

static void interrupt_line_no_acknowledge(struct interrupt_line *line)
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
    line->acknowledge = chip->acknowledge ? chip->acknowledge : interrupt_line_no_acknowledge;
    if (!line->cells)
        line->cells = cell_create(sizeof *line->cells);
    if (!line->cells)
        panic("interrupt: no memory for the line %s", line->name);
    line->pin = (uint16_t)pin;
    line->level = level;
    line->ipl = IPL_VM;
    evcnt_attach_dynamic(&line->count, EVCNT_TYPE_INTR, parent, group, line->name);
    cpu_shares_attach(&line->count);
    if (!chip->soft) {
        interrupt_line_join(line->spurious_name, sizeof line->spurious_name, line->name,
                            " spurious");
        evcnt_attach_dynamic(&line->spurious, EVCNT_TYPE_INTR, &line->count, group,
                             line->spurious_name);
    }
    interrupt_storm_attach(line);
    state = spinlock_acquire(&lines_lock);
    if (last_line)
        LIST_INSERT_AFTER(last_line, line, all);
    else
        LIST_INSERT_HEAD(&lines, line, all);
    last_line = line;
    line->attached = true;
    spinlock_release(&lines_lock, state);
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
    evcnt_attach_dynamic(&handler->count, EVCNT_TYPE_INTR, &line->count, device, event);
    handler->function = function;
    handler->argument = argument;
    handler->next = NULL;
    state = spinlock_acquire(&lines_lock);
    if (line->handlers && line->ipl != ipl) {
        spinlock_release(&lines_lock, state);
        evcnt_detach(&handler->count);
        return -EBUSY;
    }
    line->ipl = (uint8_t)ipl;
    while (*tail)
        tail = &(*tail)->next;
    shared = tail != &line->handlers && !line->chip->soft && !line->multiple_name[0];
    *tail = handler;
    if (shared)
        interrupt_line_join(line->multiple_name, sizeof line->multiple_name, line->name,
                            " multiple service");
    interrupt_storm_forget(line);
    if (line->chip->unmask)
        line->chip->unmask(line);
    spinlock_release(&lines_lock, state);
    if (shared) /* it may count already: through faults, as long as it has no cells */
        evcnt_attach_dynamic_nozero(&line->multiple, EVCNT_TYPE_MISC, NULL, line->count.ev_group,
                                    line->multiple_name);
    return 0;
}

static void interrupt_line_nothing(void *unused)
{
    (void)unused;
}

/* Until no CPU is in a handler of LINE that it had before the call. */
static void interrupt_line_wait_served(struct interrupt_line *line)
{
    if (cpu_count() == 1)
        return;
    cross_call_all(interrupt_line_nothing, NULL); /* those of IPL_SCHED have interrupts off */
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        while (*(volatile uint32_t *)&line->here[cpu].active)
            cross_call_poll();
}

void interrupt_disestablish(struct interrupt_line *line, struct interrupt_handler *handler)
{
    struct interrupt_handler **link = &line->handlers;
    uintptr_t state = spinlock_acquire(&lines_lock);

    while (*link && *link != handler)
        link = &(*link)->next;
    ASSERT(*link == handler);
    *link = handler->next;
    LIST_INSERT_HEAD(&line->departing, handler, leaving);
    if (!line->handlers && line->chip->mask)
        line->chip->mask(line);
    spinlock_release(&lines_lock, state);
    interrupt_line_wait_served(line);
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
