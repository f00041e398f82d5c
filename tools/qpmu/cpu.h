/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU of one virtual CPU: registers, mode, and when which counter overflows. Whoever drives it
 * (the plugin, a test) raises raw[] and calls qpmu_cpu_overflow() when raw[e] >= limit[e]. Touched
 * only by the thread of that CPU.
 *
 * R10000 (registers are the selects of CP0 register 25: 0 and 2 control, 1 and 3 counter):
 * - overflow is bit 31 becoming set by counting, 0x7fffffff to 0x80000000. Counting goes on,
 * through 0xffffffff and 0; the next overflow is 2^32 events later. Writing a value with bit 31 set
 * is no overflow and makes no record.
 * - the interrupt condition is a level, as on the chip: IE and bit 31, however that bit came to be
 *   set: qpmu_cpu_pending().
 * - bits 31..9 of a control register read 0. Other selects read 0 and ignore writes.
 * MIPS32/64 release 2 (the same selects): as the R10000, with other events (mips_r2.h), 7 bits of
 * them; bit 31 of a control register says that there is another counter.
 * x86 (registers are MSR numbers, see x86_msr.h):
 * - overflow is the wrap at 2^48; it sets the counter's bit of GLOBAL_STATUS whether INT is set or
 *   not. Writing 0x390 clears bits. pending: a status bit whose counter has INT or PMI set.
 * - reserved bits are dropped instead of a fault.
 * - edge: events are occurrences without a duration, so an edge is an occurrence; but cycles last:
 *   their edge is the CPU leaving its halt (QPMU_WAKEUPS). In other words the count of instructions
 *   at which the event begins.
 * - cmask: cycles of the model in which at least so many events occur, with inv fewer. An
 *   instruction graduates in its last cycle, alone, and transfers control then. So a cmask of 1
 *   changes nothing, with inv it makes instructions QPMU_STALLS; one above 1 is never reached, and
 *   with inv it is every cycle's. What remains counts nothing: LLC events with cmask, branches and
 *   cycles with cmask 1 and inv, edges with cmask but those of every cycle.
 * - inv means nothing without cmask; AnyThread is ignored, a core has one thread.
 */
#ifndef QPMU_CPU_H
#define QPMU_CPU_H
#include <stdbool.h>
#include <stdint.h>

#include "tools/qpmu/counter.h"
#include "tools/qpmu/events.h"
#include "tools/qpmu/include/qpmu.h" /* QPMU_MODE_, QPMU_COUNTERS */

enum qpmu_kind { QPMU_R10K_2X, QPMU_R10K_3X, QPMU_X86, QPMU_R2 };

/* x86, beside the QPMU_MODE_ bits: it is not known whether the CPU is in U or K. Only counters of
 * both count. */
#define QPMU_MODE_ANY 16u

/* One overflow. */
struct qpmu_overflow {
    unsigned counter; /* index as in QPMU_COUNTERS */
    enum qpmu_event event;
    unsigned mode;  /* QPMU_MODE_ bit of the CPU */
    uint64_t value; /* of the register at that instant, before any reload */
    bool interrupt; /* its interrupt enable is on */
    bool reloaded;
};

struct qpmu_cpu {
    uint64_t raw[QPMU_EVENTS];      /* monotonic; only the driver raises them */
    uint64_t limit[QPMU_EVENTS];    /* raw count at which some counter overflows, else UINT64_MAX */
    uint64_t counted;               /* events that are instrumented now: the driver's; those of
                                    QPMU_LEVEL_REGISTERS always */
    uint64_t reload[QPMU_COUNTERS]; /* the driver's, from the slot, up to date at each overflow */
    uint32_t reload_on;
    void (*overflow)(void *context, const struct qpmu_overflow *overflow);
    void *context;

    /* The rest is cpu.c's. */
    enum qpmu_kind kind;
    unsigned mode;     /* QPMU_MODE_ bit or ANY, or 0: nothing counts */
    unsigned counters; /* 2 or 7 */
    struct qpmu_counter counter[QPMU_COUNTERS];
    uint64_t control[QPMU_COUNTERS]; /* R10000 control registers; PERFEVTSELx */
    uint64_t fixed_control, global_control, global_status;
};

/* As after reset, mode kernel (x86) or none (R10000: ERL), nothing counted; callbacks are kept. */
void qpmu_cpu_reset(struct qpmu_cpu *cpu, enum qpmu_kind kind);

/* Whether REGISTER (select or MSR number) is one of the PMU's. */
bool qpmu_cpu_has(const struct qpmu_cpu *cpu, uint32_t reg);

/*
 * Writes, and returns 0; or returns the events that the write asks for and that are not in
 * `counted`: then nothing has been written. raw[] must be settled up to this instruction. A
 * register that is not the PMU's is ignored. R10000: the low 32 bits of VALUE.
 */
uint64_t qpmu_cpu_write(struct qpmu_cpu *cpu, uint32_t reg, uint64_t value);

/* Reads; 0 for a register that is not the PMU's. A 32-bit value is not sign-extended. */
uint64_t qpmu_cpu_read(const struct qpmu_cpu *cpu, uint32_t reg);

/* The events that the control registers ask for, in whatever mode (x86: EN, GLOBAL_CTRL or not). */
uint64_t qpmu_cpu_wanted(const struct qpmu_cpu *cpu);

/* The events for which a counter runs now: only their limits can be reached. */
uint64_t qpmu_cpu_running(const struct qpmu_cpu *cpu);

/* Sets the mode, a QPMU_MODE_ bit or 0. raw[] must be settled up to the change. Cheap when the mode
 * stays the same; when no control register tells modes apart, it does little more. */
void qpmu_cpu_mode(struct qpmu_cpu *cpu, unsigned mode);

/* Whether some enabled counter counts in some modes and not in others. */
bool qpmu_cpu_modes_matter(const struct qpmu_cpu *cpu);

/*
 * To be called when raw[EVENT] >= limit[EVENT]. Calls `overflow` for each counter that overflowed,
 * reloads it if told to (events beyond the overflow count on after the reload, so that N events a
 * period give floor(events / N) overflows), sets the next limit. Several overflows of a counter at
 * once (a step of more events than its period) are several calls, in order. Returns how many.
 */
unsigned qpmu_cpu_overflow(struct qpmu_cpu *cpu, enum qpmu_event event);

/* Counters whose interrupt condition holds now: bit n is counter n. */
uint32_t qpmu_cpu_pending(const struct qpmu_cpu *cpu);

static inline bool qpmu_cpu_reached(const struct qpmu_cpu *cpu, enum qpmu_event event)
{
    return cpu->raw[event] >= cpu->limit[event];
}
#endif
