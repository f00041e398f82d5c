/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linux programs: what a process (kernel/process) and its threads are besides, when they run one.
 * A struct program goes with the process, a struct task with each of its threads.
 *
 * One lock, program_lock, is for the tree, groups, sessions, tasks and all that signals are about;
 * it is taken in timers' callbacks too. It comes before the locks of processes and of wait queues.
 * Who runs in a task owns what says so; others look at it under the lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include "abi/common.h"
#include "fs/file/credentials.h"
#include "fs/file/poll.h"
#include "kernel/interrupt/trap.h"
#include "kernel/lock/spinlock.h"
#include "kernel/thread/thread_time.h"
#include "kernel/thread/wait.h"
#include "kernel/time/clock.h"
#include "kernel/time/timer.h"
#include "lib/hash_table.h"
#include "linux/program/signal.h"

struct file;
struct file_table;
struct hwperf_block;
struct hwperf_member;
struct launch_account;
struct perf_event;
struct pidfd_target;
struct semaphore_undo;
struct path_base;
struct path_walk;
struct process;
struct program;
struct thread;
struct vm;
struct vnode;

#define PROGRAM_GROUPS_MAX 32u /* supplementary */

/* Between the kernel and the call's wrapper: the call may be made again, once it is known whether a
 * handler runs. Numbers that no program sees. */
#define RESTART_CALL      512 /* if no handler runs, or SA_RESTART says so */
#define RESTART_ALWAYS    513 /* whatever runs */
#define RESTART_UNHANDLED 514 /* if no handler runs */
#define RESTART_REMAINDER 516 /* the same, through restart_syscall */
#define CALL_KEEP         517 /* nothing is to be restarted: the frame is as it is to be */
#define CALL_FRAME        518 /* it is to be made with a whole frame, see calls.def */

/* What a thread has done, or several together. The thread's own; others read each word whole. */
struct task_counts {
    uint64_t calls; /* system calls */
    uint64_t reads, writes, read_bytes, written_bytes;
    uint64_t signals; /* that ran a handler, or stopped or ended the program */
};

struct task {
    struct trap_owner owner; /* first: thread->owner leads here */
    struct task_counts counts;
    struct program *program;
    struct thread *thread;
    uint32_t id;       /* the first one's is the process's */
    uint32_t affinity; /* asked for before its thread began; 0: its creator's */
    TAILQ_ENTRY(task) in_program;
    struct hash_link by_id;
    struct signal_set blocked, saved_mask;
    bool restore_mask; /* saved_mask is to come back after the call (sigsuspend and its like) */
    struct signal_pending pending;
    struct signal_set awaited; /* by sigtimedwait: they wake it though they are blocked */
    struct abi_stack alternate;
    uint64_t clear_tid, robust_list;
    struct program_vfork *vfork;            /* whom its exec or end wakes */
    TAILQ_HEAD(, perf_event) perf;          /* that count it; linux/perf/perf_private.h */
    TAILQ_HEAD(, perf_event) perf_sampling; /* of them on counters; perf_sampling_lock */
    bool perf_ended;                        /* no more of them */
    bool ends;                              /* linux/hwperf/hwperf_life.c; set once */
    bool aligned;                           /* MIPS: what is not aligned is SIGBUS; sysmips */
    struct hwperf_member *hwperf;           /* its lock; NULL: it does not count */
    /* RESTART_REMAINDER's: goes on with what is left. */
    long (*remainder)(struct task *task);
    uint64_t remainder_until, remainder_to, remainder_args[3];
};

TAILQ_HEAD(task_list, task);
TAILQ_HEAD(program_list, program);

/* A process group. */
struct program_group {
    struct hash_link by_id;
    uint32_t id, session;
    struct program_list members;
};

/* A thread that sleeps until a child that WHO means ends. */
struct program_waiter {
    SLIST_ENTRY(program_waiter) link;
    int64_t who;
    unsigned options;
};

enum program_state { PROGRAM_ALIVE, PROGRAM_ENDED };

/* What getrusage tells, and more. */
struct program_usage {
    struct thread_time time; /* cycles */
    uint64_t voluntary, involuntary, minor, major, most_resident;
    uint64_t zeroed, copied; /* see struct process_faults; of the program alone */
    struct task_counts counts;
};

static inline uint64_t program_user_ns(const struct program_usage *usage)
{
    return clock_cycles_to_ns(usage->time.user);
}

static inline uint64_t program_system_ns(const struct program_usage *usage)
{
    return clock_cycles_to_ns(usage->time.all - usage->time.user);
}

#define PROGRAM_TIMER_SLACK 50000u /* ns: prctl(2) */

struct program {
    uint32_t id;
    uint8_t state;
    bool has_executed;     /* setpgid by the parent is too late */
    struct task *replacer; /* in execve, waits for the other threads to end */
    struct process *process;
    struct program *parent;         /* NULL: the kernel */
    struct launch_account *account; /* of who has started it in the kernel, or NULL */
    LIST_ENTRY(program) of_account;
    struct program_list children, ended;
    TAILQ_ENTRY(program) sibling, in_group, in_all;
    struct hash_link by_id;
    struct program_group *group;
    uint32_t wait_group;                /* the group's number, also after its end */
    uint32_t session;                   /* the same of its session */
    bool left_tty;                      /* has no terminal, whatever its session has */
    uint32_t exit_signal;               /* to the parent at its end */
    int status;                         /* as wait tells it */
    struct wait_queue waiters;          /* its threads that wait for children */
    SLIST_HEAD(, program_waiter) waits; /* what they wait for */
    struct hwperf_block
        *hwperf; /* event counters; NULL: it has none. The lock, and linux/hwperf's */
    struct signal_item *hwperf_item; /* the signal of thresholds; NULL: none was asked for */
    int hwperf_signal;               /* its number from now on; it may be pending as another */
    bool hwperf_saved;               /* at its end its counts are its parent's */
    struct task_list tasks;
    uint32_t task_count;
    struct wait_queue task_waiters; /* execve, for the ends of other threads */

