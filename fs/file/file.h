/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * struct file: an open file description, that descriptors of several processes may share: an
 * offset, flags, and what it is of (a vnode, or none: pipes). Thread context.
 *
 * Transfers return the number of bytes, or a negative errno if there were none. They may stop
 * early: at the end, where an interruption of the thread is pending (-EINTR if nothing was moved),
 * and where the program's memory ends (-EFAULT if nothing was moved).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include "fs/file/calls.h"
#include "fs/file/uio.h"
#include "fs/file/vnode.h"
#include "kernel/thread/mutex.h"
#include "kernel/vm/vm_object.h"

struct epoll_item;
struct poll_entry;

struct file_ops {
    /* At *OFFSET, which they advance; of what has no offset it is NULL. NULL: -EINVAL. */
    long (*read)(struct file *file, struct uio *uio, uint64_t *offset);
    long (*write)(struct file *file, struct uio *uio, uint64_t *offset);
    /* Entries from *COOKIE on, which it advances. NULL: -ENOTDIR. */
    int (*readdir)(struct file *file, uint64_t *cookie, directory_emit *emit, void *argument);
    /* SEEK_DATA and SEEK_HOLE; NULL: all of it is data. *OFFSET in and out, -ENXIO. */
    int (*seek)(struct file *file, int whence, uint64_t *offset);
    /* -ENOTTY if unknown. ARGUMENT is a program's address if USER, else the kernel's. */
    long (*ioctl)(struct file *file, uint32_t command, uintptr_t argument, bool user);
    /* POLL* of EVENTS that hold now; ENTRY, if not NULL, is told of later ones (fs/file/poll.h).
     * NULL: always ready. */
    uint32_t (*poll)(struct file *file, uint32_t events, struct poll_entry *entry);
    int (*stat)(struct file *file, struct file_stat *out); /* NULL: its vnode's */
    /* What a shared mapping of SIZE bytes from OFFSET on shows, held for the caller; WRITE: which
     * may be written to. NULL: as file_object says. */
    int (*map)(struct file *file, uint64_t offset, uint64_t size, bool write,
               struct vm_object **out);
    /* Another file of what has no vnode, by a link in /proc: FLAGS are O_*. NULL: -ENXIO. */
    int (*reopen)(struct file *file, uint32_t flags, struct file **out);
    void (*close)(struct file *file);    /* the last reference has gone; or NULL */
    uint64_t (*size)(struct file *file); /* for SEEK_END; NULL: as stat says */
    bool zeroes;                         /* its mappings are memory that is 0: /dev/zero */
    bool seekable;                       /* has an offset; else -ESPIPE */
    bool begins;                         /* stays at 0, wherever one seeks, seekable or not */
    bool signals;                        /* can tell an owner by a signal: O_ASYNC */
    const char *anonymous;               /* what it is called that has no vnode; or NULL */
};

/* Who is told by a signal; linux/file/file_owner.h. */
enum { FILE_OWNER_TASK, FILE_OWNER_PROCESS, FILE_OWNER_GROUP };
struct file_owner {
    int32_t id; /* 0: nobody */
    int32_t descriptor;
    uint32_t uid, euid; /* of who said so */
    uint8_t kind, signal;
};

struct file {
    const struct file_ops *ops;
    uint32_t flags;      /* O_*, as opened; F_SETFL changes some; lock */
    uint32_t references; /* lock */
    struct spinlock lock;
    struct file_owner owner; /* lock */
    kmutex_t offset_lock;    /* held by a transfer that uses the shared offset */
    uint64_t offset;
    struct vnode *vnode;              /* a reference; NULL: a pipe, or another layer's */
    struct vnode *directory;          /* a reference: where it was found; NULL: unknown */
    char *name;                       /* there; kmem */
    void *data;                       /* the ops' */
    bool writes;                      /* it is one of the vnode's writers */
    LIST_HEAD(, epoll_item) watchers; /* fs/file/epoll.c's */
    /* What a mapping made through it shows, and one that is shared and may write; they hold it. */
    struct vm_object object, shared_object;
};

/* One of no vnode, with one reference; for pipes, and other layers' kinds. NULL: out of memory. */
struct file *file_create(const struct file_ops *ops, uint32_t flags, void *data);
struct file *file_hold(struct file *file); /* returns FILE */
void file_release(struct file *file);      /* NULL is ignored; the last one closes it */

/* -EBADF: not open for that. read and write use the shared offset, one transfer after another. */
long file_read(struct file *file, struct uio *uio);
long file_write(struct file *file, struct uio *uio);
long file_pread(struct file *file, struct uio *uio, uint64_t offset);  /* -ESPIPE */
long file_pwrite(struct file *file, struct uio *uio, uint64_t offset); /* O_APPEND wins, as Linux */
/* The kernel's own memory. */
long file_read_kernel(struct file *file, void *buffer, size_t size, uint64_t offset);

#define SEEK_SET  0
#define SEEK_CUR  1
#define SEEK_END  2
#define SEEK_DATA 3
#define SEEK_HOLE 4
int64_t file_seek(struct file *file, int64_t offset, int whence);
int file_readdir(struct file *file, directory_emit *emit, void *argument);
long file_ioctl(struct file *file, uint32_t command, uintptr_t argument, bool user);
int file_stat(struct file *file, struct file_stat *out);
int file_statfs(struct file *file, struct fs_stat *out);
uint32_t file_flags(struct file *file);
/* F_SETFL: O_APPEND, O_NONBLOCK, O_DIRECT, O_NOATIME, and O_ASYNC where it has a meaning, are taken
 * from FLAGS. */
void file_set_flags(struct file *file, uint32_t flags);
/* The path it was opened by, from ROOT, with its NUL: as path_of_directory. A pipe's is
 * "pipe:[N]". For /proc/self/fd and maps. */
long file_path(struct file *file, struct vnode *root, char *buffer, size_t size);
/* What a mapping of it is made of, held once more (by the file): see kernel/vm. -ENODEV, -EACCES
 * (not open for reading; WRITE, for shared mappings that may be written to: not for that). Files of
 * one vnode have an object each, but the same pages. */
int file_object(struct file *file, bool write, struct vm_object **out);
/* The same for a shared mapping of what is open for writing, WRITE or not. */
int file_shared_object(struct file *file, bool write, struct vm_object **out);

/* ioctls that every file may be asked. */
#define FIONREAD 0x541bu
#define FIONBIO  0x5421u
