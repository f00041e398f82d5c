/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls that name files. */
#include "fs/file/calls.h"
#include "fs/file/file.h"
#include "fs/file/file_table.h"
#include "fs/file/path.h"
#include "kernel/memory/kmem.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

int call_path_in(const void *user, char **path)
{
    int error;

    *path = kmem_alloc(PATH_LENGTH);
    if (!*path)
        return -ENOMEM;
    error = copyinstr(user, *path, PATH_LENGTH, NULL);
    if (error != 0)
        kmem_free(*path);
    return error;
}

int call_walk_begin(struct path_walk *walk, int descriptor, const char *path)
{
    struct program *program = task_current()->program;
    struct file *file;

    walk->base = program->base;
    walk->start = NULL;
    program_credentials(program, &walk->who);
    if (descriptor == AT_FDCWD || path[0] == '/')
        return 0;
    file = call_file(descriptor);
    if (!file)
        return -EBADF;
    if (file->vnode)
        walk->start = vnode_hold(file->vnode);
    file_release(file);
    return walk->start ? 0 : -ENOTDIR;
}

void call_walk_end(struct path_walk *walk)
{
    if (walk->start)
        vnode_release(walk->start);
}

/* A path out of the program and how it begins. An absolute one does not ask for the descriptor. */
struct named {
    struct path_walk walk;
    char *path;
};

static int file_names_named_begin(struct named *named, int descriptor, const void *user)
{
    int error = call_path_in(user, &named->path);

    if (error != 0)
        return error;
    error = call_walk_begin(&named->walk, descriptor, named->path);
    if (error != 0)
        kmem_free(named->path);
    return error;
}

static long file_names_named_end(struct named *named, long result)
{
    call_walk_end(&named->walk);
    kmem_free(named->path);
    return call_restartable(result);
}

static unsigned file_names_named_flags(uint32_t at)
{
    return (at & AT_SYMLINK_NOFOLLOW ? 0 : PATH_FOLLOW) | (at & AT_EMPTY_PATH ? PATH_EMPTY : 0);
}

/* CALL_AT(error-returning expression on N): the body of a call that takes a descriptor and a path.
 */
#define NAMED(descriptor, user, expression)                                                        \
    struct named n;                                                                                \
    int begun = file_names_named_begin(&n, descriptor, user);                                      \
                                                                                                   \
    return begun != 0 ? begun : file_names_named_end(&n, expression)

CALL(mkdir)
{
    NAMED(AT_FDCWD, ARG_PTR(0), fs_mkdir(&n.walk, n.path, ARG_U32(1)));
}

CALL(mkdirat)
{
    NAMED(ARG_INT(0), ARG_PTR(1), fs_mkdir(&n.walk, n.path, ARG_U32(2)));
}

CALL(mknod)
{
    NAMED(AT_FDCWD, ARG_PTR(0), fs_mknod(&n.walk, n.path, ARG_U32(1), ARG_U32(2)));
}

CALL(mknodat)
{
    NAMED(ARG_INT(0), ARG_PTR(1), fs_mknod(&n.walk, n.path, ARG_U32(2), ARG_U32(3)));
}

CALL(rmdir)
{
    NAMED(AT_FDCWD, ARG_PTR(0), fs_rmdir(&n.walk, n.path));
}

CALL(unlink)
{
    NAMED(AT_FDCWD, ARG_PTR(0), fs_unlink(&n.walk, n.path));
}

CALL(unlinkat)
{
    if (ARG_U32(2) & ~AT_REMOVEDIR)
        return -EINVAL;
    NAMED(ARG_INT(0), ARG_PTR(1),
          ARG_U32(2) ? fs_rmdir(&n.walk, n.path) : fs_unlink(&n.walk, n.path));
}

CALL(chdir)
{
    NAMED(AT_FDCWD, ARG_PTR(0), fs_chdir(&n.walk, n.path));
}

CALL(chroot)
{
    if (!program_is_root(task_current()->program))
        return -EPERM;
    NAMED(AT_FDCWD, ARG_PTR(0), fs_chroot(&n.walk, n.path));
}

