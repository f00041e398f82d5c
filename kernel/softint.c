/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Soft interrupts over the dispatcher: each level is a line, and each softint a handler on it.
 * Scheduling one raises its line once, and one delivery serves one softint, so the line's count is
 * the sum of its children's.
 */
#include "kernel/softint.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/softint.h>
#include "kernel/cpu.h"
#include "kernel/panic.h"
#include "lib/string.h"

static const char *const level_names[] = {"", "softclock", "softbio", "softnet", "softserial"};

static struct interrupt_line levels[IPL_SOFTSERIAL + 1];

/* Per level; interrupts off. */
static struct softint *first_due[IPL_SOFTSERIAL + 1], **last_due[IPL_SOFTSERIAL + 1];
static bool served[IPL_SOFTSERIAL + 1]; /* this delivery has served one */

static const struct interrupt_chip softint_chip = {"softint", true, NULL, NULL, NULL, NULL};

/* Takes S off its level's list if this delivery is for it. */
static bool take(struct softint *s)
{
    uintptr_t state = interrupts_save();
    unsigned level = s->level;
    bool mine;

    if (levels[level].handlers == &s->handler)
        served[level] = false; /* the first one to be asked: a new delivery */
    mine = !served[level] && first_due[level] == s;
    if (mine) {
        served[level] = true;
        s->scheduled = false;
        first_due[level] = s->next;
        if (!s->next)
            last_due[level] = &first_due[level];
    }
    interrupts_restore(state);
    return mine;
}

/* The handler of a softint: claims if it is its turn. Runs at its level with interrupts on. */
static int softint_run(void *argument)
{
    struct softint *s = argument;

    if (!take(s))
        return 0;
    s->function(s->argument);
    return 1;
}

void softint_boot(void)
{
    for (int level = IPL_SOFTCLOCK; level <= IPL_SOFTSERIAL; level++) {
        struct interrupt_line *line = &levels[level];

        strlcpy(line->name, level_names[level], sizeof line->name);
        interrupt_line_attach(line, &softint_chip, (unsigned)level, false, "cpu0", NULL);
        line->ipl = (uint8_t)level;
        last_due[level] = &first_due[level];
    }
}

void softint_establish(struct softint *s, int level, void (*function)(void *), void *argument,
                       const char *name)
{
    ASSERT(level >= IPL_SOFTCLOCK && level <= IPL_SOFTSERIAL);
    s->scheduled = false;
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

    if (!s->scheduled) {
        s->scheduled = true;
        s->next = NULL;
        *last_due[s->level] = s;
        last_due[s->level] = &s->next;
        interrupt_raise_soft(&levels[s->level]);
        if (cpu->depth == 0 && cpu->ipl < s->level && interrupts_were_enabled(state) &&
            !softint_kick(s->level))
            interrupt_exit();
    }
    interrupts_restore(state);
}
