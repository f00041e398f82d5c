/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls that belong nowhere else. */
#include "fs/dev/dev.h"
#include "fs/file/file_table.h"
#include "fs/file/path.h"
#include "kernel/time/clock.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

#define RANDOM_CHUNK 256u

CALL(getrandom)
{
    uint8_t bytes[RANDOM_CHUNK];
    uint64_t left = ARG(1) > INT32_MAX ? INT32_MAX : ARG(1), done = 0;

    if (ARG_U32(2) & ~7u)
        return -EINVAL;
    while (left > 0 && (done == 0 || !thread_interrupted())) {
        uint64_t size = left < RANDOM_CHUNK ? left : RANDOM_CHUNK;

        random_bytes(bytes, size);
        if (copyout(bytes, (char *)ARG_PTR(0) + done, size) != 0)
            return done > 0 ? (long)done : -EFAULT;
        done += size;
        left -= size;
    }
    return (long)done;
}

CALL(personality)
{
    struct program *program = task_current()->program;
    uint32_t old = program->personality;

    if (ARG_U32(0) != UINT32_MAX)
        program->personality = ARG_U32(0);
    return old;
}

#define UNSHARE_KNOWN                                                                              \
    (CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM)

/* A copy of what other processes share with this one. Threads share everything: -EINVAL where there
 * are several. */
CALL(unshare)
{
    struct program *program = task_current()->program;
    struct file_table *files = NULL, *old_files = NULL;
    struct path_base *base = NULL, *old_base = NULL;
    uint64_t flags = ARG(0);
    uintptr_t state;

    if (flags & ~(uint64_t)UNSHARE_KNOWN || (flags != 0 && program->task_count > 1))
        return -EINVAL;
    if (flags & CLONE_FILES)
        files = file_table_copy(program->files);
    if (flags & CLONE_FS)
        base = path_base_copy(program->base);
    state = spinlock_acquire(&program_lock);
    if (files) {
        old_files = program->files;
        program->files = files;
    }
    if (base) {
        old_base = program->base;
        program->base = base;
    }
    spinlock_release(&program_lock, state);
    if (old_files)
        file_table_release(old_files);
    if (old_base)
        path_base_release(old_base);
    return (flags & CLONE_FILES && !files) || (flags & CLONE_FS && !base) ? -ENOMEM : 0;
}