CALL(fchdir)
{
    struct file *file = call_file(ARG_INT(0));
    struct path_walk walk;
    long result;

    if (!file)
        return -EBADF;
    (void)call_walk_begin(&walk, AT_FDCWD, "");
    result = fs_fchdir(&walk, file);
    file_release(file);
    return result;
}

static uint64_t file_names_named_size_limit(void)
{
    return task_current()->program->limits[RLIMIT_FSIZE].now;
}

CALL(truncate)
{
    if ((int64_t)ARG(1) < 0)
        return -EINVAL;
    NAMED(
        AT_FDCWD, ARG_PTR(0),
        file_io_result(NULL, fs_truncate(&n.walk, n.path, ARG(1), file_names_named_size_limit())));
}

CALL(ftruncate)
{
    struct credentials who;
    struct file *file;
    long result;

    if ((int64_t)ARG(1) < 0)
        return -EINVAL;
    file = call_file(ARG_INT(0));
    if (!file)
        return -EBADF;
    program_credentials(task_current()->program, &who);
    result = fs_ftruncate(&who, file, ARG(1), file_names_named_size_limit());
    return file_io_result(file, result);
}

CALL(fallocate)
{
    struct file *file = call_file(ARG_INT(0));
    long result;

    if (!file)
        return -EBADF;
    result = fs_allocate(file, ARG_U32(1), (int64_t)ARG(2), (int64_t)ARG(3),
                         file_names_named_size_limit());
    if (result != -EOVERFLOW)
        return file_io_result(file, result);
    file_release(file);
    return -EFBIG; /* without a signal */
}

CALL(chmod)
{
    NAMED(AT_FDCWD, ARG_PTR(0), fs_chmod(&n.walk, n.path, PATH_FOLLOW, ARG_U32(1)));
}

CALL(fchmodat)
{
    NAMED(ARG_INT(0), ARG_PTR(1), fs_chmod(&n.walk, n.path, PATH_FOLLOW, ARG_U32(2)));
}

CALL(chown)
{
    NAMED(AT_FDCWD, ARG_PTR(0), fs_chown(&n.walk, n.path, PATH_FOLLOW, ARG_U32(1), ARG_U32(2)));
}

CALL(lchown)
{
    NAMED(AT_FDCWD, ARG_PTR(0), fs_chown(&n.walk, n.path, 0, ARG_U32(1), ARG_U32(2)));
}

