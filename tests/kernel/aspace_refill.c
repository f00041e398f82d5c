/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of what a TLB that software refills has in it: refills by hand-worked sums, and more
 * address spaces than there are numbers for them (ASIDs). A machine whose hardware refills counts
 * none; the contents are checked everywhere.
 */
#include <arch/aspace.h>
#include <sys/evcnt.h>
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "kernel/thread/thread.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/user_word.h"

#define AT    0x7f00000000ul
#define PAIR  (2 * PAGE_SIZE) /* behind one entry */
#define PAIRS 8u
#define TURNS 16u
#define MANY  600u /* more than twice 256 */
#define RW    (ASPACE_READ | ASPACE_WRITE)

/* Of user addresses; all. */
struct refills {
    uint64_t user, all;
};

static struct refills refills(void)
{
    const struct evcnt *user = evcnt_lookup("cpu0", "TLB refill user");
    const struct evcnt *all = evcnt_lookup("cpu0", "TLB refill");

    return (struct refills){user ? evcnt_value(user) : 0, all ? evcnt_value(all) : 0};
}

static bool has_refills(void)
{
    return evcnt_lookup("cpu0", "TLB refill user") != NULL;
}

/* Reads the word of each pair once; how many were wrong. */
static unsigned read_pairs(uint64_t first)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < PAIRS; i++) {
        uint64_t value = 0;

        wrong += !user_word_read(AT + i * PAIR, &value) || value != first + 2 * i;
    }
    return wrong;
}

static uint64_t *make_block(struct aspace *space, uint64_t first)
{
    uint64_t *block = page_alloc(4); /* 2 * PAIRS pages */

    if (!block)
        return NULL;
    for (unsigned page = 0; page < 2 * PAIRS; page++)
        block[page * PAGE_SIZE / sizeof *block] = first + page;
    return aspace_map(space, AT, memory_physical(block), PAIRS * PAIR, RW) == 0 ? block : NULL;
}

/* A read of what is not in the TLB is one refill, and the next one can only miss if that entry has
 * made room for another. */
static int check_pairs(struct aspace *const spaces[2])
{
    const unsigned each = has_refills() ? PAIRS : 0;
    struct refills before = refills(), after;

    for (unsigned i = 0; i < 2; i++) {
        thread_set_aspace(spaces[i]);
        SELFTEST_EQUAL(read_pairs(100 + 100 * i), 0);
        SELFTEST_EQUAL(refills().user - before.user, (i + 1) * each);
    }
    after = refills();
    SELFTEST_CHECK(after.all - before.all >= after.user - before.user);
    for (unsigned turn = 0; turn < 2 * TURNS; turn++) { /* they have kept their ASIDs */
        thread_set_aspace(spaces[turn % 2]);
        SELFTEST_EQUAL(read_pairs(turn % 2 ? 200 : 100), 0);
    }
    SELFTEST_CHECK(refills().user - after.user <= TURNS * each); /* some made room for others */
    for (unsigned round = 0; round < 4; round++) { /* each word has changed: all are forgotten */
        SELFTEST_EQUAL(aspace_protect(spaces[1], AT, PAIRS * PAIR, round % 2 ? RW : ASPACE_READ),
                       0);
        before = refills();
        SELFTEST_EQUAL(read_pairs(200), 0);
        SELFTEST_EQUAL(refills().user - before.user, each);
    }
    return 0;
}

SELFTEST(aspace_refills, "aspace-refills",
         "each pair of user pages is refilled once, in each address space")
{
    struct aspace *spaces[2] = {aspace_create(), aspace_create()};
    uint64_t *blocks[2];
    int result;

    SELFTEST_CHECK(spaces[0] != NULL && spaces[1] != NULL);
    for (unsigned i = 0; i < 2; i++) {
        blocks[i] = make_block(spaces[i], 100 + 100 * i);
        SELFTEST_CHECK(blocks[i] != NULL);
    }
    result = check_pairs(spaces);
    thread_set_aspace(NULL);
    for (unsigned i = 0; i < 2; i++) {
        aspace_unmap(spaces[i], AT, PAIRS * PAIR, NULL, NULL);
        aspace_destroy(spaces[i]);
        page_free(blocks[i]);
    }
    return result;
}

