/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The caches against a brute-force reference: flat lists of lines with times of use, nothing shared
 * with the code under test; over random accesses of 1 to 4 CPUs. And walks worked out by hand.
 */
#include "tests/host/test.h"
#include "tools/qpmu/hierarchy.h"

#include <stdlib.h>
#include <string.h>

#define CPUS_MAX 4
#define QUADWORD 16

enum { L1I, L1D, L2, LEVELS };

struct line {
    uint64_t address; /* of its first byte; ~0: none */
    uint64_t index;   /* L2: virtual bits 13:12 */
    uint64_t used;    /* time */
    char state;       /* L1D: C or D; L2: S, E, M */
};

struct reference {
    unsigned cpus;
    uint64_t line_size[LEVELS], sets[LEVELS];
    struct line *lines[CPUS_MAX][LEVELS]; /* sets * 2, anywhere in its set's pair */
    uint8_t way[CPUS_MAX][8192];
    uint64_t events[CPUS_MAX][QPMU_EVENTS];
    uint64_t time;
};

static void reference_begin(struct reference *r, unsigned cpus, uint64_t l2_size, unsigned l2_line)
{
    memset(r, 0, sizeof(*r));
    r->cpus = cpus;
    r->line_size[L1I] = 64;
    r->line_size[L1D] = 32;
    r->line_size[L2] = l2_line;
    r->sets[L1I] = 256;
    r->sets[L1D] = 512;
    r->sets[L2] = l2_size / l2_line / 2;
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        for (unsigned level = 0; level < LEVELS; level++) {
            size_t count = r->sets[level] * 2;

            r->lines[cpu][level] = calloc(count, sizeof(struct line));
            for (size_t i = 0; i < count; i++)
                r->lines[cpu][level][i].address = ~0ull;
        }
    }
}

static void reference_end(struct reference *r)
{
    for (unsigned cpu = 0; cpu < r->cpus; cpu++) {
        for (unsigned level = 0; level < LEVELS; level++)
            free(r->lines[cpu][level]);
    }
}

/* The two places where the line at PHYSICAL may be, INDEXed by an address. */
static struct line *pair(struct reference *r, unsigned cpu, unsigned level, uint64_t index)
{
    return &r->lines[cpu][level][index / r->line_size[level] % r->sets[level] * 2];
}

static struct line *look(struct reference *r, unsigned cpu, unsigned level, uint64_t index,
                         uint64_t physical)
{
    struct line *two = pair(r, cpu, level, index);
    uint64_t address = physical - physical % r->line_size[level];

    return two[0].address == address ? &two[0] : two[1].address == address ? &two[1] : NULL;
}

static struct line *oldest(struct reference *r, unsigned cpu, unsigned level, uint64_t index)
{
    struct line *two = pair(r, cpu, level, index);

    if (two[0].address == ~0ull || two[1].address == ~0ull)
        return two[0].address == ~0ull ? &two[0] : &two[1];
    return two[0].used < two[1].used ? &two[0] : &two[1];
}

/* All parts of an L2 line, wherever in the primary caches: searched everywhere. */
static void squeeze(struct reference *r, unsigned cpu, uint64_t address, bool remove)
{
    for (unsigned level = L1I; level <= L1D; level++) {
        for (size_t i = 0; i < r->sets[level] * 2; i++) {
            struct line *line = &r->lines[cpu][level][i];

            if (line->address == ~0ull || line->address < address ||
                line->address >= address + r->line_size[L2])
                continue;
            if (level == L1D && line->state == 'D') {
                r->events[cpu][QPMU_L1D_WRITEBACKS] += r->line_size[L1D] / QUADWORD;
                line->state = 'C';
            }
            if (remove)
                line->address = ~0ull;
        }
    }
}

/* The others hear of CPU's access to PHYSICAL. True: one of them had the line. */
static bool broadcast(struct reference *r, unsigned cpu, uint64_t physical, bool take,
                      enum qpmu_event asked, enum qpmu_event hit)
{
    bool had = false;

    for (unsigned other = 0; other < r->cpus; other++) {
        struct line *line = look(r, other, L2, physical, physical);

        if (other == cpu)
            continue;
        r->events[other][asked]++;
        if (line == NULL)
            continue;
        r->events[other][hit]++;
        had = true;
        squeeze(r, other, line->address, take);
        line->state = 'S';
        if (take)
            line->address = ~0ull;
    }
    return had;
}