CALL(fchownat)
{
    if (ARG_U32(4) & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
        return -EINVAL;
    NAMED(ARG_INT(0), ARG_PTR(1),
          fs_chown(&n.walk, n.path, file_names_named_flags(ARG_U32(4)), ARG_U32(2), ARG_U32(3)));
}

CALL(fchmod)
{
    struct file *file = call_file(ARG_INT(0));
    struct credentials who;
    long result;

    if (!file)
        return -EBADF;
    program_credentials(task_current()->program, &who);
    result = fs_fchmod(&who, file, ARG_U32(1));
    file_release(file);
    return result;
}

CALL(fchown)
{
    struct file *file = call_file(ARG_INT(0));
    struct credentials who;
    long result;

    if (!file)
        return -EBADF;
    program_credentials(task_current()->program, &who);
    result = fs_fchown(&who, file, ARG_U32(1), ARG_U32(2));
    file_release(file);
    return result;
}

/* As access does it: the real user asks, not the effective one. */
static long file_names_named_access(int descriptor, const void *user, uint32_t wanted,
                                    uint32_t flags)
{
    const struct program *program = task_current()->program;
    struct named n;
    int error;

    if (wanted & ~7u || flags & ~(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
        return -EINVAL;
    error = file_names_named_begin(&n, descriptor, user);
    if (error != 0)
        return error;
    if (!(flags & AT_EACCESS)) {
        n.walk.who.uid = program->uid;
        n.walk.who.gid = program->gid;
    }
    return file_names_named_end(&n,
                                fs_access(&n.walk, n.path, file_names_named_flags(flags), wanted));
}

CALL(access)
{
    return file_names_named_access(AT_FDCWD, ARG_PTR(0), ARG_U32(1), 0);
}

CALL(faccessat)
{
    return file_names_named_access(ARG_INT(0), ARG_PTR(1), ARG_U32(2), 0);
}

CALL(faccessat2)
{
    return file_names_named_access(ARG_INT(0), ARG_PTR(1), ARG_U32(2), ARG_U32(3));
}

static long file_names_named_symlink(const void *target_at, int descriptor, const void *user)
{
    struct named n;
    char *target;
    int error = call_path_in(target_at, &target);
    long result;

    if (error != 0)
        return error;
    result = file_names_named_begin(&n, descriptor, user);
    if (result == 0)
        result = file_names_named_end(&n, fs_symlink(&n.walk, target, n.path));
    kmem_free(target);
    return result;
}

CALL(symlink)
{
    return file_names_named_symlink(ARG_PTR(0), AT_FDCWD, ARG_PTR(1));
}

CALL(symlinkat)
{
    return file_names_named_symlink(ARG_PTR(0), ARG_INT(1), ARG_PTR(2));
}

static long file_names_named_readlink(int descriptor, const void *user, void *out, int32_t size)
{
    char *buffer;
    struct named n;
    long result;

    if (size <= 0)
        return -EINVAL;
    result = file_names_named_begin(&n, descriptor, user);
    if (result != 0)
        return result;
    buffer = kmem_alloc(PATH_LENGTH);
    result = -ENOMEM;
    if (buffer)
        result = fs_readlink(&n.walk, n.path, buffer,
                             (uint32_t)size < PATH_LENGTH ? (uint32_t)size : PATH_LENGTH);
    if (result > 0 && copyout(buffer, out, (size_t)result) != 0)
        result = -EFAULT;
    kmem_free(buffer);
    return file_names_named_end(&n, result);
}

CALL(readlink)
{
    return file_names_named_readlink(AT_FDCWD, ARG_PTR(0), ARG_PTR(1), ARG_INT(2));
}

CALL(readlinkat)
{
    return file_names_named_readlink(ARG_INT(0), ARG_PTR(1), ARG_PTR(2), ARG_INT(3));
}

typedef int named_pair(const struct path_walk *, const char *, const struct path_walk *,
                       const char *, unsigned);

static long file_names_named_two(named_pair *function, int old_at, const void *old, int new_at,
                                 const void *new, unsigned flags)
{
    struct named from, to;
    long result = file_names_named_begin(&from, old_at, old);

    if (result != 0)
        return result;
    result = file_names_named_begin(&to, new_at, new);
    if (result == 0)
        result =
            file_names_named_end(&to, function(&from.walk, from.path, &to.walk, to.path, flags));
    return file_names_named_end(&from, result);
}

CALL(link)
{
    return file_names_named_two(fs_link, AT_FDCWD, ARG_PTR(0), AT_FDCWD, ARG_PTR(1), 0);
}

CALL(linkat)
{
    uint32_t flags = ARG_U32(4);

    if (flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
        return -EINVAL;
    return file_names_named_two(fs_link, ARG_INT(0), ARG_PTR(1), ARG_INT(2), ARG_PTR(3),
                                (flags & AT_SYMLINK_FOLLOW ? PATH_FOLLOW : 0) |
                                    (flags & AT_EMPTY_PATH ? PATH_EMPTY : 0));
}

CALL(rename)
{
    return file_names_named_two(fs_rename, AT_FDCWD, ARG_PTR(0), AT_FDCWD, ARG_PTR(1), 0);
}

CALL(renameat)
{
    return file_names_named_two(fs_rename, ARG_INT(0), ARG_PTR(1), ARG_INT(2), ARG_PTR(3), 0);
}

CALL(renameat2)
{
    return file_names_named_two(fs_rename, ARG_INT(0), ARG_PTR(1), ARG_INT(2), ARG_PTR(3),
                                ARG_U32(4));
}
