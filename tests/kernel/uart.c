/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A test of what the serial driver counts of bytes that are lost in the chip: in loopback (PC16550D
 * data sheet, 8.7) the chip receives what it sends, and more of that than its FIFO holds is an
 * overrun. The console's line is used, under its lock, when it has nothing left to send.
 */
#include <arch/io.h>
#include <sys/evcnt.h>
#include "kernel/time/clock.h"
#include "kernel/console/console.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"

#define PORT      0x3f8 /* on both boards */
#define DATA      0
#define MCR       4
#define LSR       5
#define MSR       6
#define LOOPBACK  0x10
#define DTR_RTS   0x03
#define DSR_CTS   0x30 /* where loopback leads them */
#define ALL_EMPTY 0x40
#define HAS_DATA  0x01
#define FIFO      16
#define ATTEMPTS  20

static uint8_t get(unsigned reg)
{
    return io_read8((uint16_t)(PORT + reg));
}

static void set(unsigned reg, uint8_t value)
{
    io_write8((uint16_t)(PORT + reg), value);
}

/* Sends COUNT bytes to itself and takes out what the FIFO has; false if the chip cannot, or is
 * busy. LSR is left as it is then: the driver reads it at the interrupt that it brings. */
static bool loop(unsigned count)
{
    uintptr_t state = console_acquire();
    uint8_t modem = get(MCR);
    bool able = (get(LSR) & (ALL_EMPTY | HAS_DATA)) == ALL_EMPTY;

    if (able) {
        set(MCR, LOOPBACK | DTR_RTS);
        able = (get(MSR) & (DSR_CTS | 0xc0)) == DSR_CTS;
        for (unsigned i = 0; i < count && able; i++)
            set(DATA, 0);
        for (unsigned i = 0; i < FIFO && able; i++)
            get(DATA);
        set(MCR, modem);
    }
    console_release(state);
    return able;
}

static int uart_check(unsigned bytes, uint64_t lost)
{
    const struct evcnt *dropped = evcnt_lookup("com0", "rx dropped"),
                       *errors = evcnt_lookup("com0", "rx errors");
    uint64_t old_dropped = evcnt_value(dropped), old_errors = evcnt_value(errors);
    unsigned attempt = 0;

    while (!loop(bytes))
        if (++attempt == ATTEMPTS)
            return selftest_skip("the serial port has no loopback");
        else
            thread_sleep(20000000); /* what it has to send */
    thread_sleep(20000000);
    SELFTEST_EQUAL(evcnt_value(dropped) - old_dropped, lost);
    SELFTEST_EQUAL(evcnt_value(errors) - old_errors, lost);
    return 0;
}

SELFTEST(uart_overrun, "uart-overrun",
         "bytes that come when the chip is full are counted as dropped, once for each time")
{
    int result = uart_check(FIFO, 0);

    if (result == 0)
        result = uart_check(FIFO + 4, 1);
    return result == 0 ? uart_check(FIFO + 1, 1) : result;
}
