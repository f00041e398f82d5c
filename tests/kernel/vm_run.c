/* SPDX-License-Identifier: BSD-2-Clause */
/* See vm_run.h. */
#include "tests/kernel/vm_run.h"
#include <arch/copy.h>
#include <sys/evcnt.h>
#include "kernel/thread/user.h"
#include "lib/string.h"
#include "tests/kernel/process_actor.h"
#include "tests/kernel/selftest.h"

static const struct trap_owner answers = {.fault = vm_fault_trap};

static uint64_t pages_of(const char *name)
{
    struct page_owner *owner = NULL;

    while ((owner = page_owner_next(owner)) != NULL)
        if (strcmp(owner->name, name) == 0)
            return *(volatile uint64_t *)&owner->pages;
    return UINT64_MAX;
}

uint64_t vm_run_pages(void)
{
    return pages_of("processes");
}

uint64_t vm_run_tables(void)
{
    return pages_of("page tables");
}

uint64_t vm_run_counter(const char *name)
{
    const struct evcnt *counter = evcnt_lookup("uvm", name);

    return counter ? evcnt_value(counter) : 0;
}

struct process_faults vm_run_faults(void)
{
    return process_current()->faults;
}

static int vm_act(struct actor *self, long job)
{
    struct vm *vm;

    (void)self;
    SELFTEST_EQUAL(vm_create(&vm), 0);
    vm_attach(process_current(), vm);
    SELFTEST_EQUAL(thread_user_prepare(&answers), 0);
    return ((int (*)(struct vm *))job)(vm);
}

int vm_run(int (*job)(struct vm *vm))
{
    uint64_t pages = vm_run_pages(), objects = pages_of("memory objects");
    struct actor actor;
    int result;

    SELFTEST_EQUAL(actor_start(&actor), 0);
    result = actor_do(&actor, vm_act, (long)job);
    actor_ask(&actor, actor_exits, 0);
    SELFTEST_EQUAL(process_wait(actor.id, 0, NULL), actor.id);
    actor_forget(&actor);
    if (result != 0)
        return result < 0 ? selftest_fail("no answer: %d", result) : result;
    SELFTEST_EQUAL(vm_run_pages(), pages);
    SELFTEST_EQUAL(pages_of("memory objects"), objects);
    return 0; /* a few tables are kept for next time */
}

bool vm_write(uintptr_t address, uint64_t value)
{
    return copyout(&value, (void *)address, sizeof value) == 0;
}

bool vm_read(uintptr_t address, uint64_t *value)
{
    return copyin((const void *)address, value, sizeof *value) == 0;
}

unsigned vm_write_pages(uintptr_t address, unsigned count, uint64_t seed)
{
    unsigned written = 0;

    for (unsigned i = 0; i < count; i++)
        written += vm_write(address + i * PAGE_SIZE, i + seed);
    return written;
}

unsigned vm_pages_with(uintptr_t address, unsigned count, uint64_t seed)
{
    unsigned right = 0;
    uint64_t value;

    for (unsigned i = 0; i < count; i++)
        right += vm_read(address + i * PAGE_SIZE, &value) && value == i + seed;
    return right;
}

int vm_map_at(struct vm *vm, uintptr_t address, unsigned pages, unsigned rights, unsigned flags)
{
    return vm_map(vm, &address, pages * PAGE_SIZE, rights, flags | VM_FIXED, NULL, 0);
}
