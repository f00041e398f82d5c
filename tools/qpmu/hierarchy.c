/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The caches of all CPUs. What always holds: a line in a primary cache is in the L2, under the
 * index bits that the L2 remembers; a dirty line in an L1D is modified in its L2; a line that is
 * owned (exclusive or modified) in one L2 is in no other.
 */
#include "tools/qpmu/hierarchy.h"

#include <stdlib.h>
#include <string.h>

#define WAY_PREDICTIONS 8192u
#define INDEX_SHIFT     12 /* of the two virtual index bits above a 4 KB page's offset */
#define PAGE_MASK       0xfffull
#define QUADWORD        16u /* in these the R10000 counts what is written back */

struct qpmu_core {
    struct qpmu_cache l1i, l1d, l2;
    uint64_t *raw;
    uint8_t predicted[WAY_PREDICTIONS]; /* the way of the last access */
    uint64_t pending_mask;              /* events in pending[] that are not 0 */
    uint64_t pending[QPMU_EVENTS];      /* what other CPUs did, until qpmu_hierarchy_take() */
};

struct qpmu_hierarchy {
    unsigned cpus;
    struct qpmu_core core[];
};

struct qpmu_hierarchy *qpmu_hierarchy_create(unsigned cpus, uint64_t l2_size, unsigned l2_line)
{
    struct qpmu_hierarchy *hierarchy;
    bool good = true;

    if (cpus < 1 || cpus > 256 || l2_size < 512 << 10 || l2_size > 16 << 20 ||
        (l2_size & (l2_size - 1)) != 0 || (l2_line != 64 && l2_line != 128))
        return NULL;
    hierarchy = calloc(1, sizeof(*hierarchy) + cpus * sizeof(hierarchy->core[0]));
    if (hierarchy == NULL)
        return NULL;
    hierarchy->cpus = cpus;
    for (unsigned cpu = 0; cpu < cpus && good; cpu++) {
        struct qpmu_core *core = &hierarchy->core[cpu];

        good = qpmu_cache_create(&core->l1i, 32 << 10, QPMU_L1I_LINE) &&
               qpmu_cache_create(&core->l1d, 32 << 10, QPMU_L1D_LINE) &&
               qpmu_cache_create(&core->l2, l2_size, l2_line);
    }
    if (good)
        return hierarchy;
    qpmu_hierarchy_destroy(hierarchy);
    return NULL;
}

void qpmu_hierarchy_destroy(struct qpmu_hierarchy *hierarchy)
{
    if (hierarchy == NULL)
        return;
    for (unsigned cpu = 0; cpu < hierarchy->cpus; cpu++) {
        qpmu_cache_destroy(&hierarchy->core[cpu].l1i);
        qpmu_cache_destroy(&hierarchy->core[cpu].l1d);
        qpmu_cache_destroy(&hierarchy->core[cpu].l2);
    }
    free(hierarchy);
}

void qpmu_hierarchy_reset(struct qpmu_hierarchy *hierarchy)
{
    for (unsigned cpu = 0; cpu < hierarchy->cpus; cpu++) {
        struct qpmu_core *core = &hierarchy->core[cpu];

        qpmu_cache_reset(&core->l1i);
        qpmu_cache_reset(&core->l1d);
        qpmu_cache_reset(&core->l2);
        memset(core->predicted, 0, sizeof(core->predicted));
        memset(core->pending, 0, sizeof(core->pending));
        core->pending_mask = 0;
    }
}

void qpmu_hierarchy_attach(struct qpmu_hierarchy *hierarchy, unsigned cpu, uint64_t *raw)
{
    hierarchy->core[cpu].raw = raw;
}

struct qpmu_cache *qpmu_hierarchy_l1d(struct qpmu_hierarchy *hierarchy, unsigned cpu)
{
    return &hierarchy->core[cpu].l1d;
}

struct qpmu_cache *qpmu_hierarchy_l1i(struct qpmu_hierarchy *hierarchy, unsigned cpu)
{
    return &hierarchy->core[cpu].l1i;
}

/* An event of the CPU that makes the access. */
static void add(struct qpmu_core *core, enum qpmu_event event, unsigned n)
{
    if (core->raw != NULL)
        core->raw[event] += n;
}

static void count(struct qpmu_core *core, enum qpmu_event event)
{
    add(core, event, 1);
}

/* An event of CORE, by whomever: COUNTING is the one that makes the access. */
static void add_at(struct qpmu_core *core, const struct qpmu_core *accessing, enum qpmu_event event,
                   unsigned n)
{
    if (core == accessing) {
        add(core, event, n);
        return;
    }
    core->pending[event] += n;
    core->pending_mask |= 1ull << event;
}

