/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of copied memory: who shares which page, until who writes. */
#include "kernel/memory/kmem.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/vm_run.h"

#define PAGES 60u

static uintptr_t at(unsigned page)
{
    return VM_AT + page * PAGE_SIZE;
}

/* The process has VM now, which the test holds, as it does the one of before. */
static void become(struct vm *vm)
{
    vm_hold(vm);
    vm_attach(process_current(), vm);
}

/* The test holds the first one as well. */
static int held(struct vm *parent, int (*test)(struct vm *parent))
{
    int result;

    vm_hold(parent);
    result = test(parent);
    vm_release(parent);
    return result;
}

/* The child writes to 7 pages, then the parent to those and to 5 more, then the child to those. */
static int check_writes(struct vm *parent, struct vm *child, uint64_t before)
{
    uint64_t copied = vm_run_counter("flt_acow"), alone = vm_run_counter("flt_anon");

    become(child);
    SELFTEST_EQUAL(vm_pages_with(at(0), PAGES, 100), PAGES);
    SELFTEST_EQUAL(vm_run_faults().minor, PAGES); /* those of before */
    SELFTEST_EQUAL(vm_write_pages(at(0), 7, 500), 7);
    SELFTEST_EQUAL(vm_write_pages(at(0), 7, 600), 7);
    SELFTEST_EQUAL(vm_run_counter("flt_acow") - copied, 7);
    SELFTEST_EQUAL(vm_run_pages() - before, PAGES + 7);
    become(parent);
    SELFTEST_EQUAL(vm_pages_with(at(0), PAGES, 100), PAGES);
    SELFTEST_EQUAL(vm_write_pages(at(0), 12, 700), 12);
    SELFTEST_EQUAL(vm_run_counter("flt_acow") - copied, 12);
    SELFTEST_EQUAL(vm_run_counter("flt_anon") - alone, 7);
    become(child);
    SELFTEST_EQUAL(vm_pages_with(at(0), 7, 600), 7);
    SELFTEST_EQUAL(vm_pages_with(at(7), PAGES - 7, 107), PAGES - 7);
    SELFTEST_EQUAL(vm_write_pages(at(7), 5, 900), 5);
    SELFTEST_EQUAL(vm_run_counter("flt_acow") - copied, 12);
    SELFTEST_EQUAL(vm_run_counter("flt_anon") - alone, 12);
    SELFTEST_EQUAL(vm_run_pages() - before, PAGES + 12);
    SELFTEST_EQUAL(vm_run_faults().copied, 12);
    SELFTEST_EQUAL(vm_run_faults().minor, PAGES + 24);
    SELFTEST_EQUAL(vm_run_faults().zeroed, PAGES);
    become(parent);
    return 0;
}

static int writes_held(struct vm *parent)
{
    uint64_t before = vm_run_pages();
    struct vm *child;
    int result;

    SELFTEST_EQUAL(-vm_map_at(parent, VM_AT, PAGES, VM_RW, 0), 0);
    SELFTEST_EQUAL(vm_write_pages(VM_AT, PAGES, 100), PAGES);
    SELFTEST_EQUAL(-vm_copy(parent, &child), 0);
    SELFTEST_EQUAL(vm_resident(child), PAGES);
    SELFTEST_EQUAL(vm_run_pages() - before, PAGES);
    result = check_writes(parent, child, before);
    vm_release(child);
    if (result != 0)
        return result;
    SELFTEST_EQUAL(vm_run_pages() - before, PAGES);
    SELFTEST_EQUAL(vm_pages_with(VM_AT, 12, 700), 12);
    return 0;
}

static int writes(struct vm *parent)
{
    return held(parent, writes_held);
}

SELFTEST(vm_fork, "vm-fork", "after a fork a page is copied once, by who writes first")
{
    return vm_run(writes);
}

