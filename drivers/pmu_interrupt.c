/* SPDX-License-Identifier: BSD-2-Clause */
/* The serial port behind overflow interrupts (PC16550D data sheet, section 8). */
#include "drivers/pmu_interrupt.h"
#include <arch/io.h>
#include "kernel/clock.h"
#include "kernel/cross_call.h"
#include "kernel/interrupt.h"
#include "kernel/pmu_slot.h"
#include "kernel/spinlock.h"
#include "kernel/timer.h"

#define RBR            0
#define IER            1
#define FCR            2
#define LCR            3
#define MCR            4
#define LSR            5
#define IER_RX         0x01
#define FCR_CLEAR      0x07 /* on, both cleared, an interrupt for each byte */
#define LCR_8N1        0x03
#define MCR_INTERRUPTS 0x0b
#define LSR_DATA       0x01

static const struct pmu_port *port;
static void (*poll_here)(void);
static struct interrupt_handler handler;
/* Of all below: the line may be given to another CPU while this one serves it. */
static struct spinlock lock = SPINLOCK_INITIALIZER("pmu port");

static uint8_t get(unsigned reg)
{
    return port->registers ? port->registers[reg * port->step]
                           : io_read8((uint16_t)(port->port + reg));
}

static void set(unsigned reg, uint8_t value)
{
    if (port->registers)
        port->registers[reg * port->step] = value;
    else
        io_write8((uint16_t)(port->port + reg), value);
}

static void poll_there(void *unused)
{
    (void)unused;
    poll_here();
}

/* The line interrupts one CPU, for all of them. */
static void poll_others(void)
{
    static struct cross_call calls[CPU_MAX];

    for (unsigned cpu = 0; CPU_MAX > 1 && cpu < CPU_MAX && cpu < cpu_count(); cpu++) {
        if (cpu == cpu_here.id || !pmu_slot_waits(cpu))
            continue;
        if (calls[cpu].function && !calls[cpu].done)
            continue;
        calls[cpu] = (struct cross_call){.function = poll_there, .done = true};
        cross_call_start(cpu, &calls[cpu]);
    }
}

/*
 * With a short period the handler alone may make the next overflow, and nothing else would ever
 * run. After so many interrupts the port is silent for a tick: the ring keeps what comes meanwhile.
 */
#define BURST 50

static struct timer silence;
static uint64_t burst_end; /* of clock_now() */
static unsigned burst;

static void silence_over(struct timer *timer)
{
    (void)timer;
    set(IER, IER_RX); /* a byte that waits interrupts at once */
}

static void limit_rate(void)
{
    uint64_t now = clock_now();

    if (now >= burst_end) {
        burst_end = now + CLOCK_TICK_NS;
        burst = 0;
    }
    if (++burst == BURST) {
        set(IER, 0);
        timer_set(&silence, now + CLOCK_TICK_NS, silence_over);
    }
}

/* The bytes go first: one that comes later belongs to a record that poll may or may not see. */
static int handle(void *unused)
{
    bool any = false;
    uintptr_t state;

    (void)unused;
    while (get(LSR) & LSR_DATA) {
        get(RBR);
        any = true;
    }
    poll_here();
    state = spinlock_acquire(&lock);
    poll_others();
    limit_rate();
    spinlock_release(&lock, state);
    return any;
}

void pmu_interrupt_set_port(const struct pmu_port *new_port)
{
    port = new_port;
}

void pmu_interrupt_attach(void (*poll)(void))
{
    if (!port || !pmu_slot_interrupts())
        return;
    poll_here = poll;
    set(LCR, LCR_8N1);
    set(FCR, FCR_CLEAR);
    set(MCR, MCR_INTERRUPTS);
    interrupt_establish(port->line(), IPL_SCHED, handle, NULL, "pmu", &handler);
    set(IER, IER_RX);
}
