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
void console_attach(struct console_device *device);

/*
 * Upcall: whoever keeps statistics of the console is told of each write, from its call until the
 * ring has all of it, and of each read that got something. The console's lock is held, and times
 * are those of clock_now().
 */
struct console_meter {
    void (*write_begins)(uint64_t now);
    void (*write_ends)(size_t length, uint64_t begin, uint64_t now);
    void (*has_read)(size_t length, uint64_t now);
};
void console_set_meter(const struct console_meter *meter);

/* Writes LENGTH bytes, with nothing of another writer's between them. Thread context: waits for
 * room. With interrupts off, or in a panic: polled, whatever comes between. */
void console_write(const char *text, size_t length);
/* The same, byte by byte past the ring: for panics and for output before interrupts work. */
void console_write_polled(const char *text, size_t length);
/* Waits until everything written is on the line. Thread context, or a panic. */
void console_drain(void);

/* Waits for input; returns at least one byte and at most SIZE. Thread context. */
size_t console_read(char *buffer, size_t size);
/* The same; or 0, as soon as console_nudge has been called since the last time. */
size_t console_read_or_nudge(char *buffer, size_t size);
/* For who reads and has something else to do. Any context. */
void console_nudge(void);
/* As console_read until clock_now() reaches DEADLINE; 0 if nothing came by then, or where an
 * interruption of the caller is or becomes pending. */
size_t console_read_until(char *buffer, size_t size, uint64_t deadline);

/* An answer of the terminal's, which has to be found among what is typed. */
struct console_answer {
    /* The next byte: whether it ends the answer. It keeps LENGTH, how many bytes of the answer have
     * come, this one included; 0: none. */
    bool (*byte)(struct console_answer *answer, char byte);
    size_t length;
    bool whole; /* it has come */
};
/* Writes the question; waits for ANSWER until clock_now() reaches DEADLINE, or an interruption of
 * the caller is or becomes pending. A whole answer is taken out of the input; all else stays there,
 * in order. Thread context. */
void console_ask(const char *question, size_t length, struct console_answer *answer,
                 uint64_t deadline);

/* Bytes that have come and were not read. Thread context. */
size_t console_input_waiting(void);
/* Upcall: LISTENER is called when input has come, in the receive interrupt, with the console's lock
 * held; once and for all. */
void console_set_listener(void (*listener)(void));

/*
 * ^C and its like. While the console has an owner (it has none at first, so that a line editor
 * reads byte 3 itself) each byte is shown to it at once, in the receive interrupt, with the
 * console's lock held. One that it takes is not queued, and input waiting is dropped. What was not
 * received yet, because all the room was taken, cannot be looked at: a ^C behind it waits like
 * everything else.
 */
struct console_owner {
    bool (*takes)(struct console_owner *owner, char byte);
};
#define CONSOLE_INTERRUPT 3 /* ^C */
/* A byte of that kind that waits in the line typed ahead is for the new owner, who is told before
 * this returns. NULL: nobody, and the one before is told nothing from now on. Returns the one
 * before. */
struct console_owner *console_set_owner(struct console_owner *owner);

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