static struct line *reference_l2(struct reference *r, unsigned cpu, uint64_t physical,
                                 uint64_t virtual, enum qpmu_access kind)
{
    uint64_t *events = r->events[cpu];
    bool fetch = kind == QPMU_FETCH;
    struct line *line = look(r, cpu, L2, physical, physical);
    struct line *two = pair(r, cpu, L2, physical);
    uint8_t *way = &r->way[cpu][physical / r->line_size[L2] % r->sets[L2] % 8192];

    events[QPMU_LLC_REFERENCES]++;
    if (line != NULL) {
        if (line != &two[*way])
            events[fetch ? QPMU_L2I_WAY : QPMU_L2D_WAY]++;
        if (line->index != virtual / 4096 % 4) {
            events[QPMU_VIRTUAL_COHERENCY]++;
            squeeze(r, cpu, line->address, true);
        }
    } else {
        events[QPMU_LLC_MISSES]++;
        events[fetch ? QPMU_L2I_MISSES : QPMU_L2D_MISSES]++;
        line = oldest(r, cpu, L2, physical);
        if (line->address != ~0ull) {
            squeeze(r, cpu, line->address, true);
            if (line->state == 'M')
                events[QPMU_L2_WRITEBACKS] += r->line_size[L2] / QUADWORD;
        }
        line->state = broadcast(r, cpu, physical, kind == QPMU_STORE, QPMU_INTERVENTIONS,
                                QPMU_INTERVENTION_HITS)
                          ? 'S'
                          : 'E';
        if (kind == QPMU_STORE)
            line->state = 'M';
        line->address = physical - physical % r->line_size[L2];
    }
    *way = line == &two[1];
    line->index = virtual / 4096 % 4;
    line->used = r->time;
    return line;
}

static void reference_access(struct reference *r, unsigned cpu, uint64_t physical, uint64_t virtual,
                             enum qpmu_access kind)
{
    uint64_t *events = r->events[cpu];
    unsigned level = kind == QPMU_FETCH ? L1I : L1D;
    struct line *line = look(r, cpu, level, virtual, physical);
    struct line *second;

    r->time++;
    if (line == NULL) {
        events[kind == QPMU_FETCH ? QPMU_L1I_MISSES : QPMU_L1D_MISSES]++;
        second = reference_l2(r, cpu, physical, virtual, kind);
        line = oldest(r, cpu, level, virtual);
        if (line->address != ~0ull && level == L1D && line->state == 'D')
            events[QPMU_L1D_WRITEBACKS] += r->line_size[L1D] / QUADWORD;
        line->address = physical - physical % r->line_size[level];
        line->state = 'C';
    } else {
        second = look(r, cpu, L2, physical, physical);
    }
    line->used = r->time;
    if (kind != QPMU_STORE)
        return;
    line->state = 'D';
    if (second->state == 'E' && r->cpus > 1)
        events[QPMU_UPGRADE_CLEAN]++;
    if (second->state == 'S') {
        events[QPMU_UPGRADE_SHARED] += r->cpus > 1;
        broadcast(r, cpu, physical, true, QPMU_INVALIDATIONS, QPMU_INVALIDATION_HITS);
    }
    second->state = 'M';
}

/* What MESI allows: an owned line is in one L2 only; primary caches hold parts of the L2's lines.
 */
static void check_coherent(struct reference *r)
{
    for (unsigned cpu = 0; cpu < r->cpus; cpu++) {
        for (size_t i = 0; i < r->sets[L2] * 2; i++) {
            struct line *line = &r->lines[cpu][L2][i];

            for (unsigned other = 0; line->address != ~0ull && other < r->cpus; other++) {
                if (other != cpu && line->state != 'S')
                    CHECK(look(r, other, L2, line->address, line->address) == NULL);
            }
        }
        for (size_t i = 0; i < r->sets[L1D] * 2; i++) {
            struct line *line = &r->lines[cpu][L1D][i];
            struct line *second;

            if (line->address == ~0ull)
                continue;
            second = look(r, cpu, L2, line->address, line->address);
            CHECK(second != NULL && (line->state != 'D' || second->state == 'M'));
        }
    }
}

static uint64_t random_state = 88172645463325252;

static uint64_t random_number(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state >> 11) % below;
}

/* An address of few lines that share sets, near others: conflicts, sharing and synonyms abound. */
static uint64_t random_address(uint64_t l2_size)
{
    static const uint64_t shapes[] = {0, 0x1000, 0x4000, 0x5000, 0x8000};

    return random_number(4) * (l2_size / 2) + shapes[random_number(5)] + random_number(8) * 32 +
           random_number(4) * 0x2000;
}