static void take(struct qpmu_core *core)
{
    for (; core->pending_mask != 0; core->pending_mask &= core->pending_mask - 1) {
        unsigned event = (unsigned)__builtin_ctzll(core->pending_mask);

        if (core->raw != NULL)
            core->raw[event] += core->pending[event];
        core->pending[event] = 0;
    }
}

void qpmu_hierarchy_take(struct qpmu_hierarchy *hierarchy, unsigned cpu)
{
    take(&hierarchy->core[cpu]);
}

/* The address that indexes the primary caches for the line of L2 entry ENTRY at PHYSICAL. */
static uint64_t primary_index(uint64_t entry, uint64_t physical)
{
    uint64_t bits = (entry & QPMU_LINE_INDEX) / (QPMU_LINE_INDEX & -QPMU_LINE_INDEX);

    return (physical & PAGE_MASK) | bits << INDEX_SHIFT;
}

/* Dirty parts of the L2 line ENTRY go from CORE's L1D to its L2; with REMOVE all parts leave both
 * primary caches, else the L1D keeps them, clean. */
static void clean_primaries(struct qpmu_core *core, const struct qpmu_core *accessing,
                            uint64_t entry, bool remove)
{
    uint64_t physical = qpmu_cache_address(&core->l2, entry);
    uint64_t index = primary_index(entry, physical);
    uint64_t *part;

    for (uint64_t at = 0; at < 1ull << core->l2.line_shift; at += QPMU_L1D_LINE) {
        part = qpmu_cache_find(&core->l1d, qpmu_cache_set(&core->l1d, index + at), physical + at);
        if (part == NULL)
            continue;
        if ((*part & QPMU_LINE_OWNED) != 0)
            add_at(core, accessing, QPMU_L1D_WRITEBACKS, QPMU_L1D_LINE / QUADWORD);
        *part = remove ? 0 : *part & ~(uint64_t)QPMU_LINE_OWNED;
    }
    for (uint64_t at = 0; remove && at < 1ull << core->l2.line_shift; at += QPMU_L1I_LINE) {
        part = qpmu_cache_find(&core->l1i, qpmu_cache_set(&core->l1i, index + at), physical + at);
        if (part != NULL)
            *part = 0;
    }
}

/* CORE's L2 missed PHYSICAL: asks the others. STORE: they lose the line. True: one had it. */
static bool intervene(struct qpmu_hierarchy *hierarchy, struct qpmu_core *core, uint64_t physical,
                      bool store)
{
    bool had = false;

    for (unsigned cpu = 0; cpu < hierarchy->cpus; cpu++) {
        struct qpmu_core *other = &hierarchy->core[cpu];
        uint64_t *entry;

        if (other == core)
            continue;
        add_at(other, core, QPMU_INTERVENTIONS, 1);
        entry = qpmu_cache_find(&other->l2, qpmu_cache_set(&other->l2, physical), physical);
        if (entry == NULL)
            continue;
        had = true;
        add_at(other, core, QPMU_INTERVENTION_HITS, 1);
        clean_primaries(other, core, *entry, store);
        if (store)
            *entry = 0;
        else
            *entry &= ~(uint64_t)(QPMU_LINE_OWNED | QPMU_LINE_DIRTY);
    }
    return had;
}

/* CORE stores to a line that others may share: they lose it. */
static void invalidate(struct qpmu_hierarchy *hierarchy, struct qpmu_core *core, uint64_t physical)
{
    for (unsigned cpu = 0; cpu < hierarchy->cpus; cpu++) {
        struct qpmu_core *other = &hierarchy->core[cpu];
        uint64_t *entry;

        if (other == core)
            continue;
        add_at(other, core, QPMU_INVALIDATIONS, 1);
        entry = qpmu_cache_find(&other->l2, qpmu_cache_set(&other->l2, physical), physical);
        if (entry == NULL)
            continue;
        add_at(other, core, QPMU_INVALIDATION_HITS, 1);
        clean_primaries(other, core, *entry, true);
        *entry = 0;
    }
}

/* The L2 does not have it: fetches the line, in the place of another. */
static uint64_t *fill_secondary(struct qpmu_hierarchy *hierarchy, struct qpmu_core *core,
                                uint64_t physical, enum qpmu_access kind)
{
    uint64_t *entry = qpmu_cache_victim(&core->l2, qpmu_cache_set(&core->l2, physical));
    bool shared;

    count(core, kind == QPMU_FETCH ? QPMU_L2I_MISSES : QPMU_L2D_MISSES);
    count(core, QPMU_LLC_MISSES);
    if ((*entry & QPMU_LINE_VALID) != 0) {
        clean_primaries(core, core, *entry, true);
        if ((*entry & QPMU_LINE_DIRTY) != 0)
            add(core, QPMU_L2_WRITEBACKS, (1u << core->l2.line_shift) / QUADWORD);
    }
    shared = intervene(hierarchy, core, physical, kind == QPMU_STORE);
    *entry = physical >> core->l2.line_shift << QPMU_LINE_BITS | QPMU_LINE_VALID;
    if (kind == QPMU_STORE)
        *entry |= QPMU_LINE_OWNED | QPMU_LINE_DIRTY;
    else if (!shared)
        *entry |= QPMU_LINE_OWNED;
    return entry;
}

