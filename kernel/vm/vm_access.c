/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of a process read and written by who is not in it: exec fills the new one, /proc looks. */
#include "kernel/vm/vm.h"
#include "kernel/vm/vm_private.h"
#include "lib/errno.h"
#include "lib/string.h"

/* The kernel's address of a byte that ACCESS is allowed to; NULL. Under the lock. */
static char *access_byte(struct vm *vm, uintptr_t address, unsigned access)
{
    unsigned rights = 0;
    uint64_t physical;

    if (address >= ASPACE_USER_END)
        return NULL;
    if (aspace_lookup(vm->aspace, address, &physical, &rights) != 0 ||
        (rights & access) != access) {
        if (vm_fault_locked(vm, address, access & ASPACE_WRITE ? ASPACE_WRITE : ASPACE_READ) !=
                VM_FAULT_DONE ||
            aspace_lookup(vm->aspace, address, &physical, NULL) != 0)
            return NULL;
    }
    return memory_pointer(physical);
}

static int access_all(struct vm *vm, uintptr_t address, char *kernel, size_t size, unsigned access)
{
    while (size > 0) {
        size_t left = PAGE_SIZE - address % PAGE_SIZE, step = left < size ? left : size;
        char *user;

        mutex_enter(&vm->lock);
        user = access_byte(vm, address, access);
        if (user && access & ASPACE_WRITE)
            memcpy(user, kernel, step);
        else if (user)
            memcpy(kernel, user, step);
        mutex_exit(&vm->lock);
        if (!user)
            return -EFAULT;
        address += step;
        kernel += step;
        size -= step;
    }
    return 0;
}

int vm_peek(struct vm *vm, uintptr_t address, void *kernel, size_t size)
{
    return access_all(vm, address, kernel, size, ASPACE_READ);
}

int vm_poke(struct vm *vm, uintptr_t address, const void *kernel, size_t size)
{
    return access_all(vm, address, (char *)(uintptr_t)kernel, size, ASPACE_READ | ASPACE_WRITE);
}
