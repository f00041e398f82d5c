/* SPDX-License-Identifier: BSD-2-Clause */
/* Open files: references, offsets, and the way to what a file can do. */
#include "fs/file/file.h"
#include "fs/file/epoll.h"
#include "fs/file/lock.h"
#include <arch/copy.h>
#include "fs/file/file_private.h"
#include "fs/file/fs_count.h"
#include "kernel/base/panic.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"

#define FLAGS_SETTABLE (O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME)

struct file *file_create(const struct file_ops *ops, uint32_t flags, void *data)
{
    struct file *file = kmem_zalloc(sizeof *file);

    if (file == NULL)
        return NULL;
    file->ops = ops;
    file->flags = flags;
    file->data = data;
    file->references = 1;
    spinlock_init(&file->lock, "file");
    mutex_init(&file->offset_lock, "file offset");
    file->object.ops = &file_object_ops;
    file->shared_object.ops = &file_shared_object_ops;
    fs_count(FS_FILES, 1);
    return file;
}

struct file *file_hold(struct file *file)
{
    uintptr_t state = spinlock_acquire(&file->lock);

    file->references++;
    spinlock_release(&file->lock, state);
    return file;
}

static void file_destroy(struct file *file)
{
    if (!LIST_EMPTY(&file->watchers))
        epoll_forget_file(file);
    if (file->ops != NULL && file->ops->close != NULL)
        file->ops->close(file);
    if (file->vnode != NULL)
        file_lock_drop(file->vnode, file);
    if (file->writes)
        vnode_write_end(file->vnode);
    mutex_destroy(&file->offset_lock);
    vnode_release(file->vnode);
    vnode_release(file->directory);
    kmem_free(file->name);
    kmem_free(file);
    fs_count(FS_FILES, -1);
}

void file_release(struct file *file)
{
    uintptr_t state;
    bool unused;

    if (file == NULL)
        return;
    state = spinlock_acquire(&file->lock);
    ASSERT(file->references > 0);
    unused = --file->references == 0;
    spinlock_release(&file->lock, state);
    if (unused)
        file_destroy(file);
}

uint32_t file_flags(struct file *file)
{
    return __atomic_load_n(&file->flags, __ATOMIC_RELAXED);
}

void file_set_flags(struct file *file, uint32_t flags)
{
    uint32_t settable = FLAGS_SETTABLE | (file->ops->signals ? O_ASYNC : 0);
    uintptr_t state = spinlock_acquire(&file->lock);

    file->flags = (file->flags & ~settable) | (flags & settable);
    spinlock_release(&file->lock, state);
}

static bool file_may_read(const struct file *file)
{
    uint32_t mode = file->flags & (O_ACCMODE | O_PATH);

    return mode == O_RDONLY || mode == O_RDWR;
}

static bool file_may_write(const struct file *file)
{
    uint32_t mode = file->flags & (O_ACCMODE | O_PATH);

    return mode == O_WRONLY || mode == O_RDWR;
}

/* Whether what is asked for ends where an offset can be. */
static bool file_is_reachable(const struct uio *uio, const uint64_t *offset)
{
    return offset == NULL || uio->left <= INT64_MAX - *offset;
}

static long file_do_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    bool directory = file->vnode != NULL && vnode_is_directory(file->vnode);
    long moved = directory ? -EISDIR : -EINVAL;

    if (file->ops->read != NULL && file_is_reachable(uio, offset))
        moved = file->ops->read(file, uio, offset);
    fs_count(FS_READS, 1);
    if (moved > 0)
        fs_count(FS_READ_BYTES, moved);
    return moved;
}

static long file_do_write(struct file *file, struct uio *uio, uint64_t *offset)
{
    long moved = -EINVAL;

    if (file->ops->write != NULL && file_is_reachable(uio, offset))
        moved = file->ops->write(file, uio, offset);
    fs_count(FS_WRITES, 1);
    if (moved > 0)
        fs_count(FS_WRITE_BYTES, moved);
    return moved;
}

/* With the shared offset, one at a time; what has none may wait for long. */
static long file_at_offset(struct file *file, struct uio *uio,
                           long (*transfer)(struct file *, struct uio *, uint64_t *))
{
    long moved;

    if (!file->ops->seekable)
        return transfer(file, uio, NULL);
    mutex_enter(&file->offset_lock);
    moved = transfer(file, uio, &file->offset);
    mutex_exit(&file->offset_lock);
    return moved;
}

long file_read(struct file *file, struct uio *uio)
{
    return file_may_read(file) ? file_at_offset(file, uio, file_do_read) : -EBADF;
}

long file_write(struct file *file, struct uio *uio)
{
    return file_may_write(file) ? file_at_offset(file, uio, file_do_write) : -EBADF;
}

static int file_check_position(const struct file *file, uint64_t offset)
{
    if (offset > INT64_MAX)
        return -EINVAL;
    if (file->flags & O_PATH)
        return -EBADF;
    return file->ops->seekable ? 0 : -ESPIPE;
}

long file_pread(struct file *file, struct uio *uio, uint64_t offset)
{
    int error = file_check_position(file, offset);

    if (error == 0 && !file_may_read(file))
        error = -EBADF;
    return error != 0 ? error : file_do_read(file, uio, &offset);
}

