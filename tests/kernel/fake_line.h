/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An interrupt chip of the tests' own: its lines interrupt when a test says so, and what is asked
 * of the chip and of the handlers is written down in one trace, a letter each: a acknowledge, m
 * mask, u unmask; a handler writes its own letter, and a second one (fake_note) where it likes.
 */
#pragma once

#include "kernel/interrupt/interrupt.h"

struct fake_device {
    struct interrupt_handler handler;
    char letter;
    int claims;           /* what the handler answers */
    void (*action)(void); /* called by the handler; NULL: nothing */
};

/* The line of that number (0..3); attached as "selftest" / "line N" by the first call. 0 and 1 are
 * edge, 2 and 3 level. */
struct interrupt_line *fake_line(unsigned number);
/* Adds DEVICE to LINE; device and counter are NAME / "intr". */
int fake_establish(struct interrupt_line *line, int ipl, struct fake_device *device,
                   const char *name);
/* Takes it off again. */
void fake_remove(struct interrupt_line *line, struct fake_device *device);
/* LINE interrupts: what a machine's vector would do. Any context. */
void fake_interrupt(struct interrupt_line *line);

void fake_trace_clear(void);
void fake_note(char letter);
const char *fake_trace(void);
