/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a piece of code in user mode until it calls or faults, in a thread that goes on then. */
#pragma once

#include <arch/user.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel/interrupt/trap.h"

struct user_run {
    enum user_mode mode;
    uint64_t pc, sp;   /* where it begins, and with which stack pointer */
    uint64_t argument; /* in a0, rdi */
    /* What decides first: true if the program goes on. May be NULL. */
    bool (*call)(struct user_run *run, struct trap_frame *frame);
    long (*quick)(struct user_run *run); /* in place of call: with no whole frame; its result */
    bool (*fault)(struct user_run *run, const struct trap *trap); /* as the address space */
    bool (*exception)(struct user_run *run, const struct trap *trap);
    bool (*interrupted)(struct user_run *run, struct trap_frame *frame);
    struct trap_frame *begin; /* all registers to begin with, in place of the above; or NULL */
    void *more;               /* the test's */
    /* How it ended. */
    bool called;     /* by `syscall`, `int $0x80`; else by a fault */
    uint64_t result; /* v0, rax */
};

/* Runs it. 0, or -ENOMEM. Interrupts are as they were; the thread may be moved to another CPU
 * meanwhile, unless preemption or interrupts are off. */
int user_enter(struct user_run *run);
