/* SPDX-License-Identifier: BSD-2-Clause */
/* Message queues: their names, mq_open, mq_unlink, and what they are as files. */
#include "linux/ipc/mqueue.h"
#include "fs/file/file.h"
#include "kernel/memory/kmem.h"
#include "lib/format.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

#define MQUEUES_MOST  256u
#define MESSAGES_MOST 10 /* but for root */
#define MESSAGE_SIZE  8192
#define ROOT_MESSAGES 65536
#define ROOT_SIZE     (16 << 20)
#define MQUEUE_LINE   128u

kmutex_t mqueue_mutex;
static TAILQ_HEAD(, mqueue) mqueues = TAILQ_HEAD_INITIALIZER(mqueues);
static uint32_t mqueue_count;

static void mqueue_prepare(void)
{
    static struct spinlock lock = SPINLOCK_INITIALIZER("mqueue start");
    static bool ready;
    uintptr_t state = spinlock_acquire(&lock);

    if (!ready)
        mutex_init(&mqueue_mutex, "mqueues");
    ready = true;
    spinlock_release(&lock, state);
}

/* With the mutex. */
static struct mqueue *mqueue_find(const char *name)
{
    struct mqueue *queue;

    TAILQ_FOREACH (queue, &mqueues, link)
        if (strcmp(queue->name, name) == 0)
            return queue;
    return NULL;
}

static void mqueue_drop(struct mqueue *queue)
{
    struct mqueue_message *message;

    if (--queue->references > 0)
        return;
    while ((message = TAILQ_FIRST(&queue->messages)) != NULL) {
        TAILQ_REMOVE(&queue->messages, message, link);
        kmem_free(message);
    }
    cv_destroy(&queue->changed);
    kmem_free(queue->name);
    kmem_free(queue);
}

void mqueue_notify(struct mqueue *queue)
{
    const struct abi_sigevent *event = &queue->notification;
    struct program *program;
    struct abi_siginfo info;
    uintptr_t state;

    if (!queue->notified)
        return;
    queue->notified = NULL;
    if (event->notify != SIGEV_SIGNAL || event->signo == 0)
        return;
    signal_info_from(&info, event->signo, SI_MESGQ);
    info.from.value = event->value;
    state = spinlock_acquire(&program_lock);
    program = program_find(queue->notified_id);
    if (program)
        signal_send_program(program, event->signo, &info);
    spinlock_release(&program_lock, state);
}

static uint32_t mqueue_poll(struct file *file, uint32_t events, struct poll_entry *entry)
{
    struct mqueue *queue = file->data;
    uint32_t ready;

    poll_source_watch(&queue->source, entry);
    mutex_enter(&mqueue_mutex);
    ready = (queue->count > 0 ? POLL_READ : 0) | (queue->count < queue->most ? POLL_WRITE : 0);
    mutex_exit(&mqueue_mutex);
    return ready & events;
}

/* A line about the queue, as mq_overview(7) has it. */
static long mqueue_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    struct mqueue *queue = file->data;
    char line[MQUEUE_LINE];
    size_t length, moved = 0;

    mutex_enter(&mqueue_mutex);
    length = format(line, sizeof line, "QSIZE:%-10lu NOTIFY:%-5d SIGNO:%-5d NOTIFY_PID:%-6u\n",
                    (unsigned long)queue->bytes, queue->notified ? queue->notification.notify : 0,
                    queue->notified ? queue->notification.signo : 0,
                    queue->notified ? queue->notified_id : 0);
    mutex_exit(&mqueue_mutex);
    if (*offset < length)
        moved = uio_put(uio, line + *offset, length - *offset);
    *offset += moved;
    return (long)moved;
}

static void mqueue_close(struct file *file)
{
    struct mqueue *queue = file->data;

    mutex_enter(&mqueue_mutex);
    if (queue->notified == file)
        queue->notified = NULL;
    mqueue_drop(queue);
    mutex_exit(&mqueue_mutex);
}

static int mqueue_stat(struct file *file, struct file_stat *out)
{
    const struct mqueue *queue = file->data;

    *out = (struct file_stat){.number = 1,
                              .device = file_device(0, 19),
                              .mode = S_IFREG | queue->mode,
                              .uid = queue->uid,
                              .gid = queue->gid,
                              .size = 80,
                              .links = queue->linked,
                              .block_size = 4096};
    return 0;
}

static const struct file_ops mqueue_ops = {.read = mqueue_read,
                                           .poll = mqueue_poll,
                                           .stat = mqueue_stat,
                                           .close = mqueue_close,
                                           .seekable = true};

struct mqueue *mqueue_of(const struct file *file)
{
    return file->ops == &mqueue_ops ? file->data : NULL;
}

static int mqueue_limits(const struct abi_mq *limits)
{
    bool root = program_is_root(task_current()->program);

    if (limits->most <= 0 || limits->size <= 0)
        return -EINVAL;
    if (limits->most > (root ? ROOT_MESSAGES : MESSAGES_MOST) ||
        limits->size > (root ? ROOT_SIZE : MESSAGE_SIZE))
        return -EINVAL;
    return 0;
}

