/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of copying between the kernel and user mode: at the edges of pages, of what is mapped, and
 * of what can be a user's at all. */
#include <arch/aspace.h>
#include <arch/copy.h>
#include <arch/interrupt_flag.h>
#include <sys/evcnt.h>
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpu_share.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/interrupt/trap_count.h"
#include "kernel/lock/spinlock.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/user.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/crowd.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/user_program.h"
#include "kernel/interrupt/trap.h"
#include "tests/kernel/user_word.h"

#define PAGE  4096u
#define END   (USER_DATA + USER_SIZE) /* nothing is mapped from here on */
#define SIZES 20u
#define NEAR  17u

USER_PROGRAM(nothing, "");

static char buffer[64];

static char pattern(uintptr_t address)
{
    return (char)(address * 7 + address / PAGE + 1);
}

static char *kernel_address(uintptr_t user)
{
    return (char *)user_program_data() + (user - USER_DATA);
}

static void fill(void)
{
    for (uintptr_t at = USER_DATA; at < END; at++)
        *kernel_address(at) = pattern(at);
}

/* SIZE bytes from AT on into the middle of the buffer, OFFSET bytes from where words are aligned.
 */
static int check_in(uintptr_t at, size_t size, unsigned offset)
{
    int expected = size == 0 || at + size <= END ? 0 : -EFAULT;

    memset(buffer, 0, sizeof buffer);
    SELFTEST_CHECK(copyin((const void *)at, buffer + 8 + offset, size) == expected);
    for (size_t i = 0; expected == 0 && i < sizeof buffer; i++) {
        bool inside = i >= 8 + offset && i < 8 + offset + size;

        SELFTEST_EQUAL((uint8_t)buffer[i], inside ? (uint8_t)pattern(at + i - 8 - offset) : 0);
    }
    for (unsigned i = 0; i < 8 + offset; i++)
        SELFTEST_EQUAL((uint8_t)buffer[i], 0);
    return 0;
}

static int check_out(uintptr_t at, size_t size, unsigned offset)
{
    int expected = size == 0 || at + size <= END ? 0 : -EFAULT;

    for (size_t i = 0; i < sizeof buffer; i++)
        buffer[i] = (char)(0x80 + i);
    SELFTEST_CHECK(copyout(buffer + offset, (void *)at, size) == expected);
    for (uintptr_t i = at - 8; expected == 0 && i < at + size + 8 && i < END; i++) {
        bool inside = i >= at && i < at + size;

        SELFTEST_EQUAL((uint8_t)*kernel_address(i),
                       inside ? (uint8_t)(0x80 + offset + i - at) : (uint8_t)pattern(i));
    }
    for (uintptr_t i = at; i < at + size && i < END; i++)
        *kernel_address(i) = pattern(i);
    return 0;
}

static int check_around(uintptr_t edge)
{
    for (uintptr_t at = edge - NEAR; at <= edge + 2; at++)
        for (size_t size = 0; size < SIZES; size++)
            for (unsigned offset = 0; offset < 8; offset += 3)
                if (check_in(at, size, offset) != 0 || check_out(at, size, offset) != 0)
                    return 1;
    return 0;
}

static int check_string(uintptr_t at, size_t length, size_t size)
{
    uintptr_t end = at + length; /* where its NUL is */
    char old = end < END ? *kernel_address(end) : 0;
    size_t copied = 99;
    int result, expected;

    for (uintptr_t i = at; i < end && i < END; i++)
        *kernel_address(i) = 'a';
    if (end < END)
        *kernel_address(end) = 0;
    if (length < size)
        expected = end < END ? 0 : -EFAULT;
    else
        expected = at + size <= END ? -ENAMETOOLONG : -EFAULT;
    memset(buffer, '?', sizeof buffer);
    result = copyinstr((const void *)at, buffer, size, &copied);
    if (end < END)
        *kernel_address(end) = old;
    for (uintptr_t i = at; i < end && i < END; i++)
        *kernel_address(i) = pattern(i);
    SELFTEST_EQUAL(-result, -expected);
    SELFTEST_EQUAL((uint8_t)buffer[size], '?');
    if (expected == 0) {
        SELFTEST_EQUAL(copied, length + 1);
        SELFTEST_EQUAL(strlen(buffer), length);
        SELFTEST_EQUAL((uint8_t)buffer[length + 1], '?');
    }
    return 0;
}

