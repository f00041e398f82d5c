/* SPDX-License-Identifier: BSD-2-Clause */
/* shmget(2), shmat, shmdt, shmctl. A segment that was removed lives, with its number, while it is
 * attached. */
#include "kernel/memory/kmem.h"
#include "kernel/vm/vm.h"
#include "kernel/vm/vm_object.h"
#include "lib/format.h"
#include "lib/section.h"
#include "lib/string.h"
#include "linux/ipc/ipc.h"
#include "linux/program/program_private.h"

#define PAGE       4096ul
#define SHM_RDONLY 010000u
#define SHM_RND    020000u
#define SHM_REMAP  040000u
#define SHM_DEST   01000u
#define SHM_LOCKED 02000u
#define SHM_LOCK   11
#define SHM_UNLOCK 12
#define SHM_STAT   13

struct segment {
    struct ipc_object ipc; /* first */
    struct vm_object object;
    struct vm_object *memory; /* a reference */
    uint64_t size;
    uint64_t attached; /* mappings, and who is about to map */
    int64_t attach_time, detach_time;
    uint32_t creator, last;
    int32_t first_key; /* before it was removed; its mappings are called so */
};

static SHARED_DATA struct ipc_kind segments = IPC_KIND("shared memory");

static struct segment *ipc_memory_segment_of(struct vm_object *object)
{
    return (struct segment *)((char *)object - offsetof(struct segment, object));
}

/* With the lock; away with it, if it was removed and nobody has it. */
static struct segment *ipc_memory_segment_unused(struct segment *segment)
{
    if (!(segment->ipc.mode & SHM_DEST) || segment->attached > 0)
        return NULL;
    ipc_remove(&segments, &segment->ipc);
    return segment;
}

static void ipc_memory_segment_free(struct segment *segment)
{
    if (!segment)
        return;
    segment->memory->ops->release(segment->memory);
    kmem_free(segment);
}

static int ipc_memory_segment_page(struct vm_object *object, uint64_t index, bool write,
                                   void **page, bool *slept)
{
    struct vm_object *memory = ipc_memory_segment_of(object)->memory;

    return memory->ops->page(memory, index, write, page, slept);
}

static void ipc_memory_segment_hold(struct vm_object *object)
{
    struct segment *segment = ipc_memory_segment_of(object);

    ipc_enter(&segments);
    segment->attached++;
    segment->attach_time = ipc_now();
    ipc_leave(&segments);
}

static void ipc_memory_segment_release(struct vm_object *object)
{
    struct segment *segment = ipc_memory_segment_of(object), *unused;
    const struct task *task = task_current_or_null();

    ipc_enter(&segments);
    segment->attached--;
    segment->detach_time = ipc_now();
    if (task)
        segment->last = task->program->id;
    unused = ipc_memory_segment_unused(segment);
    ipc_leave(&segments);
    ipc_memory_segment_free(unused);
}

static uint64_t ipc_memory_segment_size(struct vm_object *object)
{
    return ipc_memory_segment_of(object)->size;
}

static void ipc_memory_segment_name(struct vm_object *object, struct vm_object_name *out)
{
    const struct segment *segment = ipc_memory_segment_of(object);

    format(out->name, sizeof out->name, "/SYSV%08x (deleted)", (uint32_t)segment->first_key);
    out->device = 1;
    out->inode = segment->ipc.id;
}

static const struct vm_object_ops segment_ops = {
    .page = ipc_memory_segment_page,
    .hold = ipc_memory_segment_hold,
    .release = ipc_memory_segment_release,
    .size = ipc_memory_segment_size,
    .name = ipc_memory_segment_name,
};

static long ipc_memory_segment_make(int32_t key, uint64_t size, uint32_t flags)
{
    struct segment *segment;
    long id;

    if (size == 0 || size > IPC_MEMORY_MOST)
        return -EINVAL;
    segment = kmem_zalloc(sizeof *segment);
    if (!segment)
        return -ENOMEM;
    segment->object.ops = &segment_ops;
    segment->memory = vm_memory_create((size + PAGE - 1) & ~(PAGE - 1));
    segment->size = size;
    segment->first_key = key;
    segment->creator = task_current()->program->id;
    id = segment->memory ? ipc_add(&segments, &segment->ipc, key, flags) : -ENOMEM;
    if (id < 0) {
        if (segment->memory)
            segment->memory->ops->release(segment->memory);
        kmem_free(segment);
    }
    return id;
}

CALL(shmget)
{
    struct ipc_object *found;
    long result;

    ipc_enter(&segments);
    result = ipc_get(&segments, ARG_INT(0), ARG_U32(2), &found);
    if (result >= 0 && ARG(1) > ((struct segment *)found)->size)
        result = -EINVAL;
    if (result == -ENOENT && (ARG_U32(2) & IPC_CREAT || ARG_INT(0) == 0))
        result = ipc_memory_segment_make(ARG_INT(0), ARG(1), ARG_U32(2));
    ipc_leave(&segments);
    return result;
}

/* That of ID, attached once more: NULL with *ERROR. */
static struct segment *ipc_memory_segment_attach(uint32_t id, uint32_t flags, int *error)
{
    struct segment *segment;

