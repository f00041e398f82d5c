/* SPDX-License-Identifier: BSD-2-Clause */
/* Soft interrupts over the dispatcher: each level is a line whose one handler runs what is scheduled there. */
#include "kernel/softint.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/softint.h>
#include "kernel/cpu.h"
#include "kernel/panic.h"
#include "lib/string.h"

static const char *const level_names[] = {"", "softclock", "softbio", "softnet", "softserial"};

static struct interrupt_line levels[IPL_SOFTSERIAL + 1];

static const struct interrupt_chip softint_chip = {"softint", true, NULL, NULL, NULL};

/* The handler of a softint: claims if it was scheduled. Runs at its level with interrupts on. */
static int softint_run(void *argument)
{
    struct softint *s = argument;

    if (!s->scheduled)
        return 0;
    s->scheduled = false;
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
    }
}

void softint_establish(struct softint *s, int level, void (*function)(void *), void *argument, const char *name)
{
    ASSERT(level >= IPL_SOFTCLOCK && level <= IPL_SOFTSERIAL);
    s->scheduled = false;
    s->level = (uint8_t)level;
    s->function = function;
    s->argument = argument;
    interrupt_establish_named(&levels[level], level, softint_run, s, name, "soft intr", &s->handler);
}

void softint_schedule(struct softint *s)
{
    uintptr_t state = interrupts_save();
    struct cpu *cpu = cpu_current();

    if (!s->scheduled) {
        s->scheduled = true;
        interrupt_raise_soft(&levels[s->level]);
        if (cpu->depth == 0 && cpu->ipl < s->level && interrupts_were_enabled(state) && !softint_kick(s->level))
            interrupt_exit();
    }
    interrupts_restore(state);
}