static int check_strings_around(uintptr_t edge)
{
    for (uintptr_t at = edge - NEAR; at < edge; at++)
        for (size_t length = 0; length < SIZES; length++)
            for (size_t size = 1; size <= SIZES; size += 3)
                if (check_string(at, length, size) != 0)
                    return 1;
    return 0;
}

static int check_edges(void)
{
    fill();
    for (uintptr_t edge = USER_DATA + PAGE; edge <= END; edge += PAGE)
        if (check_around(edge) != 0 || check_strings_around(edge) != 0)
            return selftest_fail("%s, at 0x%lx", selftest_reason(), (unsigned long)edge);
    return 0;
}

SELFTEST_ONE_CPU(copy_edges, "copy-edges",
                 "copies in and out and of strings are right at every edge of a page")
{
    int result;

    SELFTEST_CHECK(user_program_load(&nothing, true) == 0);
    result = check_edges();
    user_program_unload();
    return result;
}

/* Addresses that no page makes a user's: FROM, and TO copies are tried; no byte may be touched. */
static int check_refused(uintptr_t address, size_t size)
{
    size_t length;

    if (copyin((const void *)address, buffer, size) != -EFAULT ||
        copyout(buffer, (void *)address, size) != -EFAULT ||
        (address >= ASPACE_USER_END &&
         copyinstr((const void *)address, buffer, sizeof buffer, &length) != -EFAULT))
        return selftest_fail("0x%lx, %lu bytes", (unsigned long)address, (unsigned long)size);
    return 0;
}

SELFTEST_ONE_CPU(copy_refused, "copy-refused",
                 "copies to and from what cannot be a user's are refused, and nothing is touched")
{
    static char own[64];
    static const uintptr_t far[] = {ASPACE_USER_END, ASPACE_USER_END + 8, UINTPTR_MAX - 7,
                                    UINTPTR_MAX,     1ul << 47,           1ul << 62,
                                    1ul << 63};
    const struct cpu *cpu = cpu_current();
    uint64_t traps = trap_count(cpu->id);

    memset(own, 'o', sizeof own);
    memset(buffer, 'b', sizeof buffer);
    for (unsigned i = 0; i < sizeof far / sizeof far[0]; i++)
        for (size_t size = 1; size < 20; size++)
            if (check_refused(far[i], size) != 0)
                return 1;
    for (unsigned before = 1; before < 8; before++) /* across the limit, and around the end */
        if (check_refused(ASPACE_USER_END - before, before + 1) != 0 ||
            check_refused(ASPACE_USER_END - before, SIZE_MAX) != 0 ||
            check_refused(UINTPTR_MAX - before, before + 8) != 0)
            return 1;
    if (check_refused((uintptr_t)own, 8) != 0 || check_refused((uintptr_t)&cpu_self, 8) != 0 ||
        check_refused(1, SIZE_MAX) != 0)
        return 1;
    for (unsigned i = 0; i < sizeof own; i++)
        SELFTEST_CHECK(own[i] == 'o' && buffer[i] == 'b');
    SELFTEST_EQUAL(trap_count(cpu->id) - traps, 0); /* nobody even tried */
    SELFTEST_EQUAL(copyin((const void *)(ASPACE_USER_END), buffer, 0), 0);
    return 0;
}

static unsigned asked;
static uint64_t asked_address;

static bool user_copy_give(const struct trap *trap)
{
    asked++;
    asked_address = trap->address;
    return !trap->user && user_program_map() == 0;
}

static bool user_copy_refuse(const struct trap *trap)
{
    (void)trap;
    asked++;
    return false;
}

