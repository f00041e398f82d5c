/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls about a program's memory. */
#include "fs/file/file.h"
#include "fs/tree/tree.h"
#include "kernel/memory/kmem.h"
#include "kernel/vm/vm.h"
#include "linux/program/program_private.h"

#define PAGE         4096ul
#define PROT_KNOWN   0x0300001fu /* also: growing, and what nothing is made of */
#define MREMAP_MASK  7u
#define MCL_CURRENT  1u
#define MCL_FUTURE   2u
#define MCL_ONFAULT  4u
#define INCORE_CHUNK 1024u

static unsigned memory_rights(uint32_t protection)
{
    return (protection & PROT_READ ? ASPACE_READ : 0) |
           (protection & PROT_WRITE ? ASPACE_WRITE : 0) |
           (protection & PROT_EXEC ? ASPACE_EXECUTE : 0);
}

static unsigned memory_flags(uint32_t flags)
{
    uint32_t type = flags & 3u;

    return (flags & MAP_FIXED ? VM_FIXED : 0) | (flags & MAP_FIXED_NOREPLACE ? VM_NO_REPLACE : 0) |
           (flags & MAP_POPULATE ? VM_POPULATE : 0) | (flags & MAP_LOCKED ? VM_LOCKED : 0) |
           (flags & MAP_GROWSDOWN ? VM_GROWS_DOWN : 0) |
           (type == MAP_SHARED || type == MAP_SHARED_VALIDATE ? VM_SHARED : 0);
}

/* Nobody may write to it any more. */
static bool memory_is_sealed(struct file *file)
{
    int seals = file->vnode && file->vnode->type == S_IFREG ? tree_data_seals(file->vnode) : 0;

    return seals > 0 && (uint32_t)seals & FILE_SEAL_WRITES;
}

/* Whether a file that is open like this may be mapped so. */
static int memory_may_map(struct file *file, uint32_t protection, bool shared)
{
    uint32_t mode = file_flags(file) & O_ACCMODE;

    if (file_flags(file) & O_PATH)
        return -EBADF;
    return mode == O_WRONLY || (shared && protection & PROT_WRITE && mode != O_RDWR) ? -EACCES : 0;
}

/* The object of a file's mapping, NULL of /dev/zero; flags that follow from how it is open. */
static int memory_object(int descriptor, uint32_t protection, unsigned *flags, uint64_t offset,
                         uint64_t size, struct vm_object **object)
{
    struct file *file = call_file(descriptor);
    bool shared = (*flags & VM_SHARED) != 0;
    int error;

    if (!file)
        return -EBADF;
    if (file->ops->zeroes) {
        error = memory_may_map(file, protection, shared);
    } else if (file->ops->map) {
        error =
            shared ? file->ops->map(file, offset, size, protection & PROT_WRITE, object) : -EINVAL;
    } else if (shared && memory_is_sealed(file)) {
        *flags |= VM_READ_ONLY;
        error = protection & PROT_WRITE ? -EPERM : file_object(file, false, object);
    } else if (shared && (file_flags(file) & O_ACCMODE) == O_RDWR) {
        error = file_shared_object(file, protection & PROT_WRITE, object);
    } else {
        error = file_object(file, shared && protection & PROT_WRITE, object);
    }
    if (shared && (file_flags(file) & O_ACCMODE) == O_RDONLY)
        *flags |= VM_READ_ONLY;
    file_release(file);
    return error;
}

/* Whether SIZE bytes more may be locked: 0, -EPERM (none at all), -ENOMEM. */
static long memory_may_lock(uint64_t size)
{
    const struct program *program = task_current()->program;
    uint64_t limit = program->limits[RLIMIT_MEMLOCK].now;

    if (program_is_root(program))
        return 0;
    if (limit == 0)
        return -EPERM;
    return vm_current()->locked + size > limit ? -ENOMEM : 0;
}

/* What is mapped would be locked at once: 0, -EPERM, -EAGAIN. */
static long memory_map_locked(unsigned flags, uint64_t size)
{
    long error = 0;

    if (flags & VM_LOCKED || vm_current()->lock_future)
        error = memory_may_lock((size + PAGE - 1) & ~(PAGE - 1));
    return error == -ENOMEM || (error == -EPERM && !(flags & VM_LOCKED)) ? -EAGAIN : error;
}

