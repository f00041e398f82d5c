/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of address spaces on one CPU: what is refused, what is found again, what rights mean. */
#include <arch/aspace.h>
#include "tests/kernel/selftest.h"
#include "kernel/memory/page.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "kernel/interrupt/trap.h"
#include "tests/kernel/user_word.h"

#define AT       0x40000000ul
#define RW       (ASPACE_READ | ASPACE_WRITE)
#define THOUSAND 1000u

static uint64_t free_pages(void)
{
    struct page_stats stats;

    page_stats_get(&stats);
    return stats.free;
}

static void count_gone(void *argument, uint64_t physical)
{
    (void)physical;
    ++*(unsigned *)argument;
}

static int check_refusals(struct aspace *space, uint64_t physical)
{
    uintptr_t stack = (uintptr_t)thread_current()->stack & -(uintptr_t)PAGE_SIZE;

    SELFTEST_EQUAL(aspace_map(space, AT + 8, physical, PAGE_SIZE, RW), -EINVAL);
    SELFTEST_EQUAL(aspace_map(space, AT, physical + 8, PAGE_SIZE, RW), -EINVAL);
    SELFTEST_EQUAL(aspace_map(space, AT, physical, PAGE_SIZE + 1, RW), -EINVAL);
    SELFTEST_EQUAL(aspace_map(space, 0, physical, PAGE_SIZE, RW), -EINVAL);
    SELFTEST_EQUAL(aspace_map(space, ASPACE_USER_END, physical, PAGE_SIZE, RW), -EINVAL);
    SELFTEST_EQUAL(aspace_map(space, ASPACE_USER_END - PAGE_SIZE, physical, 2 * PAGE_SIZE, RW),
                   -EINVAL);
    SELFTEST_EQUAL(aspace_map(space, AT, physical, -PAGE_SIZE, RW), -EINVAL);
    SELFTEST_EQUAL(aspace_map(&aspace_kernel, stack, physical, PAGE_SIZE, RW | ASPACE_EXECUTE),
                   -EACCES);
    SELFTEST_EQUAL(aspace_map(&aspace_kernel, AT, physical, PAGE_SIZE, RW), -EINVAL);
    SELFTEST_EQUAL(aspace_protect(&aspace_kernel, stack, PAGE_SIZE, RW | ASPACE_EXECUTE), -EACCES);
    SELFTEST_EQUAL(aspace_protect(space, AT + 1, PAGE_SIZE, RW), -EINVAL);
    SELFTEST_EQUAL(aspace_unmap(space, AT, PAGE_SIZE, NULL, NULL), 0);
    SELFTEST_EQUAL(aspace_lookup(space, AT, NULL, NULL), -EFAULT);
    SELFTEST_EQUAL(aspace_lookup(space, ASPACE_USER_END + AT, NULL, NULL), -EFAULT);
    SELFTEST_EQUAL(aspace_pages(space), 0);
    return 0;
}

