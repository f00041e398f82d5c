/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of processes: its beginning, fork, its end, whose it is. */
#include "kernel/vm/vm.h"
#include "kernel/base/panic.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "kernel/vm/vm_private.h"
#include "lib/errno.h"

int vm_create(struct vm **out)
{
    struct vm *vm = kmem_zalloc(sizeof *vm);

    if (vm)
        vm->aspace = aspace_create();
    if (!vm || !vm->aspace) {
        kmem_free(vm);
        return -ENOMEM;
    }
    mutex_init(&vm->lock, "vm");
    TAILQ_INIT(&vm->mappings);
    vm->references = 1;
    vm->search_end = VM_TOP;
    vm->limits = (struct vm_limits){VM_NO_LIMIT, VM_NO_LIMIT, VM_NO_LIMIT};
    *out = vm;
    return 0;
}

static struct spinlock reference_lock = SPINLOCK_INITIALIZER("vm references");

bool vm_reference(uint32_t *count, bool more)
{
    uintptr_t state = spinlock_acquire(&reference_lock);
    bool last;

    *count += more ? 1 : UINT32_MAX;
    last = *count == 0;
    spinlock_release(&reference_lock, state);
    return last;
}

void vm_hold(struct vm *vm)
{
    vm_reference(&vm->references, true);
}

/* Mapping by mapping, so that only what was mapped is looked through. */
static void vm_unmap_all(struct vm *vm)
{
    struct vm_mapping *mapping;

    aspace_vacate(vm->aspace);
    mutex_enter(&vm->lock);
    while ((mapping = TAILQ_FIRST(&vm->mappings)) != NULL) {
        TAILQ_REMOVE(&vm->mappings, mapping, link);
        vm_drop_pages(vm, mapping->start, mapping->end);
        if (mapping->object)
            mapping->object->ops->release(mapping->object);
        kmem_free(mapping);
    }
    mutex_exit(&vm->lock);
    mutex_destroy(&vm->lock);
    aspace_destroy(vm->aspace);
    kmem_free(vm);
}

void vm_release(struct vm *vm)
{
    if (vm_reference(&vm->references, false))
        vm_unmap_all(vm);
}

static bool vm_hold_pages(const uint64_t *physical, unsigned count)
{
    void *pages[32];
    unsigned i = 0;

    ASSERT(count != 0 && count <= sizeof pages / sizeof pages[0]);
    do
        pages[i] = memory_pointer(physical[i]);
    while (++i < count);
    return page_hold_all(pages, count);
}

/* What a shared mapping shows its child finds in the object. */
static int vm_copy_mapping(struct vm *from, struct vm *to, const struct vm_mapping *mapping)
{
    struct vm_mapping *copy;

    if (mapping->flags & VM_NO_FORK)
        return 0;
    copy = vm_mapping_add(to, mapping, mapping->start, mapping->end);
    if (!copy)
        return -ENOMEM;
    if (copy->flags & VM_LOCKED)
        vm_mapping_set(to, copy, copy->rights, copy->flags & ~VM_LOCKED);
    if (mapping->flags & (VM_SHARED | VM_WIPE_FORK))
        return 0;
    return aspace_share(from->aspace, to->aspace, mapping->start, mapping->end - mapping->start,
                        vm_hold_pages);
}

int vm_copy(struct vm *from, struct vm **out)
{
    const struct vm_mapping *mapping;
    struct vm *to;
    int error = vm_create(&to);

    if (error != 0)
        return error;
    mutex_enter(&from->lock);
    TAILQ_FOREACH (mapping, &from->mappings, link)
        if ((error = vm_copy_mapping(from, to, mapping)) != 0)
            break;
    aspace_forget(from->aspace);
    to->brk_start = from->brk_start;
    to->brk_end = from->brk_end;
    to->search_end = from->search_end;
    to->limits = from->limits;
    mutex_exit(&from->lock);
    if (error != 0) {
        vm_release(to);
        return error;
    }
    vm_note_resident(to);
    *out = to;
    return 0;
}

/* Under the process's lock, for who looks from outside: vm_sizes_get. */
static struct vm *vm_exchange(struct process *process, struct vm *vm)
{
    uintptr_t state = spinlock_acquire(&process->lock);
    struct vm *old = process->vm;

    process->vm = vm;
    process->aspace = vm ? vm->aspace : NULL;
    spinlock_release(&process->lock, state);
    return old;
}

void vm_attach(struct process *process, struct vm *vm)
{
    struct vm *old;

    ASSERT(process != &process_kernel);
    old = vm_exchange(process, vm);
    if (process == process_current())
        thread_set_aspace(process->aspace);
    if (old)
        vm_release(old);
}

/* Its threads have left it. */
static void vm_process_end(struct process *process)
{
    struct vm *vm = vm_exchange(process, NULL);

    if (vm)
        vm_release(vm);
}
PROCESS_END_HOOK(vm_end_hook, vm_process_end);

struct vm *vm_current(void)
{
    return process_current()->vm;
}

uint64_t vm_resident(const struct vm *vm)
{
    return aspace_pages(vm->aspace);
}

void vm_note_resident(struct vm *vm)
{
    uint64_t pages = aspace_pages(vm->aspace);

    if (pages > vm->most_resident)
        vm->most_resident = pages;
}

void vm_sizes_get(struct process *process, struct vm_sizes *out)
{
    uintptr_t state = spinlock_acquire(&process->lock);
    const struct vm *vm = process->vm;

    *out = (struct vm_sizes){0};
    if (vm)
        *out = (struct vm_sizes){*(volatile const uint64_t *)&vm->size, vm_resident(vm),
                                 vm_resident_most(vm)};
    spinlock_release(&process->lock, state);
}

struct vm *vm_hold_of(struct process *process)
{
    uintptr_t state = spinlock_acquire(&process->lock);
    struct vm *vm = process->vm;

    if (vm)
        vm_hold(vm);
    spinlock_release(&process->lock, state);
    return vm;
}

uint64_t vm_resident_most(const struct vm *vm)
{
    uint64_t now = vm_resident(vm), most = *(volatile const uint64_t *)&vm->most_resident;

    return now > most ? now : most;
}