/* Rights that come and go do not let one write to what both have. */
static int fork_protection_held(struct vm *parent)
{
    struct vm *child;
    uint64_t value = 0;

    SELFTEST_EQUAL(-vm_map_at(parent, VM_AT, 4, VM_RW, 0), 0);
    SELFTEST_EQUAL(vm_write_pages(VM_AT, 4, 10), 4);
    SELFTEST_EQUAL(-vm_copy(parent, &child), 0);
    become(child);
    SELFTEST_EQUAL(-vm_protect(child, VM_AT, 4 * PAGE_SIZE, 0), 0);
    SELFTEST_CHECK(!vm_read(VM_AT, &value));
    SELFTEST_EQUAL(-vm_protect(child, VM_AT, 4 * PAGE_SIZE, VM_RW), 0);
    SELFTEST_EQUAL(vm_write_pages(VM_AT, 4, 20), 4);
    become(parent);
    SELFTEST_EQUAL(vm_pages_with(VM_AT, 4, 10), 4);
    SELFTEST_EQUAL(vm_run_faults().copied, 4);
    vm_release(child);
    return 0;
}

static int fork_protection(struct vm *parent)
{
    return held(parent, fork_protection_held);
}

SELFTEST(vm_fork_rights, "vm-fork-rights", "a page of both stays so when rights change")
{
    return vm_run(fork_protection);
}

/* Shared memory stays shared, by two generations; a private one beside it does not. */
static int fork_shared_held(struct vm *parent)
{
    struct vm *child;

    SELFTEST_EQUAL(-vm_map_at(parent, VM_AT, 8, VM_RW, VM_SHARED), 0);
    SELFTEST_EQUAL(vm_write_pages(VM_AT, 3, 10), 3);
    SELFTEST_EQUAL(-vm_copy(parent, &child), 0);
    become(child);
    SELFTEST_EQUAL(vm_pages_with(VM_AT, 3, 10), 3);
    SELFTEST_EQUAL(vm_write_pages(VM_AT, 8, 50), 8);
    become(parent);
    vm_release(child);
    SELFTEST_EQUAL(vm_pages_with(VM_AT, 8, 50), 8);
    SELFTEST_EQUAL(vm_run_faults().copied, 0);
    SELFTEST_EQUAL(vm_run_faults().zeroed, 0);
    return 0;
}

static int fork_shared(struct vm *parent)
{
    return held(parent, fork_shared_held);
}

SELFTEST(vm_fork_shared, "vm-fork-shared", "a shared mapping shows a child the same memory")
{
    return vm_run(fork_shared);
}

static int hundred_held(struct vm *parent)
{
    uint64_t before, tables;

    SELFTEST_EQUAL(-vm_map_at(parent, VM_AT, PAGES, VM_RW, 0), 0);
    SELFTEST_EQUAL(-vm_map_at(parent, VM_TOP - PAGE_SIZE, 1, VM_RW, VM_GROWS_DOWN), 0);
    SELFTEST_EQUAL(vm_write_pages(VM_AT, PAGES, 100), PAGES);
    before = vm_run_pages();
    tables = vm_run_tables();
    for (unsigned i = 0; i < 100; i++) {
        struct vm *child;

        SELFTEST_EQUAL(-vm_copy(parent, &child), 0);
        become(child);
        SELFTEST_EQUAL(vm_write_pages(VM_AT + i % 50 * PAGE_SIZE, 10, i), 10);
        become(parent);
        vm_release(child);
        SELFTEST_EQUAL(vm_run_pages(), before);
        SELFTEST_EQUAL(vm_run_tables(), tables);
    }
    SELFTEST_EQUAL(vm_pages_with(VM_AT, PAGES, 100), PAGES);
    SELFTEST_EQUAL(vm_run_faults().copied, 1000);
    SELFTEST_EQUAL(vm_run_faults().minor, 1000 + PAGES);
    return 0;
}

static int hundred(struct vm *parent)
{
    return held(parent, hundred_held);
}

SELFTEST(vm_fork_hundred, "vm-fork-hundred",
         "a hundred copies come, write and go, and leave nothing")
{
    return vm_run(hundred);
}
