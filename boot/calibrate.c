/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 8254 counts at a known rate and interrupts after 10 ms. Until then the CPU sleeps; how long it really was is read
 * from the 8254 at the same moment as the other clocks, so a late wake-up does no harm.
 */
#include "boot/calibrate.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "drivers/pit.h"
#include "kernel/panic.h"

#define PERIOD     11932u /* counts in 10 ms */
#define IMPLAUSIBLE 60000u

static volatile bool elapsed;
static struct interrupt_handler handler;

static int handle(void *unused)
{
    int claimed = !elapsed;

    (void)unused;
    elapsed = true;
    return claimed;
}

struct calibration calibrate(struct interrupt_line *pit_line, uint32_t (*timer)(void))
{
    uint64_t cycles, counts;
    uint32_t timer_counts;
    uint16_t first;

    interrupt_establish(pit_line, IPL_VM, handle, NULL, "pit0", &handler);
    interrupts_disable();
    pit_arm(PERIOD);
    first = pit_count();
    cycles = cycles_now();
    timer_counts = timer ? timer() : 0;
    while (!elapsed) {
        cpu_wait(&elapsed);
        interrupts_disable();
    }
    counts = (uint16_t)(first - pit_count());
    cycles = (cycles_now() - cycles) & CYCLES_MASK_OF(CYCLES_BITS);
    timer_counts = timer ? timer_counts - timer() : 0;
    interrupts_enable();
    if (counts < PERIOD / 2 || counts > IMPLAUSIBLE) /* an 8254 that cannot be read back */
        counts = PERIOD;
    return (struct calibration){cycles * PIT_HZ / counts, (uint64_t)timer_counts * PIT_HZ / counts};
}

void calibrate_end(struct interrupt_line *pit_line)
{
    interrupt_disestablish(pit_line, &handler);
}