/* A copy of a word at USER_DATA, where nothing is mapped: whom it asks, and what comes of it. */
static int check_asking(bool (*fault)(const struct trap *), int expected, unsigned asks)
{
    struct trap_owner owner = {.fault = fault};
    uint64_t word = 0;
    int result;

    asked = 0;
    SELFTEST_CHECK(thread_user_prepare(&owner) == 0);
    result = copyin((const void *)(USER_DATA + 16), &word, sizeof word);
    thread_user_end();
    SELFTEST_EQUAL(-result, -expected);
    SELFTEST_EQUAL(asked, asks);
    SELFTEST_EQUAL(word, expected == 0 ? 0x1122334455667788ul : 0);
    return 0;
}

/* The kernel's own use of a user's address, in no copy, is a mistake that no page mends. */
static int check_bare(void)
{
    struct trap_owner owner = {.fault = user_copy_give};
    uint64_t value;

    user_program_unmap();
    asked = 0;
    SELFTEST_CHECK(thread_user_prepare(&owner) == 0);
    SELFTEST_CHECK(!user_word_read(USER_DATA + 16, &value));
    thread_user_end();
    SELFTEST_EQUAL(asked, 0);
    return 0;
}

static int check_space(void)
{
    uintptr_t state;
    int result;

    *(uint64_t *)(void *)kernel_address(USER_DATA + 16) = 0x1122334455667788ul;
    if (check_asking(user_copy_refuse, -EFAULT, 1) != 0 || check_asking(NULL, -EFAULT, 0) != 0)
        return 1;
    state = interrupts_save(); /* nobody can be waited for */
    result = check_asking(user_copy_give, -EFAULT, 0);
    interrupts_restore(state);
    if (result != 0 || check_asking(user_copy_give, 0, 1) != 0)
        return 1;
    SELFTEST_EQUAL(asked_address, USER_DATA + 16);
    if (check_asking(user_copy_give, 0, 0) != 0) /* it is there now */
        return 1;
    return check_bare();
}

SELFTEST_ONE_CPU(copy_asks, "copy-asks", "a copy asks the address space for what is not there")
{
    int result;

    SELFTEST_CHECK(user_program_load(&nothing, false) == 0);
    result = check_space();
    user_program_unload();
    return result;
}

#define COPIES 20000u

static volatile bool ending;
static unsigned wrong;
static struct spinlock wrong_lock = SPINLOCK_INITIALIZER("test");

static void copy_often(void *unused)
{
    unsigned here = 0;
    char word[8];
    uintptr_t state;

    (void)unused;
    thread_set_aspace(user_program_space());
    for (unsigned i = 0; i < COPIES; i++)
        here += copyin((const void *)(END + i % PAGE), word, sizeof word) != -EFAULT;
    state = spinlock_acquire(&wrong_lock);
    wrong += here;
    spinlock_release(&wrong_lock, state);
}

static void do_nothing(void *unused)
{
    (void)unused;
}

/* Interrupts on all CPUs, all the time. */
static void user_copy_disturb(void *unused)
{
    (void)unused;
    while (!ending) {
        cross_call_all(do_nothing, NULL);
        thread_yield();
    }
}

static uint64_t user_copy_faults(void)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        sum += trap_count_memory(cpu, TRAP_MEMORY_ABSENT);
    return sum;
}

SELFTEST(copy_disturbed, "copy-disturbed",
         "copies that fault on all CPUs, beside interrupts, are counted exactly and all return")
{
    struct thread *disturber;
    uint64_t before = user_copy_faults();
    int result;

    wrong = 0;
    ending = false;
    SELFTEST_CHECK(user_program_load(&nothing, true) == 0);
    SELFTEST_CHECK(
        thread_create("disturb", THREAD_PRIORITY_NORMAL, user_copy_disturb, NULL, &disturber) == 0);
    result = crowd_run(8, copy_often, NULL);
    ending = true;
    thread_join(disturber);
    user_program_unload();
    SELFTEST_EQUAL(wrong, 0);
    SELFTEST_EQUAL(user_copy_faults() - before, 8 * COPIES);
    return result;
}
