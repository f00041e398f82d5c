/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The caches of all CPUs: L1I, L1D and L2 each, kept coherent by snooping (MESI). Geometry of the
 * R10000: L1I 32 KB 2-way 64 B, L1D 32 KB 2-way 32 B write-back, L2 2-way, true LRU everywhere.
 *
 * - The primary caches are indexed by the virtual address (bits 13 and 12 may differ from the
 *   physical ones) and tagged by the physical one; they hold only what the L2 holds. The L2 line
 *   remembers the two index bits; an access under others is a virtual coherency event: the line's
 *   parts leave both primary caches first.
 * - Way prediction: one bit for each set of the L2 (8,192 of them, by the set's low bits) names the
 *   way of the last access; a hit in the other way is mispredicted, a miss is not.
 * - Several CPUs: a miss of the L2 asks every other CPU (intervention); a store to a shared line
 *   tells them (invalidation) and is an upgrade of a shared line; a store to a clean line that
 *   nobody else has is an upgrade of a clean line. With one CPU there is nobody to ask, and these
 * six events stay 0.
 * - Prefetches and cache instructions do nothing here; nor are device memory and uncached segments
 *   for these caches: the caller leaves such accesses out.
 *
 * Not locked: with several CPUs the caller holds one lock around each call.
 */
#ifndef QPMU_HIERARCHY_H
#define QPMU_HIERARCHY_H
#include <stdbool.h>
#include <stdint.h>

#include "tools/qpmu/cache.h"
#include "tools/qpmu/events.h"

enum qpmu_access { QPMU_LOAD, QPMU_STORE, QPMU_FETCH };

#define QPMU_L1I_LINE 64u
#define QPMU_L1D_LINE 32u

struct qpmu_core; /* one CPU's caches */
struct qpmu_hierarchy;

/* L2_SIZE 512 KB to 16 MB and L2_LINE 64 or 128, powers of two; CPUS 1 to 256. NULL: not so, or no
 * memory. */
struct qpmu_hierarchy *qpmu_hierarchy_create(unsigned cpus, uint64_t l2_size, unsigned l2_line);
void qpmu_hierarchy_destroy(struct qpmu_hierarchy *hierarchy);

/* All caches empty, way predictions 0, nothing pending. */
void qpmu_hierarchy_reset(struct qpmu_hierarchy *hierarchy);

/* Where CPU's events go: its raw[]. NULL (the beginning): nowhere. */
void qpmu_hierarchy_attach(struct qpmu_hierarchy *hierarchy, unsigned cpu, uint64_t *raw);

/*
 * CPU accesses SIZE bytes (>= 1) at PHYSICAL = VIRTUAL. An access across a line's end is one to
 * each line; across a page's end the caller splits it. Adds to the CPU's raw events; what it means
 * for other CPUs waits for them, see below.
 */
void qpmu_hierarchy_access(struct qpmu_hierarchy *hierarchy, unsigned cpu, uint64_t physical,
                           uint64_t virtual, unsigned size, enum qpmu_access kind);

/* What other CPUs' accesses did to CPU since the last call, added to its raw events; CPU's own
 * accesses do it too. To be called before its counters are read, written or change mode. */
void qpmu_hierarchy_take(struct qpmu_hierarchy *hierarchy, unsigned cpu);

/* The primary data cache of a CPU, for qpmu_cache_hit() in the driver's fast path: a hit has no
 * effect but on the LRU order, and needs no lock with one CPU. */
struct qpmu_cache *qpmu_hierarchy_l1d(struct qpmu_hierarchy *hierarchy, unsigned cpu);
struct qpmu_cache *qpmu_hierarchy_l1i(struct qpmu_hierarchy *hierarchy, unsigned cpu);
#endif