static void compare(unsigned cpus, uint64_t l2_size, unsigned l2_line, unsigned accesses)
{
    static struct reference r;
    static uint64_t raw[CPUS_MAX][QPMU_EVENTS];
    struct qpmu_hierarchy *hierarchy = qpmu_hierarchy_create(cpus, l2_size, l2_line);

    CHECK(hierarchy != NULL);
    memset(raw, 0, sizeof(raw));
    reference_begin(&r, cpus, l2_size, l2_line);
    for (unsigned cpu = 0; cpu < cpus; cpu++)
        qpmu_hierarchy_attach(hierarchy, cpu, raw[cpu]);
    for (unsigned i = 0; i < accesses; i++) {
        unsigned cpu = (unsigned)random_number(cpus);
        uint64_t physical = random_address(l2_size) + random_number(32);
        uint64_t alias = random_number(10) == 0 ? random_number(4) * 0x1000 : 0;
        enum qpmu_access kind = (enum qpmu_access)random_number(3);

        qpmu_hierarchy_access(hierarchy, cpu, physical, physical ^ alias, 1, kind);
        reference_access(&r, cpu, physical, physical ^ alias, kind);
        if (i % 256 != 0)
            continue;
        for (unsigned each = 0; each < cpus; each++) {
            qpmu_hierarchy_take(hierarchy, each);
            for (unsigned event = 0; event < QPMU_EVENTS; event++)
                CHECK_EQUAL(raw[each][event], r.events[each][event]);
        }
    }
    check_coherent(&r);
    for (unsigned event = QPMU_INTERVENTIONS; event <= QPMU_UPGRADE_SHARED; event++)
        CHECK((raw[0][event] != 0) == (cpus > 1));
    for (unsigned event = QPMU_L1D_MISSES; event <= QPMU_LLC_MISSES; event++)
        CHECK(raw[0][event] != 0 || (event >= QPMU_INTERVENTIONS && event <= QPMU_UPGRADE_SHARED));
    reference_end(&r);
    qpmu_hierarchy_destroy(hierarchy);
}

TEST(qpmu_cache_one_cpu)
{
    compare(1, 512 << 10, 128, 40000);
    compare(1, 1 << 20, 64, 40000);
}

TEST(qpmu_cache_coherence)
{
    compare(2, 1 << 20, 128, 40000);
    compare(4, 512 << 10, 64, 40000);
}

/* Walks SIZE bytes by STRIDE; the misses of the L1D. */
static uint64_t walk(struct qpmu_hierarchy *hierarchy, uint64_t *raw, uint64_t size,
                     uint64_t stride, enum qpmu_access kind)
{
    uint64_t before = raw[QPMU_L1D_MISSES];

    for (uint64_t at = 0; at < size; at += stride)
        qpmu_hierarchy_access(hierarchy, 0, 0x200000 + at, 0xffffffff80200000 + at, 4, kind);
    return raw[QPMU_L1D_MISSES] - before;
}

TEST(qpmu_cache_walks)
{
    static uint64_t raw[QPMU_EVENTS];
    struct qpmu_hierarchy *hierarchy = qpmu_hierarchy_create(1, 1 << 20, 128);

    memset(raw, 0, sizeof(raw));
    qpmu_hierarchy_attach(hierarchy, 0, raw);
    CHECK_EQUAL(walk(hierarchy, raw, 64 << 10, 32, QPMU_LOAD), 2048);
    for (unsigned pass = 0; pass < 5; pass++)
        CHECK_EQUAL(walk(hierarchy, raw, 64 << 10, 32, QPMU_LOAD), 2048);
    CHECK_EQUAL(raw[QPMU_L2D_MISSES], 512); /* the first pass only, by lines of 128 */
    CHECK_EQUAL(raw[QPMU_LLC_REFERENCES], 6 * 2048);
    CHECK_EQUAL(walk(hierarchy, raw, 16 << 10, 32, QPMU_LOAD), 512);
    for (unsigned pass = 0; pass < 5; pass++)
        CHECK_EQUAL(walk(hierarchy, raw, 16 << 10, 4, QPMU_LOAD), 0);
    CHECK_EQUAL(walk(hierarchy, raw, 32 << 10, 32, QPMU_LOAD), 512);
    CHECK_EQUAL(walk(hierarchy, raw, 32 << 10, 32, QPMU_STORE), 0);
    CHECK_EQUAL(raw[QPMU_L1D_WRITEBACKS], 0);
    CHECK_EQUAL(walk(hierarchy, raw, 64 << 10, 32, QPMU_LOAD), 1024); /* half of it was there */
    CHECK_EQUAL(raw[QPMU_L1D_WRITEBACKS], 1024 * 2); /* dirty, two quadwords each */
    CHECK_EQUAL(raw[QPMU_UPGRADE_CLEAN] + raw[QPMU_UPGRADE_SHARED], 0);
    qpmu_hierarchy_reset(hierarchy);
    CHECK_EQUAL(walk(hierarchy, raw, 16 << 10, 32, QPMU_LOAD), 512);
    qpmu_hierarchy_destroy(hierarchy);
}