/* A primary cache missed: brings the line into the L2 if it is not there. */
static uint64_t *reach_secondary(struct qpmu_hierarchy *hierarchy, struct qpmu_core *core,
                                 uint64_t physical, uint64_t virtual, enum qpmu_access kind)
{
    uint64_t set = qpmu_cache_set(&core->l2, physical);
    uint64_t *entry = qpmu_cache_find(&core->l2, set, physical);
    uint8_t *predicted = &core->predicted[set % WAY_PREDICTIONS];
    uint64_t index = (virtual >> INDEX_SHIFT & 3) * (QPMU_LINE_INDEX & -QPMU_LINE_INDEX);
    uint8_t way;

    count(core, QPMU_LLC_REFERENCES);
    if (entry == NULL) {
        entry = fill_secondary(hierarchy, core, physical, kind);
        way = (uint8_t)(entry - &core->l2.entry[set * 2]);
    } else {
        way = (uint8_t)(entry - &core->l2.entry[set * 2]);
        if (way != *predicted)
            count(core, kind == QPMU_FETCH ? QPMU_L2I_WAY : QPMU_L2D_WAY);
        if ((*entry & QPMU_LINE_INDEX) != index) {
            count(core, QPMU_VIRTUAL_COHERENCY);
            clean_primaries(core, core, *entry, true);
        }
    }
    *predicted = way;
    *entry = (*entry & ~(uint64_t)QPMU_LINE_INDEX) | index;
    qpmu_cache_touch(&core->l2, set, entry);
    return entry;
}

/* A store to a line in ENTRY: makes it this CPU's own, modified. */
static void own(struct qpmu_hierarchy *hierarchy, struct qpmu_core *core, uint64_t *entry,
                uint64_t physical)
{
    if (hierarchy->cpus > 1 && (*entry & QPMU_LINE_DIRTY) == 0) {
        if ((*entry & QPMU_LINE_OWNED) != 0) {
            count(core, QPMU_UPGRADE_CLEAN);
        } else {
            count(core, QPMU_UPGRADE_SHARED);
            invalidate(hierarchy, core, physical);
        }
    }
    *entry |= QPMU_LINE_OWNED | QPMU_LINE_DIRTY;
}

static void access_line(struct qpmu_hierarchy *hierarchy, struct qpmu_core *core, uint64_t physical,
                        uint64_t virtual, enum qpmu_access kind)
{
    struct qpmu_cache *primary = kind == QPMU_FETCH ? &core->l1i : &core->l1d;
    uint64_t set = qpmu_cache_set(primary, virtual);
    uint64_t need = QPMU_LINE_VALID | (kind == QPMU_STORE ? QPMU_LINE_OWNED : 0);
    uint64_t *entry, *second;

    if (qpmu_cache_hit(primary, physical, virtual, need))
        return;
    entry = qpmu_cache_find(primary, set, physical);
    if (entry == NULL) {
        count(core, kind == QPMU_FETCH ? QPMU_L1I_MISSES : QPMU_L1D_MISSES);
        second = reach_secondary(hierarchy, core, physical, virtual, kind);
        entry = qpmu_cache_victim(primary, set);
        if ((*entry & QPMU_LINE_OWNED) != 0)
            add(core, QPMU_L1D_WRITEBACKS, QPMU_L1D_LINE / QUADWORD);
        *entry = physical >> primary->line_shift << QPMU_LINE_BITS | QPMU_LINE_VALID;
    } else {
        second = qpmu_cache_find(&core->l2, qpmu_cache_set(&core->l2, physical), physical);
    }
    if (kind == QPMU_STORE) {
        own(hierarchy, core, second, physical);
        *entry |= QPMU_LINE_OWNED;
    }
    qpmu_cache_touch(primary, set, entry);
}

void qpmu_hierarchy_access(struct qpmu_hierarchy *hierarchy, unsigned cpu, uint64_t physical,
                           uint64_t virtual, unsigned size, enum qpmu_access kind)
{
    struct qpmu_core *core = &hierarchy->core[cpu];
    uint64_t line = kind == QPMU_FETCH ? QPMU_L1I_LINE : QPMU_L1D_LINE;
    uint64_t last = (physical + (size == 0 ? 0 : size - 1)) & ~(line - 1);

    if (core->pending_mask != 0)
        take(core);
    access_line(hierarchy, core, physical, virtual, kind);
    for (uint64_t at = (physical & ~(line - 1)) + line; at <= last; at += line)
        access_line(hierarchy, core, at, virtual + (at - physical), kind);
}
