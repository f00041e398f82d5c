/* SPDX-License-Identifier: BSD-2-Clause */
/* What is taken back while copies are made: of none is a page left. */
#include "kernel/time/clock.h"
#include "kernel/thread/thread.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/vm_run.h"

#define PAGES   4u
#define LONG_NS 5000000u

static struct vm_object *object;
static bool done;

static void take_back(void *unused)
{
    (void)unused;
    vm_revoke(object->source, 0, PAGES * PAGE_SIZE, true);
    __atomic_store_n(&done, true, __ATOMIC_SEQ_CST);
}

static void begin_copy(void *unused)
{
    (void)unused;
    vm_copies_begin();
    __atomic_store_n(&done, true, __ATOMIC_SEQ_CST);
    vm_copies_end();
}

static int start(void (*function)(void *), struct thread **thread)
{
    SELFTEST_EQUAL(-thread_create("vm_revoke", THREAD_PRIORITY_NORMAL, function, NULL, thread), 0);
    return 0;
}

/* One that has begun is found, though it was no process's yet. */
static int copy_first(struct vm *vm)
{
    struct process *process;
    struct thread *thread;
    struct vm *child;
    bool early;

    SELFTEST_EQUAL(process_create("child", &process), 0);
    vm_copies_begin();
    SELFTEST_EQUAL(-vm_copy(vm, &child), 0);
    SELFTEST_EQUAL(vm_resident(child), PAGES);
    done = false;
    if (start(take_back, &thread) != 0)
        return 1;
    thread_sleep(LONG_NS);
    early = __atomic_load_n(&done, __ATOMIC_SEQ_CST);
    vm_attach(process, child);
    vm_copies_end();
    thread_join(thread);
    SELFTEST_CHECK(!early);
    SELFTEST_EQUAL(vm_resident(vm), 0);
    SELFTEST_EQUAL(vm_resident(child), 0);
    process_discard(process);
    return 0;
}

/* None begins before all is taken back: what it copied might be looked at no more. */
static int revoke_first(struct vm *vm)
{
    struct thread *taking, *copying;
    bool early;

    done = false;
    mutex_enter(&vm->lock);
    if (start(take_back, &taking) != 0)
        return 1;
    thread_sleep(LONG_NS);
    early = __atomic_load_n(&done, __ATOMIC_SEQ_CST);
    if (start(begin_copy, &copying) != 0)
        return 1;
    thread_sleep(LONG_NS);
    early |= __atomic_load_n(&done, __ATOMIC_SEQ_CST);
    mutex_exit(&vm->lock);
    thread_join(taking);
    thread_join(copying);
    SELFTEST_CHECK(!early);
    return 0;
}

static int revoke(struct vm *vm)
{
    uintptr_t at = VM_AT;

    object = vm_memory_create(PAGES * PAGE_SIZE);
    SELFTEST_CHECK(object != NULL);
    object->source = object;
    SELFTEST_EQUAL(-vm_map(vm, &at, PAGES * PAGE_SIZE, VM_RW, VM_FIXED, object, 0), 0);
    object->ops->release(object); /* the mapping holds it */
    SELFTEST_EQUAL(vm_write_pages(VM_AT, PAGES, 1), PAGES);
    SELFTEST_EQUAL(vm_resident(vm), PAGES);
    return copy_first(vm) != 0 || revoke_first(vm) != 0;
}

SELFTEST(vm_revoked, "vm-revoke", "what a file has lost no copy has that was being made")
{
    return vm_run(revoke);
}
