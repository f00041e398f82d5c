/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console: one serial line that people and test harnesses talk to. Output goes through a ring
 * that the driver drains by interrupts; input arrives in a ring that the driver fills. The driver
 * is behind struct console_device.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/kstat.h>

/* What a serial driver offers. put_polled takes no lock; the lock of the console is held around all
 * but flush, unless a panic is on its way. */
struct console_device {
    const char *name;
    void (*start)(struct console_device *); /* output is waiting: begin to drain the ring */
    void (*put_polled)(struct console_device *,
                       char);                /* write one byte now, waiting for room; panic path */
    void (*flush)(struct console_device *);  /* wait until the last byte is on the line */
    void (*resume)(struct console_device *); /* there is room for input again */
};

/* Makes DEVICE the console; output written before is in the log only. */
struct devstat;
/* Its record as a device, to be read with devstat_copy; NULL before devices were asked for. */
const struct devstat *console_stats(void);
/* The same as its kstat has it, up to now: the time of that. Any context. */
uint64_t console_io(kstat_io_t *copy);
void console_attach(struct console_device *device);

/* Writes LENGTH bytes, with nothing of another writer's between them. Thread context: waits for
 * room. With interrupts off, or in a panic: polled, whatever comes between. */
void console_write(const char *text, size_t length);
/* The same, byte by byte past the ring: for panics and for output before interrupts work. */
void console_write_polled(const char *text, size_t length);
/* Waits until everything written is on the line. Thread context, or a panic. */
void console_drain(void);

/* Waits for input; returns at least one byte and at most SIZE. Thread context. */
size_t console_read(char *buffer, size_t size);
/* The same until clock_now() reaches DEADLINE; 0 if nothing came by then, or after ^C. */
size_t console_read_until(char *buffer, size_t size, uint64_t deadline);

/*
 * ^C. While on (the default is off, so that a line editor reads byte 3 itself) a received ^C is not
 * queued: input waiting is dropped, console_interrupted() becomes true and a thread in an
 * interruptible sleep wakes with -EINTR. What was not received yet, because all the room was taken,
 * cannot be looked at: a ^C behind it waits like everything else.
 */
void console_interrupt_enable(bool on);
bool console_interrupted(void);
void console_interrupt_clear(void);
/* The same for one THREAD, as if ^C had been meant for it, once and for all. Any context. */
struct thread;
void console_interrupt_thread(struct thread *thread);
/* Whether the calling thread was interrupted: then it is not any more until it says so again. */
bool console_interrupt_aside(void);
void console_interrupt_again(void);

/* Adds a carriage return before each newline (default on; script mode turns it off). */
void console_newline_mode(bool add_return);

/*
 * Driver side. One lock guards both rings and the chip of the line behind them; the driver's
 * interrupt handlers take it around each of these, and around what they do to the chip. Innermost
 * but for the scheduler's locks.
 */
uintptr_t console_acquire(void);
void console_release(uintptr_t state);
/* False: the driver leaves what comes in its chip, until `resume` is called. */
bool console_input_room(void);
void console_input(char byte);  /* has been received; there is room. A ^C takes effect at once */
void console_input_ready(void); /* wakes who waits for input */
size_t console_output(char *buffer, size_t size); /* takes up to SIZE bytes out of the ring */
