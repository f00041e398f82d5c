/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of linux/ share about programs. */
#pragma once

#include "linux/program/call.h"
#include "linux/program/program.h"

/* Files and directories are given back. */
void program_close(struct program *program);
/* With the lock: out of all tables; tasks too. */
void program_remove(struct program *program);
/* The running thread is TASK's from now on; with the lock. */
void task_set_thread(struct task *task);
void task_remove(struct task *task);
/* execve makes the caller the first thread. */
void task_rename(struct task *task, uint32_t id);
/* Whether wait's WHO, of SELF, means CHILD; with the lock. */
bool program_wait_means(const struct program *self, const struct program *child, int64_t who,
                        unsigned options);
/* Tells PROGRAM's parent, with the lock: STATUS as wait tells it. */
void program_tell_parent(struct program *program, int status);
/* Adds what THREAD, a task's, has used; sets the faults of PROGRAM's process; adds all of FROM. */
void program_usage_of_task(const struct task *task, struct program_usage *usage);
void program_usage_settle(struct task *task);
void program_usage_faults(const struct program *program, struct program_usage *out);
void program_usage_sum(struct program_usage *to, const struct program_usage *from);
/* With the lock: what PROGRAM, which has ended, has used is for its account, if it has one. */
void program_settle(struct program *program);
/* A program that has ended and is out of all tables. */
void program_free(struct program *program);

/* struct trap_owner's. */
bool task_fault(const struct trap *trap);
bool task_exception(const struct trap *trap);
void task_interrupted(struct trap_frame *frame);

/* The thread of a new task: goes to user mode with FRAME, in memory of its own (kmem). */
struct task_start {
    struct task *task;
    struct trap_frame *frame;
    struct user_state *state;
    uint64_t child_tid; /* CLONE_CHILD_SETTID: where its number goes; 0 */
};
void task_begin(void *start);

bool signal_default_stops(int signal);
bool signal_default_ignores(int signal);

/* A call that waits with another mask: before it, and around its result. What comes back is the
 * call's own result; with -EINTR the mask comes back once handlers have run. */
void signal_mask_for_call(struct task *task, const struct signal_set *set);
long signal_mask_after_call(struct task *task, long result);
/* The deadline of a wait of NS; 0: it only looks. */
uint64_t poll_deadline(uint64_t ns);
/* A mask for as long as a call lasts, at USER (NULL: none); *MASKED: there is one. */
int poll_mask_begin(const void *user, uint64_t size, bool *masked);
/* Until one of SET is pending for the running task: its number, -EAGAIN (the time is over), -EINTR.
 */
/* Nobody who could continue its group is in its session. Lock. */
bool signal_group_is_orphaned(const struct program *program);
int signal_wait(struct task *task, const struct signal_set *set, uint64_t deadline,
                struct abi_siginfo *info);

/* ITEM, which is queued: not any more. Lock. */
void signal_item_withdraw(struct signal_item *item);