CALL(mmap)
{
    struct vm_object *object = NULL;
    unsigned flags = memory_flags(ARG_U32(3));
    uintptr_t address = ARG(0);
    long error;

    if ((ARG_U32(3) & 3u) == 0 || ARG(1) == 0 || ARG(5) % PAGE != 0)
        return -EINVAL;
    if ((ARG_U32(3) & 3u) == MAP_SHARED_VALIDATE && ARG_U32(3) & MAP_ANONYMOUS)
        return -EINVAL;
    if (ARG_U32(3) & MAP_HUGETLB) /* of which there are none */
        return ARG_U32(3) & MAP_ANONYMOUS ? -ENOMEM : -EINVAL;
    error = memory_map_locked(flags, ARG(1));
    if (!(flags & (VM_FIXED | VM_NO_REPLACE)))
        address &= ~(PAGE - 1);
    if (error == 0 && !(ARG_U32(3) & MAP_ANONYMOUS))
        error = memory_object(ARG_INT(4), ARG_U32(2), &flags, ARG(5), ARG(1), &object);
    if (error == 0)
        error = vm_map(vm_current(), &address, ARG(1), memory_rights(ARG_U32(2)), flags, object,
                       object ? ARG(5) : 0);
    if (object)
        object->ops->release(object);
    return error != 0 ? error : (long)address;
}

CALL(munmap)
{
    return vm_unmap(vm_current(), ARG(0), ARG(1));
}

CALL(mprotect)
{
    if (ARG_U32(2) & ~PROT_KNOWN)
        return -EINVAL;
    return vm_protect(vm_current(), ARG(0), ARG(1), memory_rights(ARG_U32(2)));
}

CALL(mremap)
{
    uintptr_t address = ARG(0);
    int error;

    if (ARG_U32(3) & ~3u)
        return -EINVAL;
    error = vm_remap(vm_current(), &address, ARG(1), ARG(2), ARG_U32(3), ARG(4));
    return error != 0 ? error : (long)address;
}

CALL(brk)
{
    struct vm *vm = vm_current();

    if (vm->lock_future && ARG(0) > vm->brk_end && memory_may_lock(ARG(0) - vm->brk_end) != 0)
        return (long)vm->brk_end;
    return (long)vm_brk(vm_current(), ARG(0));
}

CALL(madvise)
{
    return vm_advise(vm_current(), ARG(0), ARG(1), ARG_INT(2));
}

CALL(msync)
{
    if (ARG_U32(2) & ~7u || (ARG_U32(2) & 5u) == 5u)
        return -EINVAL;
    return vm_sync(vm_current(), ARG(0), ARG(1), ARG_U32(2) & 2u);
}

CALL(mincore)
{
    uint64_t address = ARG(0), left = (ARG(1) + PAGE - 1) / PAGE, out = ARG(2);
    uint8_t *bytes;
    int error = 0;

    if (address % PAGE != 0)
        return -EINVAL;
    bytes = kmem_alloc(INCORE_CHUNK);
    if (!bytes)
        return -EAGAIN;
    while (left > 0 && error == 0) {
        uint64_t count = left < INCORE_CHUNK ? left : INCORE_CHUNK;

        error = vm_incore(vm_current(), address, count * PAGE, bytes);
        if (error == 0)
            error = copyout(bytes, (void *)out, count);
        address += count * PAGE;
        out += count;
        left -= count;
    }
    kmem_free(bytes);
    return error;
}

/* As much as RLIMIT_MEMLOCK lets it. */
static long memory_lock(uint64_t address, uint64_t size)
{
    uint64_t end = (address + size + PAGE - 1) & ~(PAGE - 1), start = address & ~(PAGE - 1);
    long error;

    if (end < start)
        return -EINVAL;
    error = memory_may_lock(end - start - vm_locked_in(vm_current(), start, end));
    if (error != 0)
        return error;
    return vm_lock(vm_current(), start, end - start, true);
}

CALL(mlock)
{
    return memory_lock(ARG(0), ARG(1));
}

CALL(mlock2)
{
    return ARG_U32(2) > 1 ? -EINVAL : memory_lock(ARG(0), ARG(1));
}

CALL(munlock)
{
    uint64_t start = ARG(0) & ~(PAGE - 1), end = (ARG(0) + ARG(1) + PAGE - 1) & ~(PAGE - 1);

    return end < start ? -EINVAL : vm_lock(vm_current(), start, end - start, false);
}

/* Nothing is ever paged out. MCL_ONFAULT is only heeded as far as it may stand beside others. */
CALL(mlockall)
{
    uint32_t flags = ARG_U32(0);
    struct vm *vm = vm_current();
    long error;

    if (flags == 0 || flags > 7 || flags == MCL_ONFAULT)
        return -EINVAL;
    error = memory_may_lock(flags & MCL_CURRENT ? vm->size - vm->locked : 0);
    if (error == 0)
        vm_lock_all(vm, flags & MCL_CURRENT, flags & MCL_FUTURE);
    return error;
}

CALL(munlockall)
{
    (void)frame;
    vm_lock_all(vm_current(), false, false);
    return 0;
}

/* Every thread of it runs in the kernel's order already. */
