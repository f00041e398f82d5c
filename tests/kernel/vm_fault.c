/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of faults: how many there are, of which kind, and what they bring. */
#include <arch/copy.h>
#include "lib/errno.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/vm_run.h"

#define PAGES 100u

static int zero(struct vm *vm)
{
    uint64_t faults = vm_run_counter("faults"), zeroed = vm_run_counter("flt_przero");
    uint64_t before = vm_run_pages(), value = 1;

    SELFTEST_EQUAL(-vm_map_at(vm, VM_AT, PAGES, VM_RW, 0), 0);
    SELFTEST_EQUAL(vm_resident(vm), 0);
    SELFTEST_EQUAL(vm_write_pages(VM_AT, 37, 1000), 37);
    SELFTEST_EQUAL(vm_run_faults().minor, 37);
    for (unsigned i = 40; i < 45; i++) {
        SELFTEST_CHECK(vm_read(VM_AT + i * PAGE_SIZE + 8, &value));
        SELFTEST_EQUAL(value, 0);
    }
    SELFTEST_EQUAL(vm_run_pages() - before, 42);
    SELFTEST_EQUAL(vm_resident(vm), 42);
    SELFTEST_EQUAL(vm_pages_with(VM_AT, 37, 1000), 37); /* no fault more */
    SELFTEST_EQUAL(vm_write_pages(VM_AT + 40 * PAGE_SIZE, 5, 7), 5);
    SELFTEST_EQUAL(vm_run_faults().minor, 42);
    SELFTEST_EQUAL(vm_run_faults().major, 0);
    SELFTEST_EQUAL(vm_run_faults().zeroed, 42);
    SELFTEST_EQUAL(vm_run_faults().copied, 0);
    SELFTEST_EQUAL(vm_run_counter("faults") - faults, 42);
    SELFTEST_EQUAL(vm_run_counter("flt_przero") - zeroed, 42);
    SELFTEST_EQUAL(-vm_unmap(vm, VM_AT, 41 * PAGE_SIZE), 0);
    SELFTEST_EQUAL(vm_run_pages() - before, 4);
    SELFTEST_CHECK(!vm_read(VM_AT, &value));
    SELFTEST_EQUAL(vm_resident_most(vm) >= 4, 1);
    return 0; /* the end frees the rest */
}

SELFTEST(vm_zero, "vm-zero", "a page comes at its first touch, is 0, and is counted once")
{
    return vm_run(zero);
}

static int rights(struct vm *vm)
{
    uint64_t refused = vm_run_counter("flt_refused"), there = vm_run_counter("flt_anon"), value;

    SELFTEST_EQUAL(-vm_map_at(vm, VM_AT, 4, ASPACE_READ, 0), 0);
    SELFTEST_EQUAL(vm_fault(vm, VM_AT, ASPACE_WRITE), VM_FAULT_RIGHTS);
    SELFTEST_EQUAL(vm_fault(vm, VM_AT, ASPACE_EXECUTE), VM_FAULT_RIGHTS);
    SELFTEST_EQUAL(vm_fault(vm, VM_AT - 1, ASPACE_READ), VM_FAULT_UNMAPPED);
    SELFTEST_EQUAL(vm_fault(vm, VM_AT + 4 * PAGE_SIZE, ASPACE_READ), VM_FAULT_UNMAPPED);
    SELFTEST_EQUAL(vm_fault(vm, 0, ASPACE_READ), VM_FAULT_UNMAPPED);
    SELFTEST_EQUAL(vm_fault(vm, ASPACE_USER_END, ASPACE_READ), VM_FAULT_UNMAPPED);
    SELFTEST_EQUAL(vm_run_counter("flt_refused") - refused, 6);
    SELFTEST_CHECK(!vm_write(VM_AT, 1));
    SELFTEST_EQUAL(vm_run_counter("flt_refused") - refused, 7);
    SELFTEST_CHECK(vm_read(VM_AT, &value));
    SELFTEST_CHECK(!vm_write(VM_AT, 1));
    SELFTEST_EQUAL(-vm_protect(vm, VM_AT, PAGE_SIZE, VM_RW), 0);
    SELFTEST_CHECK(vm_write(VM_AT, 5));
    SELFTEST_EQUAL(vm_run_counter("flt_anon") - there, 1);
    SELFTEST_EQUAL(-vm_protect(vm, VM_AT, PAGE_SIZE, 0), 0);
    SELFTEST_CHECK(!vm_read(VM_AT, &value));
    SELFTEST_EQUAL(vm_fault(vm, VM_AT, ASPACE_READ), VM_FAULT_RIGHTS);
    SELFTEST_EQUAL(-vm_protect(vm, VM_AT, PAGE_SIZE, VM_RX), 0);
    SELFTEST_CHECK(vm_read(VM_AT, &value));
    SELFTEST_EQUAL(value, 5);
    SELFTEST_EQUAL(vm_fault(vm, VM_AT, ASPACE_EXECUTE), VM_FAULT_DONE);
    SELFTEST_EQUAL(vm_run_counter("flt_refused") - refused, 10);
    SELFTEST_EQUAL(vm_run_faults().zeroed, 1);
    SELFTEST_EQUAL(vm_run_faults().minor, 3);
    return 0;
}

