/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine contract: running a piece of code in user mode, in two blocks of memory. For
 * self-tests; processes will need more. One run at a time on each CPU; all use the same two blocks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum user_mode { USER_MODE_USER, USER_MODE_SUPERVISOR /* MIPS; its own kind of user mode */ };

/* Where the two blocks of memory lie that user_map gives. */
#define USER_CODE 0x400000ul
#define USER_DATA 0x410000ul
#define USER_SIZE 0x10000ul /* of each */

/* The blocks CODE and DATA (kernel addresses of RAM, aligned to USER_SIZE) can be used in user mode
 * from now on, on this CPU, until user_unmap: 0 or -ENOMEM. Thread context. */
int user_map(void *code, void *data);
void user_unmap(void);

struct user_run {
    enum user_mode mode;
    uint64_t pc, sp;   /* where it begins, and with which stack pointer */
    uint64_t argument; /* in a0, rdi */
    /* How it ended. */
    bool called;     /* by `syscall`, `int $0x80`; else by a fault */
    uint64_t result; /* v0, rax */
    uint64_t at;     /* the instruction that left user mode (x86_64: the next one after a call) */
};

/* Runs it until it calls or faults. Interrupts are served meanwhile if they are on; preemption off,
 * or interrupts. */
void user_enter(struct user_run *run);
