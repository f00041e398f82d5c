/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What qpmu counts: raw events, one monotonic count for each CPU and event, from which the counters
 * of either PMU are made (r10k.h, x86_msr.h). Not the guest's event numbers.
 */
#ifndef QPMU_EVENTS_H
#define QPMU_EVENTS_H
#include <stdint.h>

/* Where a count comes from. */
enum qpmu_source {
    QPMU_EXACT,       /* from the instructions that really execute */
    QPMU_MODELLED,    /* from a model: costs, caches, branch history */
    QPMU_ALWAYS_ZERO, /* nothing here can cause it */
};

/* What has to be instrumented to count it; each level includes the ones before. */
enum qpmu_level {
    QPMU_LEVEL_REGISTERS, /* register instructions, vectors, eret */
    QPMU_LEVEL_BLOCKS,    /* what a block of instructions adds, from a table made at translation */
    QPMU_LEVEL_DATA,      /* every memory access, through the caches */
    QPMU_LEVEL_ALL,       /* fetches and conditional branches too */
};

/*
 * X(event, source, level, what it is). "Issued" events are raised by an instruction that faults as
 * well as by one that graduates: there is no execution down a wrong path here.
 */
#define QPMU_EVENT_LIST(X)                                                                         \
    X(CYCLES, MODELLED, BLOCKS, "cycles of the cost model, none while halted")                     \
    X(INSTRUCTIONS, EXACT, BLOCKS, "instructions graduated")                                       \
    X(ISSUED, EXACT, BLOCKS, "instructions issued to ALU, FPU or load/store unit")                 \
    X(LOADS, EXACT, BLOCKS, "loads, prefetches and syncs graduated")                               \
    X(LOADS_ISSUED, EXACT, BLOCKS, "loads, prefetches and syncs, those that faulted too")          \
    X(STORES, EXACT, BLOCKS, "stores graduated, store conditionals included")                      \
    X(STORES_ISSUED, EXACT, BLOCKS, "stores, those that faulted too")                              \
    X(SC, EXACT, BLOCKS, "store conditionals graduated, failed ones included")                     \
    X(SC_ISSUED, EXACT, BLOCKS, "store conditionals, those that faulted too")                      \
    X(SC_FAILED, EXACT, BLOCKS, "store conditionals that stored nothing")                          \
    X(FP, EXACT, BLOCKS, "floating-point arithmetic graduated, no loads, stores or moves")         \
    X(BRANCHES, EXACT, BLOCKS, "conditional branches resolved")                                    \
    X(BRANCHES_DECODED, EXACT, BLOCKS,                                                             \
      "conditional branches, those re-executed after a fault too")                                 \
    X(BRANCHES_ALL, EXACT, BLOCKS, "all instructions that transfer control, taken or not")         \
    X(FU_CYCLES, MODELLED, BLOCKS, "completions in an ALU or FPU, one a cycle")                    \
    X(STALLS, MODELLED, BLOCKS, "cycles in which nothing graduates")                               \
    X(WAKEUPS, EXACT, BLOCKS, "times the CPU left its halt")                                       \
    X(TLB_REFILLS, EXACT, REGISTERS, "TLB refill exceptions")                                      \
    X(L1D_MISSES, MODELLED, DATA, "misses of the primary data cache")                              \
    X(L1D_WRITEBACKS, MODELLED, DATA, "quadwords of dirty lines that left the primary data cache") \
    X(L2D_MISSES, MODELLED, DATA, "data misses of the secondary cache")                            \
    X(L2D_WAY, MODELLED, DATA, "data hits in the way of the secondary cache not predicted")        \
    X(L2_WRITEBACKS, MODELLED, DATA, "quadwords of dirty lines evicted from the secondary cache")  \
    X(INTERVENTIONS, MODELLED, DATA, "reads by other CPUs that this one was asked about")          \
    X(INTERVENTION_HITS, MODELLED, DATA, "of these, those that found the line here")               \
    X(INVALIDATIONS, MODELLED, DATA, "upgrades by other CPUs that this one was told of")           \
    X(INVALIDATION_HITS, MODELLED, DATA, "of these, those that found the line here")               \
    X(UPGRADE_CLEAN, MODELLED, DATA, "stores to a clean line that no other CPU has")               \
    X(UPGRADE_SHARED, MODELLED, DATA, "stores to a line that other CPUs may have")                 \
    X(VIRTUAL_COHERENCY, MODELLED, DATA, "secondary hits under another primary index")             \
    X(L1I_MISSES, MODELLED, ALL, "misses of the primary instruction cache")                        \
    X(L2I_MISSES, MODELLED, ALL, "instruction misses of the secondary cache")                      \
    X(L2I_WAY, MODELLED, ALL, "instruction hits in the way not predicted")                         \
    X(LLC_REFERENCES, MODELLED, ALL, "lookups in the secondary cache")                             \
    X(LLC_MISSES, MODELLED, ALL, "misses of the secondary cache")                                  \
    X(BRANCH_MISSES, MODELLED, ALL, "conditional branches mispredicted")                           \
    X(ECC, ALWAYS_ZERO, REGISTERS, "single-bit errors of the secondary cache")

enum qpmu_event {
#define QPMU_X(event, source, level, what) QPMU_##event,
    QPMU_EVENT_LIST(QPMU_X)
#undef QPMU_X
        QPMU_EVENTS, /* how many; fits the bits of a uint64_t */
    QPMU_NO_EVENT = QPMU_EVENTS,
};

struct qpmu_event_info {
    const char *name;
    const char *what;
    enum qpmu_source source;
    enum qpmu_level level;
};

extern const struct qpmu_event_info qpmu_event_info[QPMU_EVENTS];

/* What has to be instrumented for all events of MASK (bit n: event n). */
enum qpmu_level qpmu_events_level(uint64_t mask);

/* The events that LEVEL gives. */
uint64_t qpmu_events_of_level(enum qpmu_level level);
#endif
