/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of calls that change mappings: brk, mremap, madvise, limits, and what is refused. */
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/vm_run.h"

static int map_error(struct vm *vm, uintptr_t address, size_t size, unsigned rights, unsigned flags,
                     uint64_t offset)
{
    return -vm_map(vm, &address, size, rights, flags, NULL, offset);
}

static int errors(struct vm *vm)
{
    uintptr_t at = VM_AT;

    SELFTEST_EQUAL(map_error(vm, VM_AT, 0, VM_RW, VM_FIXED, 0), EINVAL);
    SELFTEST_EQUAL(map_error(vm, VM_AT + 1, 4096, VM_RW, VM_FIXED, 0), EINVAL);
    SELFTEST_EQUAL(map_error(vm, VM_AT, 4096, 8, VM_FIXED, 0), EINVAL);
    SELFTEST_EQUAL(map_error(vm, VM_AT, -4096ul, VM_RW, 0, 0), ENOMEM);
    SELFTEST_EQUAL(map_error(vm, VM_AT, -1ul, VM_RW, 0, 0), ENOMEM);
    SELFTEST_EQUAL(map_error(vm, ASPACE_USER_END, 4096, VM_RW, VM_FIXED, 0), ENOMEM);
    SELFTEST_EQUAL(map_error(vm, 0, 4096, VM_RW, VM_FIXED, 0), EPERM);
    SELFTEST_EQUAL(vm_map_at(vm, VM_AT, 4, VM_RW, 0), 0);
    SELFTEST_EQUAL(map_error(vm, VM_AT + 4096, 4096, VM_RW, VM_NO_REPLACE, 0), EEXIST);
    SELFTEST_EQUAL(-vm_unmap(vm, VM_AT + 8, 4096), EINVAL);
    SELFTEST_EQUAL(-vm_unmap(vm, VM_AT, 0), EINVAL);
    SELFTEST_EQUAL(-vm_unmap(vm, ASPACE_USER_END, 4096), EINVAL);
    SELFTEST_EQUAL(-vm_unmap(vm, VM_AT + 0x100000, 4096), 0);
    SELFTEST_EQUAL(-vm_protect(vm, VM_AT + 8, 4096, VM_RW), EINVAL);
    SELFTEST_EQUAL(-vm_protect(vm, VM_AT, 4096, VM_RW | ASPACE_EXECUTE), 0);
    SELFTEST_EQUAL(vm->count, 2);
    SELFTEST_EQUAL(-vm_protect(vm, VM_AT, 4096, VM_RW), 0);
    SELFTEST_EQUAL(vm->count, 1);
    SELFTEST_EQUAL(-vm_protect(vm, VM_AT + 4 * 4096, 4096, ASPACE_READ), ENOMEM);
    SELFTEST_EQUAL(-vm_protect(vm, VM_AT + 3 * 4096, 8192, ASPACE_READ), ENOMEM);
    SELFTEST_EQUAL(vm->count, 2); /* what was before the hole is done */
    SELFTEST_EQUAL(-vm_protect(vm, VM_AT + 3 * 4096, 4096, VM_RW), 0);
    SELFTEST_EQUAL(vm->count, 1);
    SELFTEST_EQUAL(-vm_remap(vm, &at, 8192, 0, 0, 0), EINVAL);
    SELFTEST_EQUAL(-vm_remap(vm, &at, 8192, 4096, VM_REMAP_FIXED, 0), EINVAL);
    SELFTEST_EQUAL(-vm_remap(vm, &at, 5 * 4096, 6 * 4096, 0, 0), EFAULT);
    SELFTEST_EQUAL(-vm_remap(vm, &at, 4096, 8192, 0, 0), ENOMEM); /* its neighbour is there */
    SELFTEST_EQUAL(-vm_remap(vm, &at, 0, 8192, VM_REMAP_MAY_MOVE, 0), EINVAL);
    SELFTEST_EQUAL(-vm_remap(vm, &at, 8192, 8192, 3, VM_AT + 4096), EINVAL);
    SELFTEST_EQUAL(-vm_advise(vm, VM_AT, 4096, 99), EINVAL);
    SELFTEST_EQUAL(-vm_advise(vm, VM_AT, 5 * 4096, VM_DONTNEED), ENOMEM);
    SELFTEST_EQUAL(vm->size, 4 * 4096);
    return 0;
}

SELFTEST(vm_errors, "vm-errors", "what the manual refuses is refused, with its error")
{
    return vm_run(errors);
}

