/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads: preemptive, 32 priorities (31 is the most urgent), round robin within one priority at
 * each tick. Everything here is thread context unless it says otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/lwp.h>
#include <sys/queue.h>
#include "kernel/thread/thread_time.h"
#include "kernel/thread/wait.h"
#include "kernel/time/timer.h"

#define THREAD_NAME_LENGTH     24 /* with NUL */
#define THREAD_PRIORITIES      32
#define THREAD_PRIORITY_IDLE   0
#define THREAD_PRIORITY_NORMAL 16
#define THREAD_PRIORITY_HIGH   24
#define THREAD_STACK_SIZE      16384u

enum thread_state {
    THREAD_READY /* or running, where it is its CPU's current thread */,
    THREAD_SLEEPING,
    THREAD_DEAD
};

struct process;
struct trap_owner;
struct trap_jump;
struct user_state;
struct thread_job;
struct kmutex;
struct aspace;
struct shell_output;

struct thread {
    void *stack_pointer;      /* saved by arch context switch; assembly knows it is first */
    volatile uint64_t on_cpu; /* not 0: its registers are in a CPU; assembly clears it, 8
                                      bytes in. Not kept where CPU_MAX is 1 */
    uint64_t cycles;          /* CPU time, see cpu_time.h; negative while it runs */
    uint64_t user_cycles;     /* the part of it outside the kernel; negative while it is there */
    struct thread_time
        told; /* the most that readers have been told of both; thread_time.c's lock */
    struct thread_time
        settled;               /* of_program: what had been counted when it told of its end, or 0 */
    uint64_t switches;         /* times it lost the CPU; its CPU writes */
    uint64_t involuntary;      /* those it did not ask for */
    uint64_t migrations;       /* times it continued on another CPU; run queue's lock */
    uint64_t unaligned;        /* accesses of its program that the CPU refused for that; its own */
    uint64_t emulated;         /* instructions that the kernel did for its program; its own */
    struct thread *next_ready; /* run queue */
    struct aspace *aspace;     /* NULL: it uses no user addresses; its own */
    uint32_t affinity;         /* cpu_set_t: where it may run; its CPU's run queue lock */
    uint32_t cpu;              /* where it runs, ran last, or is queued */
    uint8_t priority;
    uint8_t state;                 /* enum thread_state */
    bool interruptible;            /* its sleep is; wait lock */
    bool woken;                    /* its sleep was ended by a wake-up; wait lock */
    volatile uint32_t interrupted; /* an interruption is pending: 1, see thread_interrupt */
    bool joinable;
    bool of_program; /* a program has it among its own, with all its time; linux/ says so */
    bool returning;  /* it lost the CPU at the end of an interrupt, which is still to return */
    TAILQ_ENTRY(thread) queue;  /* wait queue; interrupts off */
    TAILQ_ENTRY(thread) all;    /* every thread, or those that have ended; thread lock */
    struct wait_queue *waiting; /* where it sleeps */
    struct timer sleep_timer;
    struct lwp lwp; /* its performance counters, see <sys/pmc.h> */
    uint32_t id;
    struct thread *parent; /* that created it, or that one's if it has ended before; NULL: an idle
                              thread; thread lock */
    LIST_HEAD(, thread) children;   /* whose parent it is; thread lock */
    LIST_ENTRY(thread) sibling;     /* thread lock */
    struct wait_queue joiners;      /* its joiner waits here; thread lock */
    struct process *process;        /* NULL: the kernel's; kernel/process/ has both of these */
    TAILQ_ENTRY(thread) in_process; /* one of its lists, under its lock */
    const struct trap_owner *owner; /* who answers for it in user mode, see trap.h */
    struct user_state *user;        /* its registers there, see user.h */
    uint32_t user_cpu;              /* that may still have them */
    struct trap_jump *recovery;     /* trap_try in progress */
    int error_number;               /* of its last call of a classic library that failed; its own */
    struct shell_output *output;    /* where its text goes, see shell/output.h; its own */
    char name[THREAD_NAME_LENGTH];
    char *stack;
    size_t stack_size;
    void (*entry)(void *);
    void *argument;
#ifdef QUIPU_CHECKED
    struct kmutex *mutexes; /* that it owns, see mutex_check.h */
#endif
};

/* Whose performance counters L has. */
static inline struct thread *thread_of_lwp(const struct lwp *l)
{
    return (struct thread *)((uintptr_t)l - offsetof(struct thread, lwp));
}

/* Starts a thread that runs ENTRY(ARGUMENT). 0, -ENOMEM, -EINVAL (priority). The name is copied,
 * cut if too long. */
int thread_create(const char *name, unsigned priority, void (*entry)(void *), void *argument,
                  struct thread **out);
