/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Soft interrupts: work that an interrupt handler leaves for a lower level, as softint(9). Each
 * level is a line of its own, `cpu0` / `softclock` ..., and each established softint a child
 * counter NAME / "soft intr".
 */
#pragma once

#include <stdbool.h>
#include "kernel/interrupt/interrupt.h"

struct softint {
    struct interrupt_handler handler;
    struct softint *next; /* scheduled after this one at its level; interrupts off */
    bool scheduled;
    bool running, again; /* softint.c's lock; again: scheduled by another CPU meanwhile */
    uint8_t runner;      /* where it runs */
    uint8_t level;
    void (*function)(void *);
    void *argument;
};

/* Prepares S to run FUNCTION(ARGUMENT) at LEVEL (IPL_SOFTCLOCK .. IPL_SOFTSERIAL). Thread context.
 */
void softint_establish(struct softint *s, int level, void (*function)(void *), void *argument,
                       const char *name);
/* Runs it soon, on this CPU; once, however often it is called before. It never runs on two CPUs at
 * once: scheduled by another CPU while it runs, it runs again where it is. Any context. */
void softint_schedule(struct softint *s);

void softint_boot(void);