static int heap(struct vm *vm)
{
    uintptr_t start = VM_AT + 0x123;

    vm_brk_begin(vm, start);
    SELFTEST_EQUAL(vm_brk(vm, 0), start);
    SELFTEST_EQUAL(vm_brk(vm, start + 100), start + 100);
    SELFTEST_EQUAL(vm->count, 0); /* the page that it begins in is somebody else's */
    SELFTEST_EQUAL(vm_brk(vm, VM_AT + 10 * 4096), VM_AT + 10 * 4096);
    SELFTEST_EQUAL(vm->size, 9 * 4096);
    SELFTEST_EQUAL(vm_write_pages(VM_AT + 4096, 9, 1), 9);
    SELFTEST_EQUAL(vm_brk(vm, VM_AT + 5 * 4096 + 1), VM_AT + 5 * 4096 + 1);
    SELFTEST_EQUAL(vm_resident(vm), 5);
    SELFTEST_EQUAL(vm_brk(vm, VM_AT + 10 * 4096), VM_AT + 10 * 4096);
    SELFTEST_EQUAL(vm_pages_with(VM_AT + 4096, 9, 1), 5); /* the others are 0 again */
    SELFTEST_EQUAL(vm_brk(vm, start - 1), VM_AT + 10 * 4096);
    vm->limits.data = 20 * 4096;
    SELFTEST_EQUAL(vm_brk(vm, VM_AT + 22 * 4096), VM_AT + 10 * 4096);
    SELFTEST_EQUAL(-vm_map_at(vm, VM_AT + 0x100000, 12, VM_RW, 0), ENOMEM);
    SELFTEST_EQUAL(-vm_map_at(vm, VM_AT + 0x100000, 12, ASPACE_READ, 0), 0);
    SELFTEST_EQUAL(-vm_protect(vm, VM_AT + 0x100000, 12 * 4096, VM_RW), ENOMEM);
    SELFTEST_EQUAL(-vm_map_at(vm, VM_AT + 12 * 4096, 1, ASPACE_READ, 0), 0);
    SELFTEST_EQUAL(vm_brk(vm, VM_AT + 13 * 4096), VM_AT + 10 * 4096);
    SELFTEST_EQUAL(vm_brk(vm, VM_AT + 12 * 4096), VM_AT + 12 * 4096);
    SELFTEST_EQUAL(vm_brk(vm, start), start);
    SELFTEST_EQUAL(vm->data, 0);
    return 0;
}

SELFTEST(vm_brk, "vm-brk", "the heap ends where it is told, both ways, within its limit")
{
    return vm_run(heap);
}

static int remap(struct vm *vm)
{
    uintptr_t at = VM_AT, old;

    SELFTEST_EQUAL(vm_map_at(vm, VM_AT, 6, VM_RW, 0), 0);
    SELFTEST_EQUAL(vm_write_pages(VM_AT, 6, 10), 6);
    SELFTEST_EQUAL(-vm_remap(vm, &at, 6 * 4096, 9 * 4096, 0, 0), 0);
    SELFTEST_EQUAL(at, VM_AT);
    SELFTEST_EQUAL(-vm_remap(vm, &at, 9 * 4096, 5 * 4096, 0, 0), 0);
    SELFTEST_EQUAL(vm_resident(vm), 5);
    SELFTEST_EQUAL(vm_map_at(vm, VM_AT + 5 * 4096, 1, ASPACE_READ, 0), 0);
    SELFTEST_EQUAL(-vm_remap(vm, &at, 5 * 4096, 8 * 4096, VM_REMAP_MAY_MOVE, 0), 0);
    SELFTEST_CHECK(at != VM_AT);
    SELFTEST_EQUAL(vm_pages_with(at, 5, 10), 5);
    SELFTEST_EQUAL(vm_fault(vm, VM_AT, ASPACE_READ), VM_FAULT_UNMAPPED);
    SELFTEST_EQUAL(vm_write_pages(at, 8, 20), 8);
    old = at;
    at += 2 * 4096; /* out of its middle, over what is there */
    SELFTEST_EQUAL(-vm_remap(vm, &at, 3 * 4096, 2 * 4096, 3, VM_AT + 5 * 4096), 0);
    SELFTEST_EQUAL(at, VM_AT + 5 * 4096);
    SELFTEST_EQUAL(vm_pages_with(at, 2, 22), 2);
    SELFTEST_EQUAL(vm_pages_with(old, 2, 20), 2);
    SELFTEST_EQUAL(vm_fault(vm, old + 4 * 4096, ASPACE_READ), VM_FAULT_UNMAPPED);
    SELFTEST_EQUAL(vm_pages_with(old + 5 * 4096, 3, 25), 3);
    SELFTEST_EQUAL(vm->count, 3);
    SELFTEST_EQUAL(vm->size, 7 * 4096);
    SELFTEST_EQUAL(vm_resident(vm), 7);
    SELFTEST_EQUAL(vm_run_faults().zeroed, 9);
    SELFTEST_EQUAL(vm_run_faults().copied, 0);
    return 0;
}