_Noreturn void thread_exit(void);
/* Lets others of the same priority run first. */
void thread_yield(void);
/* Sleeps at least NS nanoseconds: 0, or -EINTR where an interruption is or becomes pending. */
int thread_sleep(uint64_t ns);
/* Waits for the end of THREAD, once; then it no longer exists. Only for threads created with an out
 * pointer. */
void thread_join(struct thread *thread);
/* The caller was created with an out pointer, but nobody will join it. */
void thread_detach(void);
struct thread *thread_current(void);
/* The caller uses ASPACE's user addresses from now on, wherever it runs; NULL: none (a CPU may keep
 * the old one active, until it needs another). Returns what it used before. Thread context. */
struct aspace *thread_set_aspace(struct aspace *aspace);
/* THREAD (or its caller) runs only on the CPUs in SET from now on; a caller is on one of them when
 * this returns. 0, or -EINVAL if none of them runs. New threads take over their creator's set.
 * Thread context, interrupts on. */
int thread_set_affinity(struct thread *thread, uint32_t set);
/* The same of another THREAD, which does not end meanwhile, without waiting for it: one that runs
 * elsewhere moves when it next gives up its CPU. Any context that may take spinlocks. */
int thread_ask_affinity(struct thread *thread, uint32_t set);
uint32_t thread_affinity(const struct thread *thread);
/* Whether the running thread's stack holds an interrupt that has not returned yet. Interrupts off.
 */
bool thread_in_interrupt(void);
/* The CPU the caller runs on at this moment; it may be another at the next. */
unsigned thread_cpu(void);
/* Whether THREAD is on no CPU; *SWITCHES: if that is so twice, with one number, it was so between.
 * Any context; THREAD stays. Who tries that often has it of one that comes and goes all the time.
 */
#define THREAD_STANDS_ATTEMPTS 64
bool thread_stands(const struct thread *thread, uint64_t *switches);

/*
 * Interruptions. THREAD is to end what it does: that stays pending until it says that it has taken
 * notice (thread_interruption_take). An interruptible sleep ends with -EINTR, or does not begin; a
 * sleep of the other kind, and a thread that runs, are not disturbed: a command looks now and then,
 * and the machine looks on the way back to user mode. Any context.
 */
void thread_interrupt(struct thread *thread);
/* Whether an interruption of the caller is pending. */
bool thread_interrupted(void);
/* The same, and it is pending no more; another one may come at once. */
bool thread_interruption_take(void);

struct thread_info {
    uint32_t id;
    char name[THREAD_NAME_LENGTH];
    char state;   /* R running, r ready, S sleeping, Z ended */
    bool blocked; /* a process's, it sleeps and cannot be interrupted */
    unsigned priority;
    unsigned cpu;      /* where it runs, or ran last */
    uint32_t affinity; /* bit N: it may run on CPU N */
    uint64_t user_ns, system_ns, voluntary, involuntary, migrations;
    size_t stack_size, stack_used; /* used: when it last lost the CPU */
};

/* Copies up to MAX threads in order of creation; returns how many it found. Whoever is there all
 * the while is in it, once; who ends meanwhile may be missing, and who begins meanwhile is. Each is
 * shown as of one moment, with interrupts off for a few of them at a time. Thread context. */
size_t thread_snapshot(struct thread_info *out, size_t max);
/* How many there are. Any context. */
size_t thread_population(void);
/* How many have ended since start-up, modulo 2^32. Any context. */
uint32_t thread_ended(void);

/* The stack of a thread that does not run, from STACK to END, and the pointer with which
 * context_switch has left it; or the caller's, with NULL for that. Interrupts are off. */
typedef void thread_stack_visit(const void *pointer, uintptr_t stack, uintptr_t end);
/* Calls VISIT with each, interrupts off for a few of them at a time. Thread context. */
void thread_visit_stacks(thread_stack_visit *visit);

/* Sums over all threads there ever were. Of cycles those that run have subtracted their CPU's own
 * time of when they began. Any context. */
struct thread_totals {
    uint64_t cycles, user_cycles, switches, involuntary, migrations;
    /* Of the first two, what no program has: of threads that are no program's, and of those that
     * were what they have used since. */
    struct thread_time apart;
};
void thread_totals_get(struct thread_totals *out);

/* Whether two words at ADDRESS lie on the running thread's stack or on the boot stack: for stack
 * traces. */
bool thread_on_stack(uintptr_t address);

/* Scheduler and machine. */
/* The running code becomes thread 0, the idle thread. Its stack is the one from STACK to END; other
 * CPUs' lie each CPU_STRIDE below. */
void thread_boot(const char *stack, const char *end);
void thread_boot_cpu(void);       /* the same on another CPU */
void thread_tick(void);           /* clock interrupt: those that wait get their turn */
_Noreturn void thread_idle(void); /* the idle loop */
