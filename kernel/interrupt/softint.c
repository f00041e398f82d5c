/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Soft interrupts over the dispatcher: each level is a line, and each softint a handler on it.
 * Scheduling one raises its line once, and one delivery serves one softint, so the line's count is
 * the sum of its children's.
 */
#include "kernel/interrupt/softint.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/softint.h>
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpu_share.h"
#include "kernel/base/panic.h"
#include "kernel/lock/spinlock.h"
#include "lib/section.h"
#include "lib/string.h"

static const char *const level_names[] = {"", "softclock", "softbio", "softnet", "softserial"};

static SHARED_BSS struct interrupt_line levels[IPL_SOFTSERIAL + 1];

/* What is due, for each CPU and level; by that CPU, interrupts off. */
struct due {
    struct softint *first, **last;
    bool served; /* this delivery has served one */
};

static SHARED_BSS struct due all_due[CPU_MAX][IPL_SOFTSERIAL + 1];
static struct spinlock softint_lock =
    SPINLOCK_INITIALIZER("soft interrupts"); /* who schedules one */

static const struct interrupt_chip softint_chip = {"softint", true, NULL, NULL, NULL, NULL};

/* Takes S off its level's list if this delivery is for it. */
static bool softint_take(struct softint *s)
{
    uintptr_t state = interrupts_save();
    struct due *due = &all_due[cpu_here.id][s->level];
    bool mine;

    if (levels[s->level].handlers == &s->handler)
        due->served = false; /* the first one to be asked: a new delivery */
    mine = !due->served && due->first == s;
    if (mine) {
        due->served = true;
        due->first = s->next;
        if (!s->next)
            due->last = &due->first;
        spinlock_lock(&softint_lock);
        s->scheduled = false;
        s->running = true;
        s->runner = (uint8_t)cpu_here.id;
        spinlock_unlock(&softint_lock);
    }
    interrupts_restore(state);
    return mine;
}

/* S has run; whether another CPU wanted it again. */
static bool softint_finish(struct softint *s)
{
    uintptr_t state = interrupts_save();
    bool again;

    spinlock_lock(&softint_lock);
    again = s->again;
    s->again = s->running = false;
    spinlock_unlock(&softint_lock);
    interrupts_restore(state);
    return again;
}

/* The handler of a softint: claims if it is its turn. Runs at its level with interrupts on. */
static int softint_run(void *argument)
{
    struct softint *s = argument;

    if (!softint_take(s))
        return 0;
    s->function(s->argument);
    if (softint_finish(s))
        softint_schedule(s);
    return 1;
}

void softint_boot(void)
{
    for (int level = IPL_SOFTCLOCK; level <= IPL_SOFTSERIAL; level++) {
        struct interrupt_line *line = &levels[level];

        strlcpy(line->name, level_names[level], sizeof line->name);
        interrupt_line_attach(line, &softint_chip, (unsigned)level, false, cpu_group(), NULL);
        line->ipl = (uint8_t)level;
        for (unsigned cpu = 0; cpu < CPU_MAX; cpu++)
            all_due[cpu][level].last = &all_due[cpu][level].first;
    }
}

void softint_establish(struct softint *s, int level, void (*function)(void *), void *argument,
                       const char *name)
{
    ASSERT(level >= IPL_SOFTCLOCK && level <= IPL_SOFTSERIAL);
    s->scheduled = s->running = s->again = false;
    s->level = (uint8_t)level;
    s->function = function;
    s->argument = argument;
    interrupt_establish_named(&levels[level], level, softint_run, s, name, "soft intr",
                              &s->handler);
}

void softint_schedule(struct softint *s)
{
    uintptr_t state = interrupts_save();
    struct cpu *cpu = cpu_current();
    struct due *due = &all_due[cpu->id][s->level];
    bool first;

    spinlock_lock(&softint_lock);
    if (s->running && s->runner != cpu->id) {
        s->again = true;
        first = false;
    } else {
        first = !s->scheduled;
        s->scheduled = true;
    }
    spinlock_unlock(&softint_lock);
    if (first) {
        s->next = NULL;
        *due->last = s;
        due->last = &s->next;
        interrupt_raise_soft(&levels[s->level]);
        if (!cpu->in_handler && cpu->ipl < s->level && interrupts_were_enabled(state) &&
            !softint_kick(s->level))
            interrupt_exit();
    }
    interrupts_restore(state);
}