SELFTEST(vm_remap, "vm-remap", "what grows, shrinks and moves keeps its pages")
{
    return vm_run(remap);
}

static int advice(struct vm *vm)
{
    uint8_t there[10];
    unsigned sum = 0;

    SELFTEST_EQUAL(vm_map_at(vm, VM_AT, 10, VM_RW, 0), 0);
    SELFTEST_EQUAL(vm_write_pages(VM_AT, 10, 1), 10);
    SELFTEST_EQUAL(-vm_advise(vm, VM_AT + 4096, 3 * 4096, VM_DONTNEED), 0);
    SELFTEST_EQUAL(-vm_advise(vm, VM_AT + 5 * 4096, 2 * 4096, VM_FREE), 0);
    SELFTEST_EQUAL(-vm_incore(vm, VM_AT, 10 * 4096, there), 0);
    for (unsigned i = 0; i < 10; i++)
        sum += there[i] << i;
    SELFTEST_EQUAL(sum, 0x391);
    SELFTEST_EQUAL(vm_pages_with(VM_AT, 10, 1), 5);
    SELFTEST_EQUAL(-vm_lock(vm, VM_AT + 2 * 4096, 4 * 4096, true), 0);
    SELFTEST_EQUAL(vm->locked, 4 * 4096);
    SELFTEST_EQUAL(-vm_advise(vm, VM_AT, 10 * 4096, VM_DONTNEED), EINVAL);
    SELFTEST_EQUAL(-vm_lock(vm, VM_AT, 10 * 4096, false), 0);
    SELFTEST_EQUAL(vm->count, 1);
    SELFTEST_EQUAL(vm->locked, 0);
    SELFTEST_EQUAL(vm_map_at(vm, VM_AT + 32 * 4096, 5, VM_RW, VM_POPULATE), 0);
    SELFTEST_EQUAL(aspace_pages_in(vm->aspace, VM_AT + 32 * 4096, 5 * 4096), 5);
    vm->limits.space = vm->size + 4096;
    SELFTEST_EQUAL(-vm_map_at(vm, VM_AT + 64 * 4096, 2, VM_RW, 0), ENOMEM);
    SELFTEST_EQUAL(-vm_map_at(vm, VM_AT, 10, VM_RW, 0), 0); /* in place of as many */
    SELFTEST_EQUAL(vm_pages_with(VM_AT, 10, 1), 0);
    return 0;
}

SELFTEST(vm_advice, "vm-advice", "madvise, mincore, mlock and limits do what they say")
{
    return vm_run(advice);
}

/* Into a memory that nobody is in, across pages, and back. */
static int access(struct vm *vm)
{
    static char out[3 * 4096 + 10], in[sizeof out];
    struct vm *other;

    SELFTEST_EQUAL(-vm_create(&other), 0);
    SELFTEST_EQUAL(vm_map_at(other, VM_AT, 4, VM_RW, 0), 0);
    SELFTEST_EQUAL(vm_map_at(other, VM_AT + 4 * 4096, 1, ASPACE_READ, 0), 0);
    for (unsigned i = 0; i < sizeof out; i++)
        out[i] = (char)(i * 7 + i / 4096);
    SELFTEST_EQUAL(-vm_poke(other, VM_AT + 100, out, sizeof out), 0);
    SELFTEST_EQUAL(-vm_peek(other, VM_AT + 100, in, sizeof in), 0);
    SELFTEST_EQUAL(memcmp(in, out, sizeof out), 0);
    SELFTEST_EQUAL(vm_resident(other), 4);
    SELFTEST_EQUAL(-vm_poke(other, VM_AT + 4 * 4096 - 4, out, 8), EFAULT);
    SELFTEST_EQUAL(-vm_peek(other, VM_AT + 4 * 4096, in, 8), 0);
    SELFTEST_EQUAL(-vm_peek(other, VM_AT + 5 * 4096 - 4, in, 8), EFAULT);
    SELFTEST_EQUAL(-vm_peek(other, ASPACE_USER_END - 4, in, 8), EFAULT);
    SELFTEST_EQUAL(vm_resident(vm), 0);
    vm_release(other);
    return 0;
}

SELFTEST(vm_access, "vm-access", "memory of others is read and written as far as they may")
{
    return vm_run(access);
}
