/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls about descriptors: open, close, dup, fcntl, pipes. */
#include "fs/file/file.h"
#include "fs/file/file_table.h"
#include "fs/file/path.h"
#include "fs/pipe/pipe.h"
#include "fs/tree/tree.h"
#include "kernel/memory/kmem.h"
#include "lib/string.h"
#include "linux/file/file_owner.h"
#include "linux/program/program_private.h"
#include "linux/program/machine.h"

#define F_DUPFD         0
#define F_GETFD         1
#define F_SETFD         2
#define F_GETFL         3
#define F_SETFL         4
#define F_DUPFD_CLOEXEC 1030
#define F_SETPIPE_SZ    1031
#define F_GETPIPE_SZ    1032
#define F_ADD_SEALS     1033
#define F_GET_SEALS     1034
#define F_OFD_GETLK     36
#define F_OFD_SETLK     37
#define F_OFD_SETLKW    38

#define CLOSE_RANGE_UNSHARE 2u
#define CLOSE_RANGE_CLOEXEC 4u

static const uint32_t open_flags[][2] = {
    {ABI_O_APPEND, O_APPEND},
    {ABI_O_NONBLOCK, O_NONBLOCK},
    {ABI_O_ASYNC, O_ASYNC},
    {ABI_O_CREAT, O_CREAT},
    {ABI_O_TRUNC, O_TRUNC},
    {ABI_O_EXCL, O_EXCL},
    {ABI_O_NOCTTY, O_NOCTTY},
    {ABI_O_DIRECT, O_DIRECT},
    {ABI_O_LARGEFILE, O_LARGEFILE},
    {ABI_O_DIRECTORY, O_DIRECTORY},
    {ABI_O_NOFOLLOW, O_NOFOLLOW},
    {ABI_O_NOATIME, O_NOATIME},
    {ABI_O_CLOEXEC, O_CLOEXEC},
    {ABI_O_PATH, O_PATH},
    {ABI_O_DSYNC, O_DSYNC},
    {ABI_O_SYNC & ~ABI_O_DSYNC, O_SYNC & ~O_DSYNC},
    {ABI_O_TMPFILE & ~ABI_O_DIRECTORY, O_TMPFILE & ~O_DIRECTORY},
};
#define OPEN_FLAGS (sizeof open_flags / sizeof *open_flags)

uint32_t call_open_flags(uint32_t abi)
{
    uint32_t flags = abi & O_ACCMODE;

    for (unsigned i = 0; i < OPEN_FLAGS; i++)
        if (abi & open_flags[i][0])
            flags |= open_flags[i][1];
    return flags;
}

uint32_t call_open_flags_out(uint32_t flags)
{
    uint32_t abi = flags & O_ACCMODE;

    for (unsigned i = 0; i < OPEN_FLAGS; i++)
        if (flags & open_flags[i][1])
            abi |= open_flags[i][0];
    return abi;
}

static uint32_t descriptor_limit(const struct program *program)
{
    uint64_t limit = program->limits[RLIMIT_NOFILE].now;

    return limit < FILE_TABLE_MAX ? (uint32_t)limit : FILE_TABLE_MAX;
}

long call_file_add(struct file *file, int lowest, bool close_on_exec)
{
    struct program *program = task_current()->program;

    return file_table_add(program->files, file, lowest, close_on_exec, descriptor_limit(program));
}

static long descriptor_open(int directory, const void *user, uint32_t abi, uint32_t mode)
{
    uint32_t flags = call_open_flags(abi);
    struct path_walk walk;
    struct file *file;
    char *path;
    int error = call_path_in(user, &path);

    if (error != 0)
        return error;
    error = call_walk_begin(&walk, directory, path);
    if (error == 0) {
        error = fs_open(&walk, path, flags, mode & 07777u, &file);
        call_walk_end(&walk);
    }
    kmem_free(path);
    if (error != 0)
        return call_restartable(error);
    return call_file_add(file, 0, (flags & O_CLOEXEC) != 0);
}

CALL(open)
{
    return descriptor_open(AT_FDCWD, ARG_PTR(0), ARG_U32(1), ARG_U32(2));
}

CALL(openat)
{
    return descriptor_open(ARG_INT(0), ARG_PTR(1), ARG_U32(2), ARG_U32(3));
}

CALL(creat)
{
    return descriptor_open(AT_FDCWD, ARG_PTR(0), ABI_O_CREAT | ABI_O_TRUNC | O_WRONLY, ARG_U32(1));
}

CALL(close)
{
    return file_table_close(task_current()->program->files, ARG_INT(0));
}

CALL(close_range)
{
    if (ARG_U32(0) > ARG_U32(1) || ARG_U32(2) & ~(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC))
        return -EINVAL;
    if (ARG_U32(2) & CLOSE_RANGE_UNSHARE)
        return -EINVAL;
    file_table_close_range(task_current()->program->files, ARG_U32(0), ARG_U32(1),
                           (ARG_U32(2) & CLOSE_RANGE_CLOEXEC) != 0);
    return 0;
}

CALL(dup)
{
    struct file *file = call_file(ARG_INT(0));

    return file ? call_file_add(file, 0, false) : -EBADF;
}

static long descriptor_set(int old, int new, bool close_on_exec)
{
    struct program *program = task_current()->program;
    struct file *file = call_file(old);

    if (!file)
        return -EBADF;
    if (new < 0 || (uint32_t)new >= descriptor_limit(program)) {
        file_release(file);
        return -EBADF;
    }
    return file_table_set(program->files, file, new, close_on_exec, descriptor_limit(program));
}