SELFTEST(vm_rights, "vm-rights", "faults say whether nothing is mapped, or not for this")
{
    return vm_run(rights);
}

static int stack(struct vm *vm)
{
    uintptr_t top = VM_TOP, low = top - 2 * PAGE_SIZE;

    vm->limits.stack = 64 * PAGE_SIZE;
    SELFTEST_EQUAL(-vm_map_at(vm, low, 2, VM_RW, VM_GROWS_DOWN), 0);
    SELFTEST_CHECK(vm_write(low - 40 * PAGE_SIZE, 1));
    SELFTEST_EQUAL(vm->size, 42 * PAGE_SIZE);
    SELFTEST_EQUAL(vm_resident(vm), 1);
    SELFTEST_CHECK(vm_write(top - 64 * PAGE_SIZE, 1));
    SELFTEST_CHECK(!vm_write(top - 64 * PAGE_SIZE - 8, 1));
    SELFTEST_EQUAL(vm->count, 1);
    vm->limits.stack = VM_NO_LIMIT;
    vm->limits.space = 100 * PAGE_SIZE;
    SELFTEST_CHECK(!vm_write(top - 101 * PAGE_SIZE, 1));
    vm->limits.space = VM_NO_LIMIT;
    SELFTEST_EQUAL(-vm_map_at(vm, top - 400 * PAGE_SIZE, 1, VM_RW, 0), 0);
    SELFTEST_CHECK(!vm_write(top - 399 * PAGE_SIZE + VM_GUARD - 8, 1)); /* too near to that */
    SELFTEST_CHECK(vm_write(top - 399 * PAGE_SIZE + VM_GUARD, 1));
    SELFTEST_EQUAL(vm->size, 400 * PAGE_SIZE - VM_GUARD);
    return 0;
}

SELFTEST(vm_stack, "vm-stack", "a stack grows down to its limit, and not into what is below")
{
    return vm_run(stack);
}

static int vm_fault_no_memory(struct vm *vm)
{
    uint64_t before = vm_run_counter("fltnoram"), pages = vm_run_pages();
    void *taken = NULL, *page;
    unsigned written;

    SELFTEST_EQUAL(-vm_map_at(vm, VM_AT, 64, VM_RW, 0), 0);
    SELFTEST_CHECK(vm_write(VM_AT, 1)); /* the tables are there */
    while ((page = page_alloc(0)) != NULL) {
        *(void **)page = taken;
        taken = page;
    }
    for (unsigned i = 0; i < 5; i++) {
        page = taken;
        taken = *(void **)page;
        page_free(page);
    }
    written = vm_write_pages(VM_AT + PAGE_SIZE, 20, 0);
    while (taken) {
        page = taken;
        taken = *(void **)page;
        page_free(page);
    }
    SELFTEST_EQUAL(written, 5);
    SELFTEST_EQUAL(vm_run_pages() - pages, 6);
    SELFTEST_EQUAL(vm_run_counter("fltnoram") - before, 15);
    SELFTEST_EQUAL(vm_write_pages(VM_AT, 64, 3), 64);
    return 0;
}

SELFTEST_ONE_CPU(vm_no_memory, "vm-no-memory", "without memory a fault fails, and later does not")
{
    return vm_run(vm_fault_no_memory);
}
