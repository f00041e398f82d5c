/* SPDX-License-Identifier: BSD-2-Clause */
/* The board is told to end. */
#include "kernel/console/shutdown.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/base/machine.h"
#include "kernel/console/console.h"
#include "kernel/console/script.h"
#include "kernel/time/clock.h"

#define PATIENCE_NS    500000000ull
#define PATIENCE_POLLS 20000000ull /* where the clock does not run yet */

/* A board that was told to end may take a moment. */
static void shutdown_wait_for_end(void)
{
    uint64_t until = clock_now() + PATIENCE_NS;

    for (uint64_t polls = 0; polls < PATIENCE_POLLS && clock_now() < until; polls++)
        ;
}

static _Noreturn void shutdown_stop(const char *text, size_t length)
{
    console_write_polled(text, length);
    cpu_stop();
}

_Noreturn void machine_poweroff(void)
{
    static const char text[] = "The machine cannot switch itself off; it has stopped.\n";

    console_drain();
    interrupts_disable();
    machine.poweroff();
    shutdown_wait_for_end();
    shutdown_stop(text, script_get() ? 0 : sizeof text - 1);
}

_Noreturn void machine_reboot(void)
{
    static const char text[] = "The machine cannot restart itself; it has stopped.\n";

    if (script_get()) { /* the run is over: a board that started again would run the script again */
        script_reboot();
        machine_poweroff();
    }
    console_drain();
    interrupts_disable();
    machine.reboot();
    shutdown_wait_for_end();
    shutdown_stop(text, script_get() ? 0 : sizeof text - 1);
}
