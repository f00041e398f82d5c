/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of mapped kernel memory: more pages than any TLB holds, and faults where there are none. */
#include <arch/aspace.h>
#include <sys/evcnt.h>
#include "kernel/memory/page.h"
#include "tests/kernel/selftest.h"
#include "kernel/interrupt/trap.h"
#include "lib/errno.h"

#define PAGES 256
#define STEP  7 /* odd, so that every page has its turn */

static uint64_t *pages[PAGES];

/* The kernel's addresses do not come back: one set for all tests. */
static uintptr_t address_of(unsigned i)
{
    static uintptr_t first;

    if (!first)
        first = aspace_reserve(PAGES * PAGE_SIZE);
    return first + i * PAGE_SIZE;
}

SELFTEST(mapping_places, "mapping-places",
         "kernel addresses are given out with a guard, and no more")
{
    uintptr_t first = aspace_reserve(PAGE_SIZE), second = aspace_reserve(PAGE_SIZE);

    SELFTEST_CHECK(first != 0 && second != 0);
    SELFTEST_EQUAL(second - first,
                   (PAGE_SIZE + 2 * ASPACE_GUARD - 1) & ~(uintptr_t)(ASPACE_GUARD - 1));
    return 0;
}

static int map_page(uintptr_t address, uint64_t physical)
{
    return aspace_map(&aspace_kernel, address, physical, PAGE_SIZE, ASPACE_READ | ASPACE_WRITE);
}

static void mapping_note(void *out, uint64_t physical)
{
    *(uint64_t *)out = physical;
}

/* What was mapped there; 0: nothing. */
static uint64_t unmap_page(uintptr_t address)
{
    uint64_t physical = 0;

    aspace_unmap(&aspace_kernel, address, PAGE_SIZE, mapping_note, &physical);
    return physical;
}

static int map_all(void)
{
    for (unsigned i = 0; i < PAGES; i++) {
        pages[i] = page_alloc(0);
        SELFTEST_CHECK(pages[i] != NULL);
        SELFTEST_EQUAL(map_page(address_of(i), memory_physical(pages[i])), 0);
    }
    return 0;
}

/* Takes all mappings back; how many were not as they ought to be. */
static unsigned unmap_all(void)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < PAGES; i++) {
        if (pages[i] && unmap_page(address_of(i)) != memory_physical(pages[i]))
            wrong++;
        if (pages[i])
            page_free(pages[i]);
        pages[i] = NULL;
    }
    return wrong;
}

/* Writes through the mapping and reads both ways, in an order that a TLB cannot guess. */
static int check_contents(uint64_t seed)
{
    for (unsigned i = 0; i < PAGES; i++) {
        volatile uint64_t *mapped = (volatile uint64_t *)address_of(i * STEP % PAGES);

        mapped[0] = seed + i * STEP % PAGES;
        mapped[PAGE_SIZE / 8 - 1] = ~(seed + i * STEP % PAGES);
    }
    for (unsigned i = 0; i < PAGES; i++) {
        const volatile uint64_t *mapped = (volatile uint64_t *)address_of(i), *direct = pages[i];

        SELFTEST_EQUAL(mapped[0], seed + i);
        SELFTEST_EQUAL(direct[0], seed + i);
        SELFTEST_EQUAL(direct[PAGE_SIZE / 8 - 1], ~(seed + i));
        SELFTEST_EQUAL(mapped[PAGE_SIZE / 8 - 1], ~(seed + i));
    }
    return 0;
}

SELFTEST(mapping_pages, "mapping-pages",
         "256 mapped pages hold what is written; a TLB that is refilled counts it")
{
    const struct evcnt *refills = evcnt_lookup("cpu0", "TLB refill");
    uint64_t before = refills ? evcnt_value(refills) : 0, after;
    int result = map_all();
    unsigned wrong;

    if (result == 0)
        result = check_contents(1000) || check_contents(77777);
    after = refills ? evcnt_value(refills) : 0;
    wrong = unmap_all();
    SELFTEST_EQUAL(result, 0);
    SELFTEST_EQUAL(wrong, 0);
    if (refills && after - before < PAGES / 2)
        return selftest_fail("%lu refills for %u pages", (unsigned long)(after - before), PAGES);
    return 0;
}

static void read_word(void *argument)
{
    (void)*(volatile uint64_t *)argument;
}

SELFTEST(mapping_fault, "mapping-fault", "a page that was unmapped faults, its neighbours do not")
{
    uint64_t *page = page_alloc(0), *neighbour = page_alloc(0);
    void *at = (void *)address_of(0), *beside = (void *)address_of(1);
    bool faults[5];

    SELFTEST_CHECK(page != NULL && neighbour != NULL);
    page[0] = 42;
    faults[0] = !trap_try(read_word, at); /* not mapped yet */
    SELFTEST_EQUAL(map_page(address_of(0), memory_physical(page)), 0);
    SELFTEST_EQUAL(map_page(address_of(1), memory_physical(neighbour)), 0);
    faults[1] = trap_try(read_word, at);
    faults[2] = *(volatile uint64_t *)at != 42;
    SELFTEST_EQUAL(unmap_page(address_of(0)), memory_physical(page));
    faults[3] = !trap_try(read_word, at);
    faults[4] = trap_try(read_word, beside);
    SELFTEST_EQUAL(unmap_page(address_of(1)), memory_physical(neighbour));
    page_free(page);
    page_free(neighbour);
    for (unsigned i = 0; i < 5; i++)
        if (faults[i])
            return selftest_fail("access %u did not end as it ought to", i);
    return 0;
}

SELFTEST(mapping_errors, "mapping-errors",
         "what cannot be mapped is refused, what is not mapped has nothing to give back")
{
    uint64_t *page = page_alloc(0);
    uint64_t physical = memory_physical(page);

    SELFTEST_CHECK(page != NULL);
    SELFTEST_EQUAL(map_page(address_of(0), physical), 0);
    SELFTEST_EQUAL(map_page(address_of(0), physical), -EEXIST);
    SELFTEST_EQUAL(map_page(address_of(0) + 8, physical), -EINVAL);
    SELFTEST_EQUAL(map_page(address_of(1), physical + 1), -EINVAL);
    SELFTEST_CHECK(map_page((uintptr_t)&pages & ~(PAGE_SIZE - 1), physical) < 0);
    SELFTEST_EQUAL(map_page(ASPACE_USER_START, physical), -EINVAL);
    SELFTEST_EQUAL(unmap_page(address_of(0)), physical);
    SELFTEST_EQUAL(unmap_page(address_of(0)), 0);
    page_free(page);
    return 0;
}
