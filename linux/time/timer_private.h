/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of timers share; program_lock's, but for what a call does to its own. */
#pragma once

#include <sys/queue.h>
#include "kernel/time/clock.h"
#include "kernel/thread/mutex.h"
#include "linux/program/program.h"

#define TIMERS_FIRST 16
#define NS           1000000000ull
#define CPU_STEP     CLOCK_TICK_NS
#define REPEAT_LEAST 100000ull

/* One of timer_create's. */
struct program_timer {
    struct timer timer;
    struct signal_item item;
    struct program *program;
    uint32_t target; /* a thread; 0: the program */
    int32_t clock, notify;
    int32_t overrun, overrun_told;
    bool used, armed;
    LIST_ENTRY(program_timer) link; /* cpu_timers */
    uint64_t deadline, interval;    /* of clock_now(), or of CPU time */
};

/* Whether CPU time is its clock. */
static inline bool timer_is_cpu(const struct program_timer *timer)
{
    return timer->clock < 0;
}

struct interval_timer {
    uint64_t deadline, interval; /* 0: off */
};

struct program_timers {
    struct program *program;
    kmutex_t lock; /* of[], for the program's threads; execve and the end have only one */
    struct timer real;
    struct interval_timer real_time;
    struct timer cpu; /* looks at CPU time */
    struct interval_timer virtual, profile;
    uint64_t cpu_told;                     /* seconds of CPU time of the last SIGXCPU */
    struct program_timer **of;             /* by their numbers, as many as RLIMIT_SIGPENDING */
    int32_t size, lowest;                  /* entries; none below the latter is free */
    LIST_HEAD(, program_timer) cpu_timers; /* whose clock is CPU time; program_lock */
};

/* Those of PROGRAM, made at the first use; NULL: no memory. */
struct program_timers *timers_of(struct program *program);
/* With the lock: looks at CPU time, and sets the time of the next look. */
void timer_cpu_look(struct program_timers *timers);
/* A kernel timer's function, of struct program_timer. */
void timer_posix(struct timer *kernel);
/* Its signal has been taken: INFO tells how often it ran over meanwhile. With the lock. */
void timer_signal_taken(struct signal_item *item, struct abi_siginfo *info);
/* Stops it and gives it back; it is in no table any more. */
void timer_free(struct program_timer *timer);