    struct signal_actions *actions; /* its own */
    struct signal_pending pending;
    struct poll_source signal_source;  /* woken by what becomes pending; fs/file/poll.h */
    LIST_HEAD(, semaphore_undo) undos; /* linux/ipc/ipc_semaphore.c */
    struct pidfd_target *pidfd;        /* told of its end, or NULL: linux/file/pidfd.c */
    uint8_t stopped;                   /* the signal that has stopped it, 0: runs */
    bool stop_report, continue_report;
    struct wait_queue stop_waiters;

    struct file_table *files;
    struct path_base *base;
    uint32_t uid, euid, suid, fsuid, gid, egid, sgid, fsgid;
    unsigned group_count;
    uint32_t groups[PROGRAM_GROUPS_MAX];
    struct abi_rlimit limits[RLIMITS];
    struct program_timers *timers;
    struct program_usage dead,
        children_usage; /* of threads that have ended; of children waited for */
    uint64_t started_ns;
    uint32_t dumpable, personality;
    uint32_t death_signal; /* to it when its parent ends; 0 */
    int32_t nice;          /* kept, and told; the scheduler does not heed it */
    int32_t policy;        /* the same: SCHED_* */
    uint32_t priority;     /* the same: of SCHED_FIFO and SCHED_RR */
    uint32_t keep_capabilities;
    uint64_t timer_slack; /* ns; kept, and told */
    bool barriers;        /* membarrier's private ones are registered */
    bool no_new_privileges;
    struct vnode *executable; /* which nobody may write to meanwhile, or NULL; a reference */
    char *path;               /* what it executes; kmem */
    uintptr_t arguments, arguments_end, environment_end; /* in its memory; for /proc */
    uintptr_t auxiliary, auxiliary_end;                  /* the same */
    uintptr_t trampoline; /* MIPS: where a signal's handler returns to */
};

extern struct spinlock program_lock;
extern struct program_list program_all; /* under the lock */

/* The running thread's task; only of a program. */
static inline struct task *task_current(void);
/* The same or NULL. */
struct task *task_current_or_null(void);

/* With the lock: */
struct program *program_find(uint32_t id);
size_t program_count(void);
struct task *task_find(uint32_t id);
struct program_group *program_group_find(uint32_t id);
/* PROGRAM joins group ID of SESSION, which is made if there is none: 0, -ENOMEM. Leaves its own. */
int program_join_group(struct program *program, uint32_t id, uint32_t session);
void program_leave_group(struct program *program);

/* VNODE, or (NULL) nothing, is what PROGRAM executes from now on; its vnode_run_begin has been. */
void program_set_executable(struct program *program, struct vnode *vnode);

/* A program that is nobody's yet, of the limits, files and so on of PARENT, or (NULL) of the
 * kernel's: NULL, out of memory. SHARE_FILES, SHARE_BASE: CLONE_FILES, CLONE_FS. */
struct program *program_create(struct program *parent, bool share_files, bool share_base);
/* It never ran. */
void program_discard(struct program *program);
/* Takes its place in the tree, as the child of PARENT, with the process's number: 0, -ENOMEM. */
int program_enter(struct program *program, struct process *process, struct program *parent);
/* A task of PROGRAM, not in its list yet; NULL: no memory. */
struct task *task_create(struct program *program);
void task_free(struct task *task);
/* Puts it on the list; from now on it is found. */
void task_enter(struct task *task, uint32_t id);

/* The calling thread ends. */
_Noreturn void task_exit(void);
/* All threads do; STATUS is what wait is to tell. Who says it first says it. */
_Noreturn void program_exit(int status);
/* The same of any program, with the lock, any context: SIGKILL. */
void program_end(struct program *program, int status);
static inline int program_status_exit(int code)
{
    return (code & 255) << 8;
}
/* Waits for a vforked child's exec or end. */
struct program_vfork {
    bool done;
    struct wait_queue waiters;
};
void task_vfork_done(struct task *task);
/* Whether other threads of it are to end for an execve, or all of them. */
bool task_is_ending(const struct task *task);

/* Children: what wait found, *USAGE and *INFO may be NULL. OPTIONS: W*; WHO: a process (> 0), -1,
 * a group (< -1), 0: the own group. The number, 0 (WNOHANG), -ECHILD, -RESTART_CALL. */
long program_wait(struct program *self, int64_t who, unsigned options, int *status,
                  struct abi_siginfo *info, struct program_usage *usage);
/* For the shell: the end of a program that the kernel has started. */
int program_wait_kernel(uint32_t id, int *status);
/* What all programs have used that are gone. */
extern struct thread_time program_gone;
/* Its times and counts as of now, but for those of its memory; with the lock. */
void program_usage(struct program *program, struct program_usage *out);

/* Permissions of a program on files. */
void program_credentials(const struct program *program, struct credentials *out);
/* Whether FROM may send TO a signal; with the lock. */
bool program_may_signal(const struct program *from, const struct program *to, int signal);

static inline bool program_is_root(const struct program *program)
{
    return program->euid == 0;
}

#include "kernel/cpu/cpu.h"
#include "kernel/thread/thread.h"
/* What thread_current returns, without the call: each system call asks. */
static inline struct task *task_current(void)
{
    return (struct task *)(uintptr_t)cpu_here.current->owner;
}
