/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 8254 counts at a known rate and interrupts after 10 ms. Until then the CPU sleeps; how long
 * it really was is read from the 8254 at the same moment as the other clocks, so a late wake-up
 * does no harm, unless it is so late that the 16-bit count has gone round. Therefore two
 * measurements in a row must agree.
 *
 * Afterwards the 8254 is left running, its line masked. QEMU needs that on Malta: under -icount
 * with sleep=off it loses itself in the CP0 timer's callback when no other timer of the machine is
 * set.
 */
#include "boot/calibrate.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "drivers/pit.h"
#include "kernel/base/panic.h"
#include "lib/section.h"

#define PERIOD      11932u /* counts in 10 ms */
#define READINGS    4
#define ROUNDS      10
#define AGREE       500  /* two measurements agree within 1/500 */
#define STILL       1000 /* readings of a count that never moves: microseconds at least */
#define ROUNDS_LATE 20   /* of the 16-bit count, a second in all, until an interrupt is given up */

struct sample {
    uint64_t cycles;
    uint32_t timer;
    uint16_t pit;
};

static volatile bool armed, elapsed;
static SHARED_BSS struct interrupt_handler handler;

static int calibrate_handle(void *unused)
{
    int claimed = armed;

    (void)unused;
    armed = false;
    elapsed = true;
    return claimed;
}

/* All three clocks at one moment, as nearly as can be: the reading between the closest two of the
 * cycle counter. */
static struct sample calibrate_sample(const struct pit_clocks *clocks)
{
    uint64_t narrowest = UINT64_MAX;
    struct sample best = {0, 0, 0};

    for (unsigned i = 0; i < READINGS; i++) {
        uint64_t before = cycles_now(), width;
        uint16_t pit = clocks->readable ? pit_count() : 0;
        uint32_t other = clocks->timer ? clocks->timer() : 0;

        width = cycles_between(before, cycles_now());
        if (width < narrowest) {
            narrowest = width;
            best = (struct sample){before + width / 2, other, pit};
        }
    }
    return best;
}

/* Sleeps through one period; FIRST and LAST are the clocks around it. Interrupts are off before and
 * after. */
static void calibrate_period(const struct pit_clocks *clocks, struct sample *first,
                             struct sample *last)
{
    elapsed = false;
    armed = true;
    pit_arm(PERIOD);
    *first = calibrate_sample(clocks);
    while (!elapsed) {
        cpu_wait(&elapsed);
        interrupts_disable();
    }
    *last = calibrate_sample(clocks);
}

/* Whether the count moves at all. */
static bool calibrate_moves(void)
{
    uint16_t first = pit_count();

    for (unsigned i = 0; i < STILL; i++)
        if (pit_count() != first)
            return true;
    return false;
}

/* Awake through one period: whoever slept for an interrupt that never comes would sleep for ever.
 */
static void calibrate_try_line(void)
{
    uint16_t before = PERIOD, count;
    unsigned rounds = 0;

    elapsed = false;
    armed = true;
    pit_arm(PERIOD);
    if (!calibrate_moves())
        panic("boot: the 8254 does not count");
    interrupts_enable();
    while (!elapsed) {
        count = pit_count();
        rounds += count > before;
        before = count;
        if (rounds > ROUNDS_LATE)
            panic("boot: the 8254's interrupt does not come, and ACPI does not say where it is "
                  "wired");
    }
    interrupts_disable();
}

static struct calibration calibrate_measure(const struct pit_clocks *clocks)
{
    struct sample first, last;
    uint64_t counts = PERIOD;

    calibrate_period(clocks, &first, &last);
    if (clocks->readable)
        counts = (uint16_t)(first.pit - last.pit);
    if (counts == 0)
        counts = 1;
    return (struct calibration){cycles_between(first.cycles, last.cycles) * PIT_HZ / counts,
                                (uint64_t)(uint32_t)(first.timer - last.timer) * PIT_HZ / counts};
}

static bool calibrate_agree(uint64_t a, uint64_t b)
{
    return (a > b ? a - b : b - a) <= a / AGREE;
}

struct calibration calibrate(struct interrupt_line *pit_line, const struct pit_clocks *clocks)
{
    struct calibration now, before = {0, 0};

    interrupt_establish(pit_line, IPL_SCHED, calibrate_handle, NULL, "pit0", &handler);
    interrupts_disable();
    if (clocks->unsure)
        calibrate_try_line();
    calibrate_sample(
        clocks); /* brings the code into the caches: the first reading is the slowest */
    for (unsigned round = 0; round < ROUNDS; round++) {
        now = calibrate_measure(clocks);
        if (calibrate_agree(now.cycles_hz, before.cycles_hz) &&
            calibrate_agree(now.timer_hz, before.timer_hz))
            break;
        before = now;
    }
    pit_line->chip->mask(pit_line); /* a handler that comes later unmasks it */
    pit_free_run();
    interrupts_enable();
    return now;
}
