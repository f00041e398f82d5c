/* SPDX-License-Identifier: BSD-2-Clause */
/* A program's limit of data is used to the last page, and what it gives back it may have again. */
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/vm_run.h"

#define ROOM 10u /* pages */

static int vm_limits_map(struct vm *vm, unsigned first, unsigned pages)
{
    return -vm_map_at(vm, VM_AT + first * PAGE_SIZE, pages, VM_RW, 0);
}

static int vm_limits_data(struct vm *vm)
{
    vm->limits.data = vm->data + ROOM * PAGE_SIZE;
    SELFTEST_EQUAL(vm_limits_map(vm, 0, ROOM + 1), ENOMEM);
    SELFTEST_EQUAL(vm_limits_map(vm, 0, 6), 0);
    SELFTEST_EQUAL(vm_limits_map(vm, 6, 5), ENOMEM);
    SELFTEST_EQUAL(vm_limits_map(vm, 6, 4), 0);
    SELFTEST_EQUAL(vm_limits_map(vm, 10, 1), ENOMEM);
    SELFTEST_EQUAL(-vm_unmap(vm, VM_AT + 2 * PAGE_SIZE, 3 * PAGE_SIZE), 0);
    SELFTEST_EQUAL(vm_limits_map(vm, 10, 4), ENOMEM);
    SELFTEST_EQUAL(vm_limits_map(vm, 10, 3), 0);
    SELFTEST_EQUAL(vm->data, vm->limits.data);
    return 0;
}

SELFTEST(vm_limits, "vm-limits", "data up to the limit, and not a page more")
{
    return vm_run(vm_limits_data);
}