static int check_found(struct aspace *space, uint64_t physical)
{
    unsigned rights = 0, gone = 0;
    uint64_t found = 0;

    SELFTEST_EQUAL(aspace_map(space, AT, physical, 4 * PAGE_SIZE, RW), 0);
    SELFTEST_EQUAL(aspace_map(space, AT + 3 * PAGE_SIZE, physical, 2 * PAGE_SIZE, RW), -EEXIST);
    SELFTEST_EQUAL(aspace_pages(space), 4);
    SELFTEST_EQUAL(aspace_lookup(space, AT + 2 * PAGE_SIZE + 5, &found, &rights), 0);
    SELFTEST_EQUAL(found, physical + 2 * PAGE_SIZE + 5);
    SELFTEST_EQUAL(rights, RW);
    for (unsigned i = 0; i < 6; i++) {
        static const unsigned all[] = {
            0, ASPACE_READ, RW, ASPACE_READ | ASPACE_EXECUTE, RW | ASPACE_EXECUTE, 0};

        SELFTEST_EQUAL(aspace_protect(space, AT + PAGE_SIZE, 2 * PAGE_SIZE, all[i]), 0);
        SELFTEST_EQUAL(aspace_lookup(space, AT + 2 * PAGE_SIZE, &found, &rights), 0);
        SELFTEST_EQUAL(rights, all[i]);
        SELFTEST_EQUAL(found, physical + 2 * PAGE_SIZE);
        SELFTEST_EQUAL(aspace_lookup(space, AT, NULL, &rights), 0);
        SELFTEST_EQUAL(rights, RW);
    }
    SELFTEST_EQUAL(aspace_map(space, AT + PAGE_SIZE, physical, PAGE_SIZE, RW), -EEXIST);
    SELFTEST_EQUAL(aspace_unmap(space, AT + PAGE_SIZE, PAGE_SIZE, count_gone, &gone), 1);
    SELFTEST_EQUAL(aspace_lookup(space, AT + PAGE_SIZE, NULL, NULL), -EFAULT);
    SELFTEST_EQUAL(aspace_unmap(space, ASPACE_USER_START, ASPACE_USER_END - ASPACE_USER_START,
                                count_gone, &gone),
                   3);
    SELFTEST_EQUAL(gone, 4);
    SELFTEST_EQUAL(aspace_pages(space), 0);
    return 0;
}

SELFTEST(aspace_found, "aspace-found",
         "what is mapped is found with its rights, until it is unmapped; the rest is refused")
{
    uint64_t free = free_pages();
    struct aspace *space = aspace_create();
    void *block = page_alloc(2);
    int result;

    SELFTEST_CHECK(space != NULL && block != NULL);
    result = check_refusals(space, memory_physical(block));
    if (result == 0)
        result = check_found(space, memory_physical(block));
    aspace_unmap(space, ASPACE_USER_START, ASPACE_USER_END - ASPACE_USER_START, NULL, NULL);
    aspace_destroy(space);
    page_free(block);
    if (result == 0)
        SELFTEST_EQUAL(free_pages(), free);
    return result;
}

/* For each set of rights, whether a word can be read and written. */
static int check_rights(struct aspace *space)
{
    uint64_t value = 0;

    for (unsigned round = 0; round < 3; round++) {
        SELFTEST_EQUAL(aspace_protect(space, AT, PAGE_SIZE, ASPACE_READ), 0);
        SELFTEST_CHECK(user_word_read(AT, &value));
        SELFTEST_CHECK(!user_word_write(AT, 1));
        SELFTEST_EQUAL(aspace_protect(space, AT, PAGE_SIZE, RW), 0);
        SELFTEST_CHECK(user_word_write(AT, 77 + round));
        SELFTEST_EQUAL(aspace_protect(space, AT, PAGE_SIZE, 0), 0);
        SELFTEST_CHECK(!user_word_read(AT, &value));
        SELFTEST_EQUAL(aspace_protect(space, AT, PAGE_SIZE, ASPACE_READ | ASPACE_EXECUTE), 0);
        SELFTEST_CHECK(user_word_read(AT, &value));
        SELFTEST_EQUAL(value, 77 + round);
        SELFTEST_CHECK(!user_word_read(AT + PAGE_SIZE, &value));
        SELFTEST_CHECK(!user_word_read(ASPACE_USER_END - PAGE_SIZE, &value));
    }
    return 0;
}

SELFTEST(aspace_rights, "aspace-rights", "a page allows what its rights say, and nothing else")
{
    struct aspace *space = aspace_create();
    uint64_t *page = page_alloc(0);
    int result;

    SELFTEST_CHECK(space != NULL && page != NULL);
    SELFTEST_EQUAL(aspace_map(space, AT, memory_physical(page), PAGE_SIZE, RW), 0);
    thread_set_aspace(space);
    result = check_rights(space);
    thread_set_aspace(NULL);
    aspace_unmap(space, AT, PAGE_SIZE, NULL, NULL);
    aspace_destroy(space);
    if (result == 0)
        SELFTEST_EQUAL(page[0], 79);
    page_free(page);
    return result;
}

