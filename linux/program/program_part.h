/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What goes with programs besides their files and signals (event counters, futexes, timers, undos
 * of semaphores), in rooms that stand on this one: each is told of what happens to programs, in the
 * order of linux/parts.c. A function that is NULL is not called.
 */
#pragma once

struct program;
struct task;

struct program_part {
    /* The running task SELF is about to have CHILD started, of its own program or of a new one;
     * CHILD is not to be found yet, and may never run: then free is next. */
    void (*fork)(struct task *self, struct task *child);
    /* The running task is to go to user mode for the first time. */
    void (*begin)(struct task *task);
    /* It has replaced its program; all others of it have ended. */
    void (*exec)(struct task *task);
    /* On its way to user mode, after an interruption or a signal. */
    void (*deliver)(struct task *task);
    /* It ends. */
    void (*exit)(struct task *task);
    /* Its memory is about to be another one (execve), or it ends: after exit. */
    void (*leave)(struct task *task);
    /* It is in no table any more, or never was. */
    void (*free)(struct task *task);

    /* PROGRAM's last thread, which runs, ends. */
    void (*end)(struct program *program);
    /* The same, a little later, when what it has used is known; with program_lock. */
    void (*settle)(struct program *program);
    /* It leaves the tables; with program_lock. */
    void (*remove)(struct program *program);
    /* It is in no table any more, or never was. */
    void (*discard)(struct program *program);
};

extern const struct program_part timers_part, perf_part, hwperf_part, futex_part, pidfd_part,
    ipc_part;
extern const struct program_part *const program_parts[]; /* and NULL */

/* Tells all parts: PROGRAM_PARTS_TELL(begin, task). */
#define PROGRAM_PARTS_TELL(what, ...)                                                              \
    do {                                                                                           \
        for (const struct program_part *const *part_ = program_parts; *part_; part_++)             \
            if ((*part_)->what)                                                                    \
                (*part_)->what(__VA_ARGS__);                                                       \
    } while (0)
