/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmc(9): performance counters, counted for each thread and for the kernel. Counters of the whole
 * system are numbered from 0, those of the hardware first.
 *
 * A thread's counts have 64 bits, whatever the registers have, and go on wherever it runs. What
 * fails returns a positive error number, as in the system that this interface comes from:
 *
 *   EINVAL       no such counter (-1 from the two is... calls); flags or a period that do not exist
 *   ENODEV       the counter cannot count that event, or not in these modes, or not with a period
 *   EBUSY        the kernel has the counter; or the kernel wants it and somebody has it; or another
 *                call is just giving it to the kernel, or taking it away; or all are claimed; or a
 *                set of events has it for this thread
 *   ENXIO        the counter is not configured, or was taken away since (stats/pmc/pmu_owner.h)
 *   EINPROGRESS  it runs already
 *   ENOMEM
 *
 * A thread may be any other than the caller, and may be running on another CPU: when a call
 * returns, what it asked for is in force. For a thread other than the caller, and for kernel
 * counters, the caller is in thread context, with interrupts on and no spinlock held. For the
 * caller's own (curlwp) any context will do, once it has state: its first pmc_configure_counter
 * allocates.
 */
#ifndef SYS_PMC_H
#define SYS_PMC_H

#include <machine/pmc.h>
#include <stdbool.h>
#include <stdint.h>
#ifndef QUIPU_PROGRAM /* a program has the two calls at the end and <pmc.h> */
#include <sys/lwp.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct pmc_counter_cfg {
    pmc_evid_t event_id;
    pmc_ctr_t reset_value; /* a period: so many events from one overflow to the next; 0: none */
    uint32_t flags;        /* PMC_MODE_; 0: all modes */
};

/* The modes in which a counter counts, as in an R10000's control register. */
#define PMC_MODE_EXL 1u
#define PMC_MODE_K   2u
#define PMC_MODE_S   4u
#define PMC_MODE_U   8u
#define PMC_MODE_ALL 15u

/* pmc_get_counter_type. */
#define PMC_TYPE_NONE          0 /* of -1: no hardware counters */
#define PMC_TYPE_SOFT          1
#define PMC_TYPE_INTEL_GENERAL 2
#define PMC_TYPE_INTEL_FIXED   3
#define PMC_TYPE_R10K          4
#define PMC_TYPE_FAKE          5 /* the host's */

/* pmc_get_counter_value: the sum of what ended children counted, and their children, INSTEAD of
 * the thread's own count. */
#define PMC_VALUE_FLAGS_CHILDREN 0x00000001

#ifndef QUIPU_PROGRAM
int pmc_get_num_counters(void);
int pmc_get_counter_type(int ctr);

/* Around a thread switch, interrupts off. Kernel counters run on. */
void pmc_save_context(struct lwp *l);
void pmc_restore_context(struct lwp *l);

/* Start and stop. Stopping one that does not run does nothing. */
int pmc_enable_counter(struct lwp *l, int ctr);
int pmc_disable_counter(struct lwp *l, int ctr);
/* The first also if it runs in the kernel, the second also if the kernel has it. */
int pmc_counter_isrunning(struct lwp *l, int ctr);
int pmc_counter_isconfigured(struct lwp *l, int ctr);
/* Stops it first if it runs. Its count, and that of children, begins at 0. */
int pmc_configure_counter(struct lwp *l, int ctr, struct pmc_counter_cfg *cfg);
/* L NULL: the kernel's counter, summed over all CPUs. */
int pmc_get_counter_value(struct lwp *l, int ctr, int flags, uint64_t *pval);
/* What EXITING counted, and its children, is added to PARENT's children, for those counters that
 * both have configured for the same event and modes. Nothing happens if either has no state. */
int pmc_accumulate(struct lwp *l_parent, struct lwp *l_exiting);

/* The kernel's counters begin to run at once, on every CPU. */
int pmc_alloc_kernel_counter(int ctr, struct pmc_counter_cfg *cfg);
int pmc_free_kernel_counter(int ctr);
/* The same with samples: each overflow goes to the handler below. */
int pmc_start_profiling(int ctr, struct pmc_counter_cfg *cfg);
int pmc_stop_profiling(int ctr);