    ipc_enter(&segments);
    segment = (struct segment *)ipc_find(&segments, id);
    *error = !segment ? -EINVAL : ipc_permit(&segment->ipc, flags & SHM_RDONLY ? 4 : 6);
    if (*error == 0) {
        segment->attached++;
        segment->last = task_current()->program->id;
    }
    ipc_leave(&segments);
    return *error == 0 ? segment : NULL;
}

CALL(shmat)
{
    uint32_t flags = ARG_U32(2);
    uintptr_t address = ARG(1);
    unsigned rights = flags & SHM_RDONLY ? ASPACE_READ : ASPACE_READ | ASPACE_WRITE;
    unsigned how = VM_SHARED | (flags & SHM_RDONLY ? VM_READ_ONLY : 0);
    struct segment *segment;
    int error;

    if (address % ABI_SHMLBA != 0) {
        if (!(flags & SHM_RND) && address % PAGE != 0)
            return -EINVAL;
        if (flags & SHM_RND)
            address &= ~(ABI_SHMLBA - 1ul);
    }
    if (address == 0 && flags & SHM_REMAP)
        return -EINVAL;
    segment = ipc_memory_segment_attach(ARG_U32(0), flags, &error);
    if (!segment)
        return error;
    if (address != 0)
        how |= flags & SHM_REMAP ? VM_FIXED : VM_NO_REPLACE;
    error = vm_map(vm_current(), &address, (segment->size + PAGE - 1) & ~(PAGE - 1), rights, how,
                   &segment->object, 0);
    ipc_memory_segment_release(&segment->object);
    return error == -EEXIST ? -EINVAL : error != 0 ? error : (long)address;
}

CALL(shmdt)
{
    struct vm_mapping_info *info = kmem_alloc(sizeof *info);
    uintptr_t at = ARG(0);
    long result = -EINVAL;

    if (!info)
        return -ENOMEM;
    if (at % PAGE == 0 && vm_mapping_next(vm_current(), at, info) && info->start == at &&
        info->offset == 0 && memcmp(info->name.name, "/SYSV", 5) == 0) {
        uint64_t id = info->name.inode;

        /* All of it that lies where it was attached. */
        while (info->name.inode == id && memcmp(info->name.name, "/SYSV", 5) == 0 &&
               info->offset == info->start - at) {
            result = vm_unmap(vm_current(), info->start, info->end - info->start);
            if (result != 0 || !vm_mapping_next(vm_current(), info->end, info))
                break;
        }
    }
    kmem_free(info);
    return result;
}

static void ipc_memory_segment_out(const struct segment *segment, struct abi_segment *out)
{
    memset(out, 0, sizeof *out);
    ipc_permission_out(&segment->ipc, &out->permission);
    out->size = segment->size;
    out->attach_time = segment->attach_time;
    out->detach_time = segment->detach_time;
    out->change_time = segment->ipc.changed;
    out->creator = segment->creator;
    out->last = segment->last;
    out->attached = segment->attached;
}

static void ipc_memory_segment_doom(struct segment *segment)
{
    segment->ipc.mode |= SHM_DEST;
    ipc_remove_key(&segments, &segment->ipc);
}

/* What changes SEGMENT; IN is shmctl's. */
static int ipc_memory_segment_control(struct segment *segment, int command,
                                      const struct abi_segment *in)
{
    int error = ipc_permit_control(&segment->ipc);

    if (error != 0)
        return error;
    if (command == IPC_SET)
        ipc_permission_set(&segment->ipc, &in->permission);
    else if (command == SHM_LOCK)
        segment->ipc.mode |= SHM_LOCKED;
    else if (command == SHM_UNLOCK)
        segment->ipc.mode &= ~SHM_LOCKED;
    else
        ipc_memory_segment_doom(segment);
    return 0;
}

CALL(shmctl)
{
    int command = ARG_INT(1) & ~IPC_64;
    struct segment *segment, *unused = NULL;
    struct abi_segment data;
    long result = 0;

    if (command == IPC_SET && copyin(ARG_PTR(2), &data, sizeof data) != 0)
        return -EFAULT;
    if (command != IPC_SET && command != IPC_STAT && command != IPC_RMID && command != SHM_LOCK &&
        command != SHM_UNLOCK && command != SHM_STAT)
        return -EINVAL;
    ipc_enter(&segments);
    segment = (struct segment *)ipc_find(&segments, ARG_U32(0));
    if (!segment) {
        result = -EINVAL;
    } else if (command == IPC_STAT || command == SHM_STAT) {
        result = ipc_permit(&segment->ipc, 4);
        ipc_memory_segment_out(segment, &data);
    } else {
        result = ipc_memory_segment_control(segment, command, &data);
        unused = ipc_memory_segment_unused(segment);
    }
    ipc_leave(&segments);
    ipc_memory_segment_free(unused);
    if (result == 0 && (command == IPC_STAT || command == SHM_STAT)) {
        result = copyout(&data, ARG_PTR(2), sizeof data);
        if (result == 0 && command == SHM_STAT)
            result = ARG_INT(0);
    }
    return result;
}
