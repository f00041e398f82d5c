/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls that tell about files: stat and its like, directories, times. */
#include "fs/file/stat.h"
#include "fs/file/calls.h"
#include "fs/file/file.h"
#include "fs/file/path.h"
#include "kernel/memory/kmem.h"
#include "kernel/time/clock.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

#define NS           1000000000ull
#define STATX_BASIC  0x7ffu
#define STATX_BTIME  0x800u
#define UTIME_NOW    0x3fffffff
#define UTIME_OMIT   0x3ffffffe
#define DIRENTS_MOST 32768u
#define STAT_FLAGS   (AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | 0x6800u) /* automounts, syncing */

/* Before 1970 a time is negative; its nanoseconds are not. */
static int64_t stat_nanoseconds(uint64_t ns)
{
    int64_t part = (int64_t)ns % (int64_t)NS;

    return part < 0 ? part + (int64_t)NS : part;
}

static int64_t stat_seconds(uint64_t ns)
{
    return ((int64_t)ns - stat_nanoseconds(ns)) / (int64_t)NS;
}

static long stat_out(const struct file_stat *from, void *user)
{
    struct abi_stat out;

    memset(&out, 0, sizeof out);
    out.dev = (__typeof__(out.dev))from->device;
    out.ino = from->number;
    out.nlink = from->links;
    out.mode = from->mode;
    out.uid = from->uid;
    out.gid = from->gid;
    out.rdev = (__typeof__(out.rdev))from->special;
    out.size = (int64_t)from->size;
    out.blksize = (__typeof__(out.blksize))from->block_size;
    out.blocks = (__typeof__(out.blocks))from->blocks;
    out.atime = (__typeof__(out.atime))stat_seconds(from->accessed);
    out.atime_ns = (__typeof__(out.atime))stat_nanoseconds(from->accessed);
    out.mtime = (__typeof__(out.atime))stat_seconds(from->modified);
    out.mtime_ns = (__typeof__(out.atime))stat_nanoseconds(from->modified);
    out.ctime = (__typeof__(out.atime))stat_seconds(from->changed);
    out.ctime_ns = (__typeof__(out.atime))stat_nanoseconds(from->changed);
    return copyout(&out, user, sizeof out);
}

/* By descriptor alone, where the path is empty and that is allowed. */
static int stat_of_descriptor(int descriptor, struct file_stat *stat)
{
    struct file *file = call_file(descriptor);
    int error;

    if (!file)
        return -EBADF;
    error = file_stat(file, stat);
    file_release(file);
    return error;
}

static int stat_of(int descriptor, const void *user, uint32_t flags, struct file_stat *stat)
{
    struct path_walk walk;
    char *path;
    int error = flags & ~STAT_FLAGS ? -EINVAL : call_path_in(user, &path);

    if (error != 0)
        return error;
    if (path[0] == '\0' && flags & AT_EMPTY_PATH && descriptor != AT_FDCWD) {
        kmem_free(path);
        return stat_of_descriptor(descriptor, stat);
    }
    error = call_walk_begin(&walk, descriptor, path);
    if (error == 0) {
        error = fs_stat(&walk, path,
                        (flags & AT_SYMLINK_NOFOLLOW ? 0 : PATH_FOLLOW) |
                            (flags & AT_EMPTY_PATH ? PATH_EMPTY : 0),
                        stat);
        call_walk_end(&walk);
    }
    kmem_free(path);
    return error;
}

CALL(stat)
{
    struct file_stat stat;
    int error = stat_of(AT_FDCWD, ARG_PTR(0), 0, &stat);

    return error != 0 ? error : stat_out(&stat, ARG_PTR(1));
}

CALL(lstat)
{
    struct file_stat stat;
    int error = stat_of(AT_FDCWD, ARG_PTR(0), AT_SYMLINK_NOFOLLOW, &stat);

    return error != 0 ? error : stat_out(&stat, ARG_PTR(1));
}

CALL(fstat)
{
    struct file_stat stat;
    int error = stat_of_descriptor(ARG_INT(0), &stat);

    return error != 0 ? error : stat_out(&stat, ARG_PTR(1));
}

CALL(newfstatat)
{
    struct file_stat stat;
    int error = stat_of(ARG_INT(0), ARG_PTR(1), ARG_U32(3), &stat);

    return error != 0 ? error : stat_out(&stat, ARG_PTR(2));
}

