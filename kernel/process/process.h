/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes: threads that belong together, have an address space, a parent, children and an end
 * that somebody is told of. Process 0 is the kernel: a thread that was made by thread_create, a
 * command of the shell for example, is one of its threads. It never ends.
 *
 *   process_create -> process_thread_create -> ... process_exit -> process_wait
 *    (no threads)         (alive)                   (ended)          (gone)
 *
 * A process has ended when its last thread has. It keeps its number and its status until its parent
 * waits for it. Children that it leaves behind are process 0's from then on, which is told nothing
 * of their end: they go by themselves.
 *
 * What its threads count (performance counters) is inherited from thread to thread: a new thread
 * counts what its creator does, and what it has counted is its creator's children's when it ends.
 * So is a new process's, whose first thread the parent's thread creates.
 *
 * All costs are flat, whatever number of processes and threads there are; only the end of a process
 * costs something for each child that it leaves behind.
 *
 * Thread context, interrupts on, no spinlock held, unless it says otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include "kernel/lock/spinlock.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/wait.h"
#include "lib/linker_set.h"

#define PROCESS_ID_MAX 32767u

enum process_state {
    PROCESS_ALIVE,
    PROCESS_ENDED, /* all its threads have; its parent has not waited for it yet */
    PROCESS_GONE   /* without a number; somebody holds it still */
};

TAILQ_HEAD(process_list, process);
TAILQ_HEAD(process_threads, thread);
struct aspace;
struct kstat;
struct vm;

/* What a process has done about its memory, over all programs that it has run. */
struct process_faults {
    uint64_t minor, major; /* resolved without, with a device: ru_minflt, ru_majflt */
    uint64_t zeroed;       /* pages that were new and 0 */
    uint64_t copied;       /* pages that were copied at a write */
};

/* Fields without a remark are under the lock of all processes; only kernel/process/ writes them. */
struct process {
    uint32_t id; /* fixed */
    uint8_t state;
    bool adopted; /* its parent has ended */
    bool ending;  /* it takes no new threads; its lock */
    int status;   /* of its end; its lock */
    uint32_t references;
    uint32_t waitable;             /* children that can be waited for: those not adopted */
    uint32_t thread_count;         /* threads that are, or are about to begin; its lock */
    struct process *parent;        /* NULL: process 0 */
    struct process_list children;  /* alive */
    struct process_list ended;     /* those that have ended, in the order of their ends */
    TAILQ_ENTRY(process) sibling;  /* in one of its parent's two lists */
    struct wait_queue waiters;     /* its threads that wait for any child */
    struct wait_queue end_waiters; /* its parent's threads that wait for it */
    struct spinlock lock;
    struct process_threads threads;       /* not process 0's; its lock */
    struct process_threads ended_threads; /* to be joined; its lock */
    struct thread *last_thread;           /* the same, once the process has ended */
    struct aspace *aspace;                /* NULL: the kernel's own; its threads begin in it */
    struct vm *vm;                        /* NULL: none; kernel/vm/ has both of these */
    struct process_faults faults;         /* the lock of its vm */
    struct kstat *kstat;                  /* that shows it, or NULL; its lock; linux/ has it */
    char name[THREAD_NAME_LENGTH];
};

extern struct process process_kernel; /* process 0 */

/* The running thread's. Any context. */
struct process *process_current(void);

/*
 * A child of the running thread's process, without threads: 0, -EAGAIN (all numbers are taken),
 * -ENOMEM. The name is copied, cut if too long. The caller holds *OUT (process_release).
 */
int process_create(const char *name, struct process **out);
/* Instead of process_release: PROCESS, which never had a thread, has never been. */
void process_discard(struct process *process);

/*
 * Starts a thread in PROCESS that runs ENTRY(ARGUMENT) and then process_thread_exit: 0, -ENOMEM,
 * -EINVAL (priority), -ESRCH (it is ending). If PROCESS begins to end first, ENTRY finds that out:
 * process_ending. The first one is started by who has created the process, all others by its own
 * threads.
 */
int process_thread_create(struct process *process, const char *name, unsigned priority,
                          void (*entry)(void *), void *argument);
/* Ends the calling thread, which is not process 0's. The last one's end is the process's, whose
 * status is 0 if nobody has said another. */
_Noreturn void process_thread_exit(void);

/*
 * PROCESS, which is not process 0, is to end with STATUS: its threads are interrupted, and find
 * process_ending true. Who says it first says the status. Any context that may take spinlocks.
 */
void process_end(struct process *process, int status);
/* The same for the caller's own, and its calling thread ends now. */
_Noreturn void process_exit(int status);
/* Whether the caller's process is ending, so that it has to call process_thread_exit. Any context.
 */
bool process_ending(void);

#define PROCESS_ANY           UINT32_MAX
#define PROCESS_NO_HANG       1u
#define PROCESS_UNINTERRUPTED 2u /* an interruption of the caller does not end it */

/*
 * Waits for the end of the child with number ID, or of any: its number, with its *STATUS (unless
 * STATUS is NULL); then it is gone. Of several that have ended the one that ended first. -ECHILD:
 * the caller's process has no such child. -EINTR: interrupted. With PROCESS_NO_HANG 0 if it would
 * have to wait.
 */
int process_wait(uint32_t id, unsigned options, int *status);

/* Nobody waits for the caller's own process, as if its parent had ended. */
void process_disown(struct process *process);

/* The process with that number, held by the caller, or NULL. Ended ones are found as well. */
struct process *process_find(uint32_t id);
/* The same of the lowest number above ID, for who lists them: 0 begins; process 0 is not listed. */
struct process *process_next(uint32_t id);
/* The number that was given out last. Any context. */
uint32_t process_last_id(void);
/* Who holds a process can look at it, even when it is gone. Any context that may take spinlocks. */
void process_hold(struct process *process);
void process_release(struct process *process);
/* The number of its parent as of now; process 0 is its own. */
uint32_t process_parent_id(const struct process *process);

/*
 * Who keeps something in processes: called with each one that ends, in its last thread, which has
 * no process any more then, before anybody is told; and by process_discard. In no order. Thread
 * context, interrupts on.
 */
struct process_end_hook {
    void (*end)(struct process *process);
};
#define PROCESS_END_HOOK(ident, function)                                                          \
    static const struct process_end_hook ident = {function};                                       \
    LINKER_SET_ADD(process_end_hooks, ident)
