/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads: preemptive, 32 priorities (31 is the most urgent), round robin within one priority at
 * each tick. Everything here is thread context unless it says otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include "kernel/timer.h"

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

struct wait_queue;

struct thread {
    void *stack_pointer;       /* saved by arch context switch; assembly knows it is first */
    uint64_t cycles;           /* CPU time in cycle-counter units, up to switched_at of the CPU */
    uint64_t switches;         /* times it lost the CPU; its CPU writes */
    uint64_t involuntary;      /* those it did not ask for */
    struct thread *next_ready; /* run queue */
    uint8_t priority;
    uint8_t state;    /* enum thread_state */
    bool woken_early; /* its interruptible sleep ended by an interruption */
    bool interruptible;
    bool timed_out;
    bool joinable;
    TAILQ_ENTRY(thread) queue;  /* wait queue; interrupts off */
    TAILQ_ENTRY(thread) all;    /* every thread; thread lock */
    struct wait_queue *waiting; /* where it sleeps */
    struct timer sleep_timer;
    uint32_t id;
    char name[THREAD_NAME_LENGTH];
    char *stack;
    size_t stack_size;
    void (*entry)(void *);
    void *argument;
};

/* Starts a thread that runs ENTRY(ARGUMENT). 0, -ENOMEM, -EINVAL (priority). The name is copied,
 * cut if too long. */
int thread_create(const char *name, unsigned priority, void (*entry)(void *), void *argument,
                  struct thread **out);
_Noreturn void thread_exit(void);
/* Lets others of the same priority run first. */
void thread_yield(void);
/* Sleeps at least NS nanoseconds: 0, or -EINTR where ^C interrupted it. */
int thread_sleep(uint64_t ns);
/* Waits for the end of THREAD, once; then it no longer exists. Only for threads created with an out
 * pointer. */
void thread_join(struct thread *thread);
struct thread *thread_current(void);
/* Ends an interruptible sleep of THREAD early with -EINTR; nothing if it does not sleep so. Any
 * context. */
void thread_interrupt(struct thread *thread);

/* No preemption between the two; they nest; the section must not sleep. */
void preempt_disable(void);
void preempt_enable(void);

struct thread_info {
    uint32_t id;
    char name[THREAD_NAME_LENGTH];
    char state; /* R running, r ready, S sleeping, Z ended */
    unsigned priority;
    uint64_t run_ns, voluntary, involuntary;
    size_t stack_size, stack_used; /* used: when it last lost the CPU */
};

/* Copies up to MAX threads in order of creation, all as of one moment; returns how many exist. */
size_t thread_snapshot(struct thread_info *out, size_t max);

/* Whether two words at ADDRESS lie on the running thread's stack or on the boot stack: for stack
 * traces. */
bool thread_on_stack(uintptr_t address);

/* Scheduler and machine. */
void thread_boot(void);           /* the running code becomes thread 0, the idle thread */
void thread_preempt(void);        /* interrupts off, at the end of an interrupt */
void thread_tick(void);           /* clock interrupt: the running thread has used a tick */
_Noreturn void thread_idle(void); /* the idle loop */