CALL(dup2)
{
    struct file *file;

    if (ARG_INT(0) != ARG_INT(1))
        return descriptor_set(ARG_INT(0), ARG_INT(1), false);
    file = call_file(ARG_INT(0));
    if (!file)
        return -EBADF;
    file_release(file);
    return ARG_INT(1);
}

CALL(dup3)
{
    if (ARG_INT(0) == ARG_INT(1) || ARG_U32(2) & ~ABI_O_CLOEXEC)
        return -EINVAL;
    return descriptor_set(ARG_INT(0), ARG_INT(1), ARG_U32(2) != 0);
}

/* A pipe's two descriptors. */
static int descriptor_pipe(uint32_t abi, int32_t numbers[2])
{
    struct program *program = task_current()->program;
    struct file *files[2];
    int error;

    if (abi & ~(ABI_O_CLOEXEC | ABI_O_NONBLOCK | ABI_O_DIRECT))
        return -EINVAL;
    error = pipe_create(call_open_flags(abi), files);
    if (error == 0)
        error = file_table_add_pair(program->files, files, (abi & ABI_O_CLOEXEC) != 0,
                                    descriptor_limit(program), numbers);
    return error;
}

static long descriptor_pipe_out(void *user, const int32_t numbers[2])
{
    struct program *program = task_current()->program;
    int error = copyout(numbers, user, 2 * sizeof *numbers);

    if (error != 0) {
        file_table_close(program->files, numbers[0]);
        file_table_close(program->files, numbers[1]);
    }
    return error;
}

CALL(pipe)
{
    int32_t numbers[2];
    int error = descriptor_pipe(0, numbers);

    return error != 0 ? error : call_pair_out(frame, numbers);
}

CALL(pipe2)
{
    int32_t numbers[2];
    int error = descriptor_pipe(ARG_U32(1), numbers);

    return error != 0 ? error : descriptor_pipe_out(ARG_PTR(0), numbers);
}

static bool descriptor_is_sealable(const struct file *file)
{
    return file->vnode && file->vnode->type == S_IFREG;
}

static long descriptor_seal(struct file *file, uint32_t seals)
{
    if (!descriptor_is_sealable(file))
        return -EINVAL;
    if ((file_flags(file) & O_ACCMODE) == O_RDONLY)
        return -EPERM;
    return seals & ~FILE_SEALS ? -EINVAL : tree_data_seal(file->vnode, seals);
}

#define MFD_CLOEXEC       1u
#define MFD_ALLOW_SEALING 2u
#define MFD_NAME_MAX      250u /* with its NUL */

CALL(memfd_create)
{
    char name[sizeof "memfd:" + MFD_NAME_MAX] = "memfd:";
    struct program *program = task_current()->program;
    struct credentials who;
    struct file *file;
    int error;

    if (ARG_U32(1) & ~(MFD_CLOEXEC | MFD_ALLOW_SEALING))
        return -EINVAL;
    error = copyinstr(ARG_PTR(0), name + 6, MFD_NAME_MAX, NULL);
    if (error != 0)
        return error == -EFAULT ? error : -EINVAL;
    program_credentials(program, &who);
    error = fs_open_in_memory(name, O_RDWR | O_LARGEFILE, &who, &file);
    if (error != 0)
        return error;
    if (!(ARG_U32(1) & MFD_ALLOW_SEALING))
        (void)tree_data_seal(file->vnode, FILE_SEAL_SEAL);
    return call_file_add(file, 0, ARG_U32(1) & MFD_CLOEXEC);
}

static long descriptor_control(struct trap_frame *frame, struct file *file)
{
    struct program *program = task_current()->program;

    switch (ARG_INT(1)) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        return call_file_add(file_hold(file), ARG_INT(2), ARG_INT(1) == F_DUPFD_CLOEXEC);
    case F_GETFD:
        return file_table_close_on_exec(program->files, ARG_INT(0));
    case F_SETFD:
        return file_table_set_close_on_exec(program->files, ARG_INT(0), ARG(2) & 1);
    case F_GETFL:
        return call_open_flags_out(file_flags(file) & ~O_CLOEXEC);
    case F_SETFL:
        file->owner.descriptor = ARG_INT(0);
        file_set_flags(file, call_open_flags(ARG_U32(2)));
        return 0;
    case F_GETLK:
    case F_OFD_GETLK:
        return call_lock(file, CALL_LOCK_TEST, ARG_INT(1) == F_OFD_GETLK, ARG_PTR(2));
    case F_SETLK:
    case F_OFD_SETLK:
        return call_lock(file, CALL_LOCK_TRY, ARG_INT(1) == F_OFD_SETLK, ARG_PTR(2));
    case F_SETLKW:
    case F_OFD_SETLKW:
        return call_lock(file, CALL_LOCK_WAIT, ARG_INT(1) == F_OFD_SETLKW, ARG_PTR(2));
    case F_GETPIPE_SZ:
        return pipe_capacity(file);
    case F_SETPIPE_SZ:
        return pipe_set_capacity(file, ARG_U32(2));
    case F_ADD_SEALS:
        return descriptor_seal(file, ARG_U32(2));
    case F_GET_SEALS:
        return descriptor_is_sealable(file) ? tree_data_seals(file->vnode) : -EINVAL;
    default:
        return file_owner_control(file, ARG_INT(1), ARG(2));
    }
}

/* What can be asked of an O_PATH descriptor. */
static bool descriptor_is_of_path(int command)
{
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC || command == F_GETFD ||
           command == F_SETFD || command == F_GETFL;
}

CALL(fcntl)
{
    struct file *file = call_file(ARG_INT(0));
    long result;

    if (!file)
        return -EBADF;
    result = -EBADF;
    if (!(file_flags(file) & O_PATH) || descriptor_is_of_path(ARG_INT(1)))
        result = descriptor_control(frame, file);
    file_release(file);
    return result;
}