static void unguarded_read(void *unused)
{
    (void)unused;
    (void)*(volatile uint64_t *)AT;
}

SELFTEST(aspace_guards, "aspace-guards",
         "where the CPU keeps user data from the kernel (SMAP), only user_access reaches it")
{
    struct aspace *space;
    uint64_t *page, value = 0;
    bool faulted, read;

    if (!(aspace_guards() & ASPACE_GUARD_USER_DATA))
        return selftest_skip("this CPU does not keep user data from the kernel");
    space = aspace_create();
    page = page_alloc(0);
    SELFTEST_CHECK(space != NULL && page != NULL);
    page[0] = 4711;
    SELFTEST_EQUAL(aspace_map(space, AT, memory_physical(page), PAGE_SIZE, RW), 0);
    thread_set_aspace(space);
    faulted = trap_try(unguarded_read, NULL);
    read = user_word_read(AT, &value);
    thread_set_aspace(NULL);
    aspace_unmap(space, AT, PAGE_SIZE, NULL, NULL);
    aspace_destroy(space);
    page_free(page);
    SELFTEST_CHECK(faulted);
    SELFTEST_CHECK(read);
    SELFTEST_EQUAL(value, 4711);
    return 0;
}

static void unguarded_call(void *unused)
{
    (void)unused;
    ((void (*)(void))AT)();
}

#define RET 0xc3 /* of x86: machines that keep the kernel from users' code are no others so far */

SELFTEST(aspace_guards_code, "aspace-guards-code",
         "where the CPU keeps user code from the kernel (SMEP), it cannot be called")
{
    struct aspace *space;
    uint8_t *page;
    bool faulted;

    if (!(aspace_guards() & ASPACE_GUARD_CODE))
        return selftest_skip("this CPU does not keep user code from the kernel");
    space = aspace_create();
    page = page_alloc(0);
    SELFTEST_CHECK(space != NULL && page != NULL);
    page[0] = RET;
    SELFTEST_EQUAL(
        aspace_map(space, AT, memory_physical(page), PAGE_SIZE, ASPACE_READ | ASPACE_EXECUTE), 0);
    thread_set_aspace(space);
    faulted = trap_try(unguarded_call, NULL);
    thread_set_aspace(NULL);
    aspace_unmap(space, AT, PAGE_SIZE, NULL, NULL);
    aspace_destroy(space);
    page_free(page);
    SELFTEST_CHECK(faulted);
    return 0;
}

/* With tables on all levels, and used by this thread; how much of it went wrong. */
static unsigned aspace_come_and_go(uint64_t *page)
{
    struct aspace *space = aspace_create();
    uintptr_t far = ASPACE_USER_END - PAGE_SIZE;
    uint64_t value = 0;
    unsigned wrong;

    if (!space)
        return 1;
    wrong = aspace_map(space, AT, memory_physical(page), PAGE_SIZE, RW) != 0;
    wrong += aspace_map(space, far, memory_physical(page), PAGE_SIZE, ASPACE_READ) != 0;
    thread_set_aspace(space);
    wrong += !user_word_read(far, &value) || value != 1234;
    thread_set_aspace(NULL);
    wrong += aspace_unmap(space, AT, ASPACE_USER_END - AT, NULL, NULL) != 2;
    aspace_destroy(space);
    return wrong;
}

SELFTEST(aspace_thousand, "aspace-thousand",
         "a thousand address spaces come and go, and leave as many pages as there were")
{
    uint64_t free, *page = page_alloc(0);
    unsigned wrong = 0;

    SELFTEST_CHECK(page != NULL);
    page[0] = 1234;
    wrong += aspace_come_and_go(
        page); /* its tables are kept for the next, what is small shares a page */
    free = free_pages();
    for (unsigned i = 0; i < THOUSAND; i++)
        wrong += aspace_come_and_go(page);
    SELFTEST_EQUAL(free_pages(), free);
    SELFTEST_EQUAL(wrong, 0);
    page_free(page);
    return 0;
}
