/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guard against level-triggered lines that nobody claims and that come again and again: see
 * struct interrupt_storm. What is claimed costs nothing here: claims are told from the line's
 * counts when one comes that is not.
 */
#include "kernel/base/log.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/time/clock.h"
#include "lib/format.h"

#define SECOND 1000000000ull

static struct spinlock storms_lock = SPINLOCK_INITIALIZER("interrupt storms");

void interrupt_storm_attach(struct interrupt_line *line)
{
    line->unmasked = line->level;
    if (!line->level)
        return;
    line->storm.line = line;
    format(line->storm_name, sizeof line->storm_name, "%s storms", line->name);
    evcnt_attach_dynamic(&line->storm.count, EVCNT_TYPE_MISC, NULL, line->count.ev_group,
                         line->storm_name);
}

void interrupt_storm_forget(struct interrupt_line *line)
{
    uintptr_t state = spinlock_acquire(&storms_lock);

    line->unmasked = line->level;
    line->storm.row = 0;
    spinlock_release(&storms_lock, state);
}

bool interrupt_storms(const struct interrupt_line *line)
{
    return line->level && !line->unmasked;
}

/* Each second: tries a masked line again; one that has kept still since then is quiet. */
static void storm_wake(struct timer *timer)
{
    struct interrupt_storm *storm = (struct interrupt_storm *)timer;
    struct interrupt_line *line = storm->line;
    uintptr_t state = spinlock_acquire(&storms_lock);
    bool quiet = line->unmasked;

    if (quiet) {
        storm->told = false;
    } else {
        line->unmasked = true;
        storm->row = 0;
        timer_set(timer, clock_now() + SECOND, storm_wake);
        if (line->handlers) /* else whoever took the last one off has masked it */
            line->chip->unmask(line);
    }
    spinlock_release(&storms_lock, state);
    if (quiet)
        log_printf("%s %s: quiet again", line->count.ev_group, line->name);
}

void interrupt_storm_note(struct interrupt_line *line)
{
    struct interrupt_storm *storm = &line->storm;
    uintptr_t state = spinlock_acquire(&storms_lock);
    uint64_t claimed = evcnt_value(&line->count) - evcnt_value(&line->spurious);
    bool tell = false;

    if (claimed != storm->claimed)
        storm->row = 0;
    storm->claimed = claimed;
    if (++storm->row == INTERRUPT_STORM && line->chip->mask) {
        line->unmasked = false;
        line->chip->mask(line);
        evcnt_incr(&storm->count);
        timer_set(&storm->timer, clock_now() + SECOND, storm_wake);
        tell = !storm->told;
        storm->told = true;
    }
    spinlock_release(&storms_lock, state);
    if (tell)
        log_printf("%s %s: %u interrupts in a row that no device claims: masked, tried each second",
                   line->count.ev_group, line->name, INTERRUPT_STORM);
}