long file_pwrite(struct file *file, struct uio *uio, uint64_t offset)
{
    int error = file_check_position(file, offset);

    if (error == 0 && !file_may_write(file))
        error = -EBADF;
    return error != 0 ? error : file_do_write(file, uio, &offset);
}

long file_read_kernel(struct file *file, void *buffer, size_t size, uint64_t offset)
{
    struct io_vector vector;
    struct uio uio;

    uio_single(&uio, &vector, buffer, size, false);
    return file_pread(file, &uio, offset);
}

/* Where WHENCE counts from. */
static int file_seek_base(struct file *file, int whence, uint64_t *base)
{
    struct file_stat stat;
    int error;

    *base = whence == SEEK_CUR ? file->offset : 0;
    if (whence != SEEK_END)
        return 0;
    if (file->ops->size != NULL) {
        *base = file->ops->size(file);
        return 0;
    }
    error = file_stat(file, &stat);
    *base = stat.size;
    return error;
}

static int file_seek_data(struct file *file, int whence, uint64_t *offset)
{
    struct file_stat stat;
    int error;

    if (file->ops->seek != NULL)
        return file->ops->seek(file, whence, offset);
    error = file_stat(file, &stat);
    if (error == 0 && *offset >= stat.size)
        error = -ENXIO;
    if (error == 0 && whence == SEEK_HOLE)
        *offset = stat.size;
    return error;
}

static int file_seek_to(struct file *file, int64_t by, int whence, uint64_t *to)
{
    int error = file_seek_base(file, whence, to);
    int64_t sum;

    if (error != 0)
        return error;
    if (__builtin_add_overflow((int64_t)*to, by, &sum))
        return -EINVAL;
    if (sum < 0)
        return whence == SEEK_DATA || whence == SEEK_HOLE ? -ENXIO : -EINVAL;
    *to = (uint64_t)sum;
    return whence == SEEK_DATA || whence == SEEK_HOLE ? file_seek_data(file, whence, to) : 0;
}

int64_t file_seek(struct file *file, int64_t offset, int whence)
{
    uint64_t to = 0;
    int error;

    if (file->flags & O_PATH)
        return -EBADF;
    if (whence < SEEK_SET || whence > SEEK_HOLE)
        return -EINVAL;
    if (file->ops->begins)
        return 0;
    if (!file->ops->seekable)
        return -ESPIPE;
    mutex_enter(&file->offset_lock);
    error = file_seek_to(file, offset, whence, &to);
    if (error == 0)
        file->offset = to;
    mutex_exit(&file->offset_lock);
    return error != 0 ? error : (int64_t)to;
}

int file_readdir(struct file *file, directory_emit *emit, void *argument)
{
    int error;

    if (file->flags & O_PATH)
        return -EBADF;
    if (file->ops->readdir == NULL)
        return -ENOTDIR;
    mutex_enter(&file->offset_lock);
    error = file->ops->readdir(file, &file->offset, emit, argument);
    mutex_exit(&file->offset_lock);
    return error;
}

/* What every file can be asked: whether it waits. */
static int file_set_waiting(struct file *file, uintptr_t argument, bool user)
{
    int32_t on;
    uint32_t flags = file_flags(file);

    if (user && copyin((const void *)argument, &on, sizeof on) != 0)
        return -EFAULT;
    if (!user)
        on = *(const int32_t *)argument;
    file_set_flags(file, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
    return 0;
}

long file_ioctl(struct file *file, uint32_t command, uintptr_t argument, bool user)
{
    if (file->flags & O_PATH)
        return -EBADF;
    if (command == FIONBIO)
        return file_set_waiting(file, argument, user);
    return file->ops->ioctl == NULL ? -ENOTTY : file->ops->ioctl(file, command, argument, user);
}

int file_stat(struct file *file, struct file_stat *out)
{
    if (file->ops->stat != NULL)
        return file->ops->stat(file, out);
    if (file->ops->anonymous != NULL) {
        *out = (struct file_stat){.number = 1,
                                  .device = file_device(0, 14),
                                  .mode = 0600,
                                  .links = 1,
                                  .block_size = 4096};
        return 0;
    }
    return file->vnode == NULL ? -EBADF : vnode_stat(file->vnode, out);
}

int file_statfs(struct file *file, struct fs_stat *out)
{
    struct file_stat stat = {.mode = 0};
    uint32_t type = 0x09041934; /* ANON_INODE_FS_MAGIC */

    if (file->vnode != NULL)
        return file->vnode->ops->statfs == NULL ? -ENOSYS
                                                : file->vnode->ops->statfs(file->vnode, out);
    if (file->ops->stat != NULL)
        file->ops->stat(file, &stat);
    if ((stat.mode & S_IFMT) == S_IFIFO)
        type = 0x50495045; /* PIPEFS_MAGIC */
    else if ((stat.mode & S_IFMT) == S_IFSOCK)
        type = 0x534f434b; /* SOCKFS_MAGIC */
    *out = (struct fs_stat){.type = type, .block_size = 4096, .name_max = NAME_LENGTH};
    return 0;
}
