/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals: sets, what is pending, sending and taking; see signal(7). "Lock" is program_lock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include "abi/common.h"

struct program;
struct program_group;
struct task;
struct trap;
struct trap_frame;

struct signal_set {
    uint64_t word[ABI_SIGNAL_WORDS];
};

static inline bool signal_in(const struct signal_set *set, int signal)
{
    return (set->word[(signal - 1) / 64] >> ((signal - 1) % 64) & 1) != 0;
}

static inline void signal_add(struct signal_set *set, int signal)
{
    set->word[(signal - 1) / 64] |= 1ull << (signal - 1) % 64;
}

static inline void signal_remove(struct signal_set *set, int signal)
{
    set->word[(signal - 1) / 64] &= ~(1ull << (signal - 1) % 64);
}

/* A signal that waits, with what is told of it. */
struct signal_item {
    TAILQ_ENTRY(signal_item) link;
    struct abi_siginfo info;
    bool kept; /* belongs to a timer or to thresholds of counters: not to be freed */
    /* Such a one has been taken, with INFO, to which its owner may add; NULL: need not know. Lock.
     */
    void (*taken)(struct signal_item *item, struct abi_siginfo *info);
    struct signal_pending *queued; /* whose list it is in, or NULL */
};

struct signal_pending {
    struct signal_set set;
    uint64_t count; /* of items, but for timers' */
    TAILQ_HEAD(, signal_item) items;
};

struct signal_action {
    uint64_t handler;
    uint64_t flags;
    uint64_t restorer;
    struct signal_set mask;
};

struct signal_actions {
    struct signal_action of[ABI_SIGNALS + 1]; /* by number */
};

void signal_pending_init(struct signal_pending *pending);
/* Forgets all of it, or (with a set) those in SET; lock. */
void signal_pending_flush(struct signal_pending *pending, const struct signal_set *set);

/* With the lock, any context. INFO may be NULL: SI_KERNEL. A real-time signal that cannot be
 * queued is -EAGAIN; all else 0. */
int signal_send_program(struct program *program, int signal, const struct abi_siginfo *info);
int signal_send_task(struct task *task, int signal, const struct abi_siginfo *info);
/* ITEM, which its owner keeps: true if it is queued now, false if it was already (an overrun), or
 * is ignored. TASK NULL: for the program. */
bool signal_send_item(struct program *program, struct task *task, struct signal_item *item);
/* To all of a group, if there is one. */
void signal_send_group(uint32_t group, int signal, const struct abi_siginfo *info);

/* GROUP may be orphaned now, without BUT (or NULL) as one of it: if so, and somebody of it is
 * stopped, all are told and go on. */
void signal_group_left(struct program_group *group, const struct program *but);

/* Fills INFO as kill does. */
void signal_info_from(struct abi_siginfo *info, int signal, int code);

/* Of the running task: a fault of its own, which cannot be blocked or ignored. */
void signal_force(int signal, int code, uint64_t address);

/* Whether something is to be delivered to TASK; lock. */
bool signal_deliverable(const struct task *task);
/* Its mask is SET from now on; the running task's. Takes the lock. */
void signal_set_mask(struct task *task, const struct signal_set *set);
/* Takes the next of SIGNALS out of what is pending for TASK: its number or 0; lock. */
int signal_take(struct task *task, const struct signal_set *signals, struct abi_siginfo *info);

/* On the way to user mode: delivers what there is. RESULT: 0, or the RESTART_ number (positive) of
 * the call that has just ended; the frame is still as it was made. */
void signal_deliver(struct trap_frame *frame, int result);

/* The machine (linux/program/signal_frame_A.c): pushes a frame for HANDLER, or says it cannot
 * (false); takes the one of sigreturn off again (false: it is damaged). */
bool signal_frame_push(struct trap_frame *frame, struct task *task, int signal,
                       const struct signal_action *action, const struct abi_siginfo *info,
                       const struct signal_set *mask);
bool signal_frame_pop(struct trap_frame *frame, struct task *task);
/* The stack pointer of a frame. */
uint64_t signal_frame_stack(const struct trap_frame *frame);
/* What the exception means: its signal, code and address. */
int signal_of_trap(const struct trap *trap, int *code, uint64_t *address);
/* The machine's: where on the stack (alternate or not) a frame of SIZE bytes may begin. */
uint64_t signal_frame_place(struct task *task, const struct signal_action *action, uint64_t sp);
void signal_frame_stack_out(const struct task *task, uint64_t sp, struct abi_stack *out);
