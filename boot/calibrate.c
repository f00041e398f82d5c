/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 8254 counts at a known rate and interrupts after 30 ms. Until then the CPU sleeps; how long it really was is read
 * from the 8254 at the same moment as the other clocks, so a late wake-up does no harm; of a few readings the
 * one that was least disturbed counts.
 */
#include "boot/calibrate.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "drivers/pit.h"
#include "kernel/panic.h"

#define PERIOD      35795u /* counts in 30 ms */
#define IMPLAUSIBLE 60000u
#define TRIES       8

struct sample {
    uint64_t cycles;
    uint32_t timer;
    uint16_t pit;
};

static volatile bool elapsed;
static struct interrupt_handler handler;

static int handle(void *unused)
{
    int claimed = !elapsed;

    (void)unused;
    elapsed = true;
    return claimed;
}

static uint64_t cycles_between(uint64_t from, uint64_t to)
{
    return (to - from) & CYCLES_MASK_OF(CYCLES_BITS);
}

/* All three clocks at one moment, as nearly as can be: the reading between the closest two of the cycle counter. */
static struct sample sample(uint32_t (*timer)(void))
{
    uint64_t narrowest = UINT64_MAX;
    struct sample best = {0, 0, 0};

    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t before = cycles_now(), width;
        uint16_t pit = pit_count();
        uint32_t other = timer ? timer() : 0;

        width = cycles_between(before, cycles_now());
        if (width < narrowest) {
            narrowest = width;
            best = (struct sample){before + width / 2, other, pit};
        }
    }
    return best;
}

struct calibration calibrate(struct interrupt_line *pit_line, uint32_t (*timer)(void))
{
    struct sample first, last;
    uint64_t counts;

    interrupt_establish(pit_line, IPL_SCHED, handle, NULL, "pit0", &handler);
    interrupts_disable();
    pit_arm(PERIOD);
    first = sample(timer);
    while (!elapsed) {
        cpu_wait(&elapsed);
        interrupts_disable();
    }
    last = sample(timer);
    interrupts_enable();
    counts = (uint16_t)(first.pit - last.pit);
    if (counts < PERIOD / 2 || counts > IMPLAUSIBLE) /* an 8254 that cannot be read back */
        counts = PERIOD;
    return (struct calibration){cycles_between(first.cycles, last.cycles) * PIT_HZ / counts,
                                (uint64_t)(uint32_t)(first.timer - last.timer) * PIT_HZ / counts};
}
