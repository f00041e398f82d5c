/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For test programs that link libquipu-stats.a: what a machine would do to the statistics, done by
 * hand. Time stands still until it is set; the CPU is a number; a panic can be caught.
 *
 * The library starts itself before main(), counters of EVCNT_ATTACH_STATIC attached.
 */
#ifndef QUIPU_HOST_H
#define QUIPU_HOST_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HOST_CPUS 64

/*
 * A new life: no counter is attached but those of EVCNT_ATTACH_STATIC, at 0; the time is 0, the
 * calling thread on CPU 0. Counters attached before are forgotten, not touched: their memory may be
 * gone. No other thread may use the library meanwhile.
 */
void host_reset(void);

/* Nanoseconds since start-up, from now on. */
void host_clock_set(uint64_t ns);

/* What time it was, since 1970, at time 0 of the clock above; 0: nobody knows, as at first. */
void host_wall_set(uint64_t ns);

/*
 * A sleep of the library (kstat_read waits for a kstat that is not ready) turns the clock by that
 * time and calls this, if it is not NULL: not 0 interrupts the sleep. host_reset makes it NULL.
 */
void host_on_sleep(int (*f)(uint64_t ns));

/* Whether kstat_write is allowed; it is after host_reset. */
void host_privileged_set(int privileged);

/* The last line that was logged; "" if none was since host_reset. */
const char *host_log_last(void);

/* What ks_lock points to on a host. Zeroed, it is free. */
typedef struct host_mutex {
    void *owner;
} host_mutex_t;

void host_mutex_enter(host_mutex_t *mutex);
void host_mutex_exit(host_mutex_t *mutex);

/* The calling thread runs on this CPU, 0 to HOST_CPUS - 1; others panic. Threads start on CPU 0. */
void host_cpu_set(unsigned cpu);

/*
 * A PMU. At the start and after host_reset there is one with 4 counters of 48 bits, which wrap and
 * report overflows at once. host_pmu_attach puts another in its place, host_pmu_detach none, in
 * each case with every CPU idle and in kernel mode. curlwp is the idle thread of the calling
 * thread's CPU until host_pmu_switch. Threads that were not given back before one of these are
 * forgotten by it, so their struct lwp must still be there.
 */
#define HOST_PMU_CPUS 4

struct host_pmu {
    unsigned counters, width; /* up to 16; 2 to 64 bits */
    bool at_half;             /* overflow is the topmost bit becoming 1, not the wrap */
    bool interrupts;          /* overflows are reported */
    bool keeps;               /* but only when asked for; more than 16 of a CPU lose their place */
    bool reloads;             /* a counter can reload itself */
    bool swaps;               /* it has a short thread switch */
};
void host_pmu_attach(const struct host_pmu *pmu);
void host_pmu_detach(void);

/* Its events: any counter can hold the first two, counter 0 only the third, none the last. Also any
 * counter holds the numbers that `pmc list` prints on either machine; other numbers are ENODEV. */
#define HOST_PMU_CYCLES       0x100u
#define HOST_PMU_INSTRUCTIONS 0x101u
#define HOST_PMU_LOADS        0x102u
#define HOST_PMU_UNSUPPORTED  0x103u

/* So many of the events happen on that CPU that its counter is set to. The PC of an overflow is the
 * number of events that the counter has counted since host_pmu_attach. */
void host_pmu_count(unsigned cpu, int ctr, uint64_t events);
/* The CPU's mode from now on, one of PMC_MODE_. */
void host_pmu_mode(unsigned cpu, uint32_t mode);
/* The CPU goes on with that thread; NULL: its idle thread. */
struct lwp;
void host_pmu_switch(unsigned cpu, struct lwp *l);
void host_pmu_tick(unsigned cpu);
/* Whether the register runs; whether the CPU's switches and ticks are seen to; writes of registers
 * and of what they are set to, of all CPUs. */
bool host_pmu_running(unsigned cpu, int ctr);
bool host_pmu_active(unsigned cpu);
unsigned host_pmu_writes(void);

/*
 * Runs f(arg): 1 if it panicked, 0 if it returned. The library is usable afterwards. f is left by
 * longjmp, so it must not own what would be lost. Elsewhere a panic prints its message and aborts.
 */
int host_panics(void (*f)(void *), void *arg);

/* The message of the calling thread's last panic; "" before. */
const char *host_panic_message(void);

#ifdef __cplusplus
}
#endif

#endif
