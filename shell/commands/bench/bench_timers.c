/* SPDX-License-Identifier: BSD-2-Clause */
/* bench timers: what it costs to set a timer and to stop it while many others are set. */
#include <arch/interrupt_flag.h>
#include "kernel/memory/kmem.h"
#include "kernel/time/clock.h"
#include "kernel/time/timer.h"
#include "shell/commands/bench/bench.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define HOUR (3600ull * 1000000000)
#define MOST 100000

/* None of them comes as long as the command runs. */
struct bench_timer {
    struct timer timer;
    struct bench_timer *next;
};

static void bench_timers_due(struct timer *timer)
{
    (void)timer;
}

/* Some time of the hour that begins in an hour; no two runs differ. */
static uint64_t bench_timers_time(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return clock_now() + HOUR + (HOUR >> 20) * (*random >> 12);
}

static __attribute__((noinline, noclone)) void bench_timers_measure(struct timer *timer,
                                                                    uint32_t random)
{
    for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
        uint64_t deadline = bench_timers_time(&random);
        uintptr_t state = interrupts_save();

        BENCH_PLACE("bench_timer_set_begin");
        timer_set(timer, deadline, bench_timers_due);
        BENCH_PLACE("bench_timer_set_end");
        BENCH_PLACE("bench_timer_cancel_begin");
        timer_cancel(timer);
        BENCH_PLACE("bench_timer_cancel_end");
        interrupts_restore(state);
    }
}

int bench_timers(const char *text)
{
    struct bench_timer *all = NULL, *one, measured = {0};
    uint32_t random = 1;
    uint64_t count;
    int result = 0;

    if (options_number((char *[]){"bench"}, "number of timers", text, 1, MOST, &count) != 0)
        return STATUS_USAGE;
    while (count-- > 0) {
        one = kmem_zalloc(sizeof *one);
        if (one == NULL) {
            shell_printf("bench: no memory for so many timers\n");
            result = 1;
            break;
        }
        one->next = all;
        all = one;
        timer_set(&one->timer, bench_timers_time(&random), bench_timers_due);
    }
    if (result == 0)
        bench_timers_measure(&measured.timer, random);
    while (all != NULL) {
        one = all;
        all = one->next;
        timer_cancel_wait(&one->timer);
        kmem_free(one);
    }
    return result;
}