static struct abi_statx_time file_stat_statx_time(uint64_t ns)
{
    return (struct abi_statx_time){stat_seconds(ns), (uint32_t)stat_nanoseconds(ns), 0};
}

static uint32_t stat_major(uint64_t device)
{
    return (uint32_t)(device >> 8 & 0xfffu) | (uint32_t)(device >> 32 & ~0xfffu);
}

static uint32_t stat_minor(uint64_t device)
{
    return (uint32_t)(device & 0xffu) | (uint32_t)(device >> 12 & ~0xffu);
}

CALL(statx)
{
    struct file_stat stat;
    struct abi_statx out;
    int error;

    if (ARG_U32(3) & STATX_RESERVED || (ARG_U32(2) & AT_STATX_SYNC_TYPE) == AT_STATX_SYNC_TYPE)
        return -EINVAL;
    error = stat_of(ARG_INT(0), ARG_PTR(1), ARG_U32(2), &stat);
    if (error != 0)
        return error;
    memset(&out, 0, sizeof out);
    out.mask = STATX_BASIC;
    out.blksize = stat.block_size;
    out.nlink = stat.links;
    out.uid = stat.uid;
    out.gid = stat.gid;
    out.mode = (uint16_t)stat.mode;
    out.ino = stat.number;
    out.size = stat.size;
    out.blocks = stat.blocks;
    out.atime = file_stat_statx_time(stat.accessed);
    out.mtime = file_stat_statx_time(stat.modified);
    out.ctime = file_stat_statx_time(stat.changed);
    if (stat.born != 0 && ARG_U32(3) & STATX_BTIME) {
        out.mask |= STATX_BTIME;
        out.btime = file_stat_statx_time(stat.born);
    }
    out.rdev_major = stat_major(stat.special);
    out.rdev_minor = stat_minor(stat.special);
    out.dev_major = stat_major(stat.device);
    out.dev_minor = stat_minor(stat.device);
    return copyout(&out, ARG_PTR(4), sizeof out);
}

static long file_stat_statfs_out(const struct fs_stat *from, void *user)
{
    struct abi_statfs out;

    memset(&out, 0, sizeof out);
    out.type = from->type;
    out.bsize = out.frsize = from->block_size;
    out.blocks = from->blocks;
    out.bfree = out.bavail = from->blocks_free;
    out.files = from->files;
    out.ffree = from->files_free;
    out.namelen = from->name_max;
    out.flags = from->flags;
    return copyout(&out, user, sizeof out);
}

CALL(statfs)
{
    struct path_walk walk;
    struct fs_stat stat;
    char *path;
    int error = call_path_in(ARG_PTR(0), &path);

    if (error != 0)
        return error;
    (void)call_walk_begin(&walk, AT_FDCWD, "");
    error = fs_statfs(&walk, path, &stat);
    kmem_free(path);
    return error != 0 ? error : file_stat_statfs_out(&stat, ARG_PTR(1));
}

CALL(fstatfs)
{
    struct file *file = call_file(ARG_INT(0));
    struct fs_stat stat;
    int error;

    if (!file)
        return -EBADF;
    error = file_statfs(file, &stat);
    file_release(file);
    return error != 0 ? error : file_stat_statfs_out(&stat, ARG_PTR(1));
}

/* Entries as getdents64 has them, in the kernel's memory. */
struct dirents {
    char *buffer;
    size_t used, size;
    bool full;
};

struct dirent_head {
    uint64_t number;
    int64_t cookie;
    uint16_t size;
    uint8_t type;
} __attribute__((packed));

static bool file_stat_dirents_emit(void *argument, const char *name, size_t length, uint64_t number,
                                   uint32_t type, uint64_t cookie)
{
    struct dirents *entries = argument;
    size_t size = (sizeof(struct dirent_head) + length + 1 + 7) & ~7ul;
    struct dirent_head head = {number, (int64_t)cookie, (uint16_t)size, (uint8_t)(type >> 12)};
    char *at = entries->buffer + entries->used;

    if (entries->size - entries->used < size) {
        entries->full = true;
        return false;
    }
    memset(at, 0, size);
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, name, length);
    entries->used += size;
    return true;
}

