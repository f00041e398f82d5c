/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The R10000's registers as on hardware. An overflow interrupts on the timer's pin (User's Manual
 * 14.20), which is then shared with the clock; where that is not so, ticks find it.
 */
#include <arch/interrupt_flag.h>
#include <arch/pmu.h>
#include <machine/cpu.h>
#include <machine/pmu.h>
#include <machine/register.h>
#include "drivers/pmu_r10k.h"
#include "drivers/pmu_rate.h"
#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/interrupt.h"

#define PIN_TRIES 100
#define BURST     100 /* interrupts in a tick, see below */

static struct interrupt_line *(*timer_line)(void (*hold)(bool held));
static struct interrupt_handler handler;
static const struct pmu_class *class;
static const uint32_t *programmed; /* each counter's control register while it runs */

/* --- the registers --- */

static bool interrupts, held;           /* the pin is used; but not at the moment */
static uint32_t enabled[R10K_COUNTERS]; /* what the control registers would be with them */

static void direct_write_control(unsigned n, uint32_t value)
{
    enabled[n] = value;
    r10k_write_control(n, interrupts && !held ? value : value & ~R10K_IE);
}

static void direct_write_controls(void)
{
    for (unsigned n = 0; n < R10K_COUNTERS; n++)
        direct_write_control(n, enabled[n]);
}

static void direct_enable(bool on)
{
    interrupts = on;
    direct_write_controls();
}

/* What overflows meanwhile interrupts when it is over. */
static void direct_hold(bool hold)
{
    if (hold == held)
        return;
    held = hold;
    direct_write_controls();
}

const struct r10k_registers r10k_direct = {"R10000", direct_write_control, r10k_read_counter,
                                           r10k_write_counter};

/* Emulators have the R10000's PRId and registers that only keep what is written; other processors
 * have other events under its numbers. */
bool r10k_direct_advances(void)
{
    uint32_t first, second, stopped;

    r10k_write_control(0, R10K_GRADUATED_0 << R10K_EVENT | PMC_MODE_ALL);
    r10k_write_counter(0, 0);
    first = r10k_read_counter(0);
    second = r10k_read_counter(0);
    r10k_write_control(0, 0);
    stopped = r10k_read_counter(0);
    return second > first && second < R10K_OVERFLOWED && stopped == r10k_read_counter(0);
}

/* --- overflows --- */

/* Whether there were any. pmc_overflow reads the register as it is, and puts it back below the
 * overflow: with that its interrupt goes. */
static bool direct_report(void)
{
    bool any = false;

    for (unsigned n = 0; n < R10K_COUNTERS; n++) {
        struct pmu_overflow overflow = {.class = class, .counter = n, .cpu = cpu_here.id};

        if (!(programmed[n] & R10K_IE))
            continue;
        overflow.value = r10k_read_counter(n);
        if (!(overflow.value & R10K_OVERFLOWED))
            continue;
        if (interrupt_active())
            pmu_interrupted(&overflow.pc, &overflow.user);
        pmc_overflow(&overflow);
        any = true;
    }
    return any;
}

/*
 * The line is a level. Where the handler's own instructions overflow the counter again, what was
 * interrupted gets no further. So after many interrupts at one place in a tick of counters that
 * count the kernel there are none in the next. What passes is seen at its end.
 */
static struct pmu_rate rate;

static bool pmu_r10k_direct_count_kernel(void)
{
    for (unsigned n = 0; n < R10K_COUNTERS; n++)
        if ((enabled[n] & R10K_IE) && (enabled[n] & (PMC_MODE_K | PMC_MODE_EXL)))
            return true;
    return false;
}

static int pmu_r10k_interrupt(void *unused)
{
    static uint64_t place;
    uint64_t pc;
    bool user;

    (void)unused;
    if (!direct_report())
        return 0;
    pmu_interrupted(&pc, &user);
    if (pc != place || !pmu_r10k_direct_count_kernel())
        rate.burst = 0;
    place = pc;
    if (pmu_rate_exceeded(&rate, BURST))
        direct_enable(false);
    return 1;
}

void r10k_direct_poll(void)
{
    direct_report();
    if (handler.function && !interrupts && !pmu_rate_is_quiet(&rate))
        direct_enable(true);
}

/* Whether counter 0 raises the timer's pin when it stands at the overflow, and only then. */
static bool pmu_r10k_direct_raises_timer_pin(void)
{
    bool before, raised, after;

    r10k_write_counter(0, R10K_OVERFLOWED);
    before = CP0_READ32(13) & CAUSE_IP7;
    r10k_write_control(0, R10K_IE | PMC_MODE_ALL);
    raised = CP0_READ32(13) & CAUSE_IP7;
    r10k_write_control(0, 0);
    r10k_write_counter(0, 0);
    after = CP0_READ32(13) & CAUSE_IP7;
    return !before && raised && !after;
}

/* The timer may come between, and stays pending until its interrupt has been served. */
static bool pmu_r10k_direct_pin_is_shared(void)
{
    bool shared = false;

    for (unsigned i = 0; i < PIN_TRIES && !shared; i++) {
        uintptr_t state = interrupts_save();

        shared = pmu_r10k_direct_raises_timer_pin();
        interrupts_restore(state);
    }
    return shared;
}

void pmu_r10k_set_line(struct interrupt_line *(*line)(void (*hold)(bool held)))
{
    timer_line = line;
}

void r10k_direct_attach(const struct pmu_class *its_class, const uint32_t *controls)
{
    class = its_class;
    programmed = controls;
    if (!timer_line || !pmu_r10k_direct_pin_is_shared())
        return;
    interrupts = true;
    interrupt_establish(timer_line(direct_hold), IPL_SCHED, pmu_r10k_interrupt, NULL, "pmu",
                        &handler);
}