/* Whether the thread, or the kernel, uses any counter. */
int PMC_ENABLED(struct lwp *l);

/* L is about to end, and is the caller or has never run: gives its counters and state back. */
void pmc_process_exit(struct lwp *l);
#endif

/* For the calling thread; also what programs ask /dev/pmc, where they are -1 and errno. */
#define PMC_OP_START     1
#define PMC_OP_STOP      2
#define PMC_OP_CONFIGURE 3 /* args: struct pmc_counter_cfg */
#define PMC_OP_PROFSTART 4 /* the same */
#define PMC_OP_PROFSTOP  5
int pmc_control(int ctr, int op, void *args);

#define PMC_INFO_NCOUNTERS                 1 /* int */
#define PMC_INFO_CPUCTR_TYPE               2 /* int; ctr may be -1 */
#define PMC_INFO_COUNTER_VALUE             3 /* uint64_t */
#define PMC_INFO_ACCUMULATED_COUNTER_VALUE 4 /* uint64_t: children's, as with the flag */
int pmc_get_info(int ctr, int request, void *data);

#ifndef QUIPU_PROGRAM
/* --- beyond the classic interface ----------------------------------------------------------- */

/* Starts or stops all the counters of MASK (bit N: counter N), at once where the hardware can, else
 * one right after another: all, or for EINVAL, EBUSY or ENXIO none. */
int pmc_enable_counters(struct lwp *l, uint32_t mask, bool enabled);
/* The caller's own running counters stand still, where the hardware can stop several at once, while
 * they are read. Interrupts off from the first, which returns a mask for the second. */
uint32_t pmc_hold_counters(void);
void pmc_go_on(uint32_t held);
/* Gives a thread's counter back, so that it is as if it had never been configured. 0, EINVAL. */
int pmc_release_counter(struct lwp *l, int ctr);
/* Until pmc_unclaim no thread but the caller, and those that it or they create from now on (with
 * its l_pmc_claim), can configure a counter or have the kernel take one: EBUSY. 0, or EBUSY if any
 * counter is configured or the kernel's, or all are claimed, or the caller counts a set. */
int pmc_claim(void);
void pmc_unclaim(void);
/* Whether the counters are claimed, and not for the calling thread. */
bool pmc_claimed(void);
/* CHILD is new, has not run, and takes over the counters that PARENT has enabled, at 0. 0, ENOMEM
 * (it then has none). */
int pmc_fork(struct lwp *parent, struct lwp *child);
/* The configuration of a thread's counter, or of the kernel's (L NULL). EINVAL, ENXIO. */
int pmc_get_config(struct lwp *l, int ctr, struct pmc_counter_cfg *cfg);
/* How often a thread's counter passed its period. EINVAL, ENXIO. */
int pmc_get_overflows(struct lwp *l, int ctr, uint64_t *overflows);
/* The kernel's counter on one CPU, as of that CPU's last tick or read. EINVAL, ENXIO. */
struct pmc_cpu_value {
    uint64_t value;
    uint64_t overflows; /* periods passed */
    uint64_t lost;      /* of them, without a sample, because nobody knows where they happened */
    uint64_t since;     /* when the counter was given to the kernel: ns since start-up */
};
int pmc_get_cpu_value(int ctr, unsigned cpu, struct pmc_cpu_value *out);

/* One period of a counter has passed: what its owner is told (stats/pmc/pmu_owner.h). */
struct pmc_sample {
    int ctr;
    unsigned cpu;
    struct lwp *l; /* that ran */
    bool kernel;   /* of a kernel counter; else of a counter of L's own */
    bool user;     /* it happened outside the kernel */
    bool exact;    /* pc is the instruction's own; else that of the place interrupted */
    bool known;    /* false: COUNT overflows whose place nobody knows */
    uint64_t pc;
    uint64_t value; /* of the register, as the hardware told it */
    uint64_t count; /* overflows that this stands for: 1 if known */
};

/* Each CPU's clock tick while anybody counts; interrupts off. */
void pmc_tick(void);
/* The CPU goes from FROM to TO: both of save and restore in one. Interrupts off. */
void pmc_switch_context(struct lwp *from, struct lwp *to);
#endif

#ifdef __cplusplus
}
#endif

#endif