/* With the mutex. */
static int mqueue_make(const char *name, uint32_t mode, const struct abi_mq *limits,
                       struct mqueue **out)
{
    const struct program *program = task_current()->program;
    struct mqueue *queue;
    size_t size = strlen(name) + 1;
    int error = mqueue_limits(limits);

    if (error != 0)
        return error;
    if (mqueue_count >= MQUEUES_MOST && !program_is_root(program))
        return -ENOSPC;
    queue = kmem_zalloc(sizeof *queue);
    if (queue)
        queue->name = kmem_alloc(size);
    if (!queue || !queue->name) {
        kmem_free(queue);
        return -ENOMEM;
    }
    memcpy(queue->name, name, size);
    queue->linked = true;
    queue->references = 1;
    queue->uid = program->fsuid;
    queue->gid = program->fsgid;
    queue->mode = mode & 0777 & ~path_base_umask(program->base);
    queue->most = (uint64_t)limits->most;
    queue->size = (uint64_t)limits->size;
    TAILQ_INIT(&queue->messages);
    cv_init(&queue->changed, "mqueue");
    poll_source_init(&queue->source);
    TAILQ_INSERT_HEAD(&mqueues, queue, link);
    mqueue_count++;
    *out = queue;
    return 0;
}

/* There already. */
static int mqueue_check(const struct mqueue *queue, uint32_t flags)
{
    static const uint8_t wanted[] = {PERMIT_READ, PERMIT_WRITE, PERMIT_READ | PERMIT_WRITE, 0};
    struct credentials who;

    if ((flags & (ABI_O_CREAT | ABI_O_EXCL)) == (ABI_O_CREAT | ABI_O_EXCL))
        return -EEXIST;
    if ((flags & O_ACCMODE) == O_ACCMODE)
        return -EINVAL;
    program_credentials(task_current()->program, &who);
    return credentials_permit(&who, S_IFREG | queue->mode, queue->uid, queue->gid,
                              wanted[flags & O_ACCMODE]);
}

static int mqueue_open(const char *name, uint32_t flags, uint32_t mode, const struct abi_mq *limits,
                       struct file **out)
{
    struct mqueue *queue = mqueue_find(name);
    int error = queue                 ? mqueue_check(queue, flags)
                : flags & ABI_O_CREAT ? mqueue_make(name, mode, limits, &queue)
                                      : -ENOENT;

    if (error != 0)
        return error;
    *out = file_create(&mqueue_ops, (flags & O_ACCMODE) | (flags & ABI_O_NONBLOCK ? O_NONBLOCK : 0),
                       queue);
    if (!*out)
        return -ENOMEM;
    queue->references++;
    return 0;
}

/* A name out of the program: kmem. */
static int mqueue_name_in(const void *user, char **name)
{
    int error = call_path_in(user, name);

    if (error != 0)
        return error;
    error = **name == '\0'                                        ? -ENOENT
            : strchr(*name, '/')                                  ? -EACCES
            : strlen(*name) > NAME_LENGTH                         ? -ENAMETOOLONG
            : strcmp(*name, ".") == 0 || strcmp(*name, "..") == 0 ? -EACCES
                                                                  : 0;
    if (error != 0)
        kmem_free(*name);
    return error;
}

CALL(mq_open)
{
    struct abi_mq limits = {.most = MESSAGES_MOST, .size = MESSAGE_SIZE};
    struct file *file;
    char *name;
    int error;

    if (ARG(3) != 0 && copyin(ARG_PTR(3), &limits, sizeof limits) != 0)
        return -EFAULT;
    error = mqueue_name_in(ARG_PTR(0), &name);
    if (error != 0)
        return error;
    mqueue_prepare();
    mutex_enter(&mqueue_mutex);
    error = mqueue_open(name, ARG_U32(1), ARG_U32(2), &limits, &file);
    mutex_exit(&mqueue_mutex);
    kmem_free(name);
    return error != 0 ? error : call_file_add(file, 0, true);
}

static int mqueue_unlink(const char *name)
{
    struct mqueue *queue = mqueue_find(name);
    const struct program *program = task_current()->program;

    if (!queue)
        return -ENOENT;
    if (!program_is_root(program) && program->fsuid != queue->uid)
        return -EACCES;
    TAILQ_REMOVE(&mqueues, queue, link);
    queue->linked = false;
    mqueue_count--;
    mqueue_drop(queue);
    return 0;
}

CALL(mq_unlink)
{
    char *name;
    int error = mqueue_name_in(ARG_PTR(0), &name);

    if (error != 0)
        return error;
    mqueue_prepare();
    mutex_enter(&mqueue_mutex);
    error = mqueue_unlink(name);
    mutex_exit(&mqueue_mutex);
    kmem_free(name);
    return error;
}