/* What leaves the L2 dirty leaves whole: 512 KiB of stores, then of loads that map there. */
TEST(qpmu_cache_quadwords)
{
    for (unsigned line = 64; line <= 128; line *= 2) {
        static uint64_t raw[QPMU_EVENTS];
        struct qpmu_hierarchy *hierarchy = qpmu_hierarchy_create(1, 512 << 10, line);

        memset(raw, 0, sizeof(raw));
        qpmu_hierarchy_attach(hierarchy, 0, raw);
        for (unsigned at = 0; at < 1024 << 10; at += line)
            qpmu_hierarchy_access(hierarchy, 0, at, at, 4, at < 512 << 10 ? QPMU_STORE : QPMU_LOAD);
        CHECK_EQUAL(raw[QPMU_L2_WRITEBACKS], (512 << 10) / 16);
        CHECK_EQUAL(raw[QPMU_L1D_WRITEBACKS], (512 << 10) / line * 2);
        qpmu_hierarchy_destroy(hierarchy);
    }
}

/* An access across the end of a line is one to each. */
TEST(qpmu_cache_split)
{
    static uint64_t raw[QPMU_EVENTS];
    struct qpmu_hierarchy *hierarchy = qpmu_hierarchy_create(1, 1 << 20, 64);

    memset(raw, 0, sizeof(raw));
    qpmu_hierarchy_attach(hierarchy, 0, raw);
    qpmu_hierarchy_access(hierarchy, 0, 0x101e, 0x101e, 2, QPMU_LOAD);
    CHECK_EQUAL(raw[QPMU_L1D_MISSES], 1);
    qpmu_hierarchy_access(hierarchy, 0, 0x201f, 0x201f, 2, QPMU_LOAD);
    CHECK_EQUAL(raw[QPMU_L1D_MISSES], 3);
    qpmu_hierarchy_access(hierarchy, 0, 0x3001, 0x3001, 64, QPMU_LOAD);
    CHECK_EQUAL(raw[QPMU_L1D_MISSES], 6);
    qpmu_hierarchy_access(hierarchy, 0, 0x403d, 0x403d, 4, QPMU_FETCH);
    CHECK_EQUAL(raw[QPMU_L1I_MISSES], 2);
    qpmu_hierarchy_destroy(hierarchy);
}

/* The fast path answers as a full access would. */
TEST(qpmu_cache_fast_path)
{
    struct qpmu_hierarchy *hierarchy = qpmu_hierarchy_create(1, 1 << 20, 128);
    struct qpmu_cache *l1d = qpmu_hierarchy_l1d(hierarchy, 0);
    uint64_t dirty = QPMU_LINE_VALID | QPMU_LINE_OWNED;

    CHECK(!qpmu_cache_hit(l1d, 0, 0, QPMU_LINE_VALID)); /* empty is not line 0 */
    CHECK(!qpmu_cache_hit(l1d, 0x1000, 0x1000, QPMU_LINE_VALID));
    qpmu_hierarchy_access(hierarchy, 0, 0x1000, 0x1000, 4, QPMU_LOAD);
    CHECK(qpmu_cache_hit(l1d, 0x101f, 0x101f, QPMU_LINE_VALID));
    CHECK(!qpmu_cache_hit(l1d, 0x1020, 0x1020, QPMU_LINE_VALID));
    CHECK(!qpmu_cache_hit(l1d, 0x1000, 0x1000, dirty));
    qpmu_hierarchy_access(hierarchy, 0, 0x1000, 0x1000, 4, QPMU_STORE);
    CHECK(qpmu_cache_hit(l1d, 0x1000, 0x1000, dirty));
    CHECK(!qpmu_cache_hit(l1d, 0x1000, 0x2000, QPMU_LINE_VALID)); /* other virtual index */
    CHECK(qpmu_cache_hit(l1d, 0x1000, 0x5000, QPMU_LINE_VALID));  /* same bits 13:12 */
    qpmu_hierarchy_destroy(hierarchy);
}

TEST(qpmu_cache_geometry)
{
    CHECK(qpmu_hierarchy_create(0, 1 << 20, 128) == NULL);
    CHECK(qpmu_hierarchy_create(257, 1 << 20, 128) == NULL);
    CHECK(qpmu_hierarchy_create(1, 256 << 10, 128) == NULL);
    CHECK(qpmu_hierarchy_create(1, 32 << 20, 128) == NULL);
    CHECK(qpmu_hierarchy_create(1, (1 << 20) + 128, 128) == NULL);
    CHECK(qpmu_hierarchy_create(1, 1 << 20, 32) == NULL);
    CHECK(qpmu_hierarchy_create(1, 1 << 20, 96) == NULL);
    qpmu_hierarchy_destroy(qpmu_hierarchy_create(1, 16 << 20, 128));
    qpmu_hierarchy_destroy(NULL);
}