/* A large change, while another is active: the ASID goes. And a small one. */
static int check_away(struct aspace *const spaces[2], uint64_t *const pages[2])
{
    for (unsigned round = 0; round < 8; round++) {
        size_t size = round % 2 ? PAGE_SIZE : 1ul << 30;
        uint64_t value = 0;

        thread_set_aspace(spaces[0]);
        SELFTEST_CHECK(user_word_read(AT, &value));
        SELFTEST_EQUAL(value, 10 + round % 2);
        thread_set_aspace(spaces[1]);
        SELFTEST_CHECK(!user_word_read(AT, &value));
        SELFTEST_EQUAL(aspace_unmap(spaces[0], AT, size, NULL, NULL), 1);
        thread_set_aspace(spaces[0]);
        SELFTEST_CHECK(!user_word_read(AT, &value));
        SELFTEST_EQUAL(
            aspace_map(spaces[0], AT, memory_physical(pages[(round + 1) % 2]), PAGE_SIZE, RW), 0);
    }
    return 0;
}

SELFTEST(aspace_away, "aspace-away",
         "what changes in an address space that is not active is seen when it is again")
{
    struct aspace *spaces[2] = {aspace_create(), aspace_create()};
    uint64_t *pages[2] = {page_alloc(0), page_alloc(0)};
    int result;

    SELFTEST_CHECK(spaces[0] && spaces[1] && pages[0] && pages[1]);
    pages[0][0] = 10;
    pages[1][0] = 11;
    SELFTEST_EQUAL(aspace_map(spaces[0], AT, memory_physical(pages[0]), PAGE_SIZE, RW), 0);
    result = check_away(spaces, pages);
    thread_set_aspace(NULL);
    for (unsigned i = 0; i < 2; i++) {
        aspace_unmap(spaces[i], AT, PAGE_SIZE, NULL, NULL);
        aspace_destroy(spaces[i]);
        page_free(pages[i]);
    }
    return result;
}

static struct aspace *many[MANY];

/* In as many address spaces as fit into memory; each has another page of one word a number. */
static unsigned make_many(uint64_t *const pages[4])
{
    unsigned count = 0;

    while (count < MANY && (many[count] = aspace_create()) != NULL) {
        if (aspace_map(many[count], AT, memory_physical(pages[count % 4]), PAGE_SIZE, RW) != 0) {
            aspace_destroy(many[count]);
            break;
        }
        count++;
    }
    return count;
}

static int check_many(unsigned count)
{
    for (unsigned round = 0; round < 3; round++)
        for (unsigned i = 0; i < count; i++) {
            uint64_t before = refills().user, value = 0;

            thread_set_aspace(many[i]);
            SELFTEST_CHECK(user_word_read(AT, &value));
            SELFTEST_EQUAL(value, 70 + i % 4);
            SELFTEST_EQUAL(refills().user - before, has_refills());
        }
    return 0;
}

SELFTEST(
    aspace_many, "aspace-many",
    "six hundred address spaces in turn: each has its own contents, and none another's entries")
{
    uint64_t *pages[4];
    unsigned count;
    int result;

    for (unsigned i = 0; i < 4; i++) {
        pages[i] = page_alloc(0);
        SELFTEST_CHECK(pages[i] != NULL);
        pages[i][0] = 70 + i;
    }
    count = make_many(pages);
    result = check_many(count);
    thread_set_aspace(NULL);
    for (unsigned i = 0; i < count; i++) {
        aspace_unmap(many[i], AT, PAGE_SIZE, NULL, NULL);
        aspace_destroy(many[i]);
    }
    for (unsigned i = 0; i < 4; i++)
        page_free(pages[i]);
    if (result == 0 && count < MANY)
        return selftest_skip("memory for %u only", count);
    return result;
}