CALL(getdents64)
{
    struct dirents entries = {.size = ARG_U32(2) < DIRENTS_MOST ? ARG_U32(2) : DIRENTS_MOST};
    struct file *file = call_file(ARG_INT(0));
    long result;

    if (!file)
        return -EBADF;
    entries.buffer = kmem_alloc(entries.size + 1);
    result = entries.buffer ? file_readdir(file, file_stat_dirents_emit, &entries) : -ENOMEM;
    file_release(file);
    if (result == 0 && entries.used == 0 && entries.full)
        result = -EINVAL;
    else if (result >= 0)
        result = copyout(entries.buffer, ARG_PTR(1), entries.used);
    kmem_free(entries.buffer);
    return result == 0 ? (long)entries.used : result;
}

static int file_stat_utimens_time(const struct abi_timespec *from, uint64_t *ns)
{
    if (from->nsec == UTIME_NOW) {
        *ns = FILE_TIME_NOW;
    } else if (from->nsec == UTIME_OMIT) {
        *ns = FILE_TIME_OMIT;
    } else {
        if (from->nsec < 0 || from->nsec >= (int64_t)NS)
            return -EINVAL;
        *ns = (uint64_t)from->sec * NS + (uint64_t)from->nsec;
    }
    return 0;
}

static long file_stat_utimens_set(int descriptor, const void *user, uint32_t flags,
                                  const struct abi_timespec times[2])
{
    struct path_walk walk;
    uint64_t accessed = 0, modified = 0;
    struct file *file;
    char *path;
    int error = file_stat_utimens_time(&times[0], &accessed);

    if (error == 0)
        error = file_stat_utimens_time(&times[1], &modified);
    if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
        error = -EINVAL;
    if (error != 0 || (accessed == FILE_TIME_OMIT && modified == FILE_TIME_OMIT))
        return error; /* then not even the path is looked at */
    if (!user) {
        struct credentials who;

        file = call_file(descriptor);
        if (!file)
            return -EBADF;
        program_credentials(task_current()->program, &who);
        error = fs_futimens(&who, file, accessed, modified);
        file_release(file);
        return error;
    }
    error = call_path_in(user, &path);
    if (error != 0)
        return error;
    error = call_walk_begin(&walk, descriptor, path);
    if (error == 0) {
        error = fs_utimens(&walk, path,
                           (flags & AT_SYMLINK_NOFOLLOW ? 0 : PATH_FOLLOW) |
                               (flags & AT_EMPTY_PATH ? PATH_EMPTY : 0),
                           accessed, modified);
        call_walk_end(&walk);
    }
    kmem_free(path);
    return error;
}

static const struct abi_timespec utimens_now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};

CALL(utimensat)
{
    struct abi_timespec times[2];

    if (ARG(2) == 0)
        return file_stat_utimens_set(ARG_INT(0), ARG_PTR(1), ARG_U32(3), utimens_now);
    if (copyin(ARG_PTR(2), times, sizeof times) != 0)
        return -EFAULT;
    return file_stat_utimens_set(ARG_INT(0), ARG_PTR(1), ARG_U32(3), times);
}

/* In microseconds. */
static long file_stat_utimens_old(int descriptor, const void *path, const void *user)
{
    struct abi_timespec times[2];

    if (!user)
        return file_stat_utimens_set(descriptor, path, 0, utimens_now);
    if (copyin(user, times, sizeof times) != 0)
        return -EFAULT;
    for (int i = 0; i < 2; i++) {
        if (times[i].nsec < 0 || times[i].nsec >= 1000000)
            return -EINVAL;
        times[i].nsec *= 1000;
    }
    return file_stat_utimens_set(descriptor, path, 0, times);
}

CALL(utimes)
{
    return file_stat_utimens_old(AT_FDCWD, ARG_PTR(0), ARG_PTR(1));
}

CALL(futimesat)
{
    return file_stat_utimens_old(ARG_INT(0), ARG_PTR(1), ARG_PTR(2));
}

CALL(utime)
{
    struct abi_timespec times[2] = {{0, 0}, {0, 0}};
    int64_t seconds[2];

    if (ARG(1) == 0)
        return file_stat_utimens_set(AT_FDCWD, ARG_PTR(0), 0, utimens_now);
    if (copyin(ARG_PTR(1), seconds, sizeof seconds) != 0)
        return -EFAULT;
    times[0].sec = seconds[0];
    times[1].sec = seconds[1];
    return file_stat_utimens_set(AT_FDCWD, ARG_PTR(0), 0, times);
}
