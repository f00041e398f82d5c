/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets as objects and as files: see socket.h. */
#include "linux/socket/socket.h"
#include "fs/file/file.h"
#include "fs/file/fs_count.h"
#include "kernel/memory/kmem.h"
#include "kernel/time/clock.h"
#include "linux/program/program_private.h"

kmutex_t socket_mutex;

static void socket_prepare(void)
{
    static struct spinlock lock = SPINLOCK_INITIALIZER("socket start");
    static bool ready;
    uintptr_t state = spinlock_acquire(&lock);

    if (!ready)
        mutex_init(&socket_mutex, "sockets");
    ready = true;
    spinlock_release(&lock, state);
}

void socket_owner_get(struct socket_owner *owner)
{
    const struct program *program = task_current()->program;

    *owner = (struct socket_owner){program->id, program->euid, program->egid};
}

struct socket *socket_create(enum socket_type type)
{
    struct socket *socket = kmem_zalloc(sizeof *socket);

    if (!socket)
        return NULL;
    socket_prepare();
    socket->type = type;
    socket->references = 1;
    socket->send_room = socket->receive_room = SOCKET_ROOM;
    socket->least = 1;
    TAILQ_INIT(&socket->messages);
    TAILQ_INIT(&socket->arrived);
    TAILQ_INIT(&socket->starving);
    cv_init(&socket->changed, "socket");
    poll_source_init(&socket->source);
    socket_owner_get(&socket->owner);
    fs_count(FS_SOCKETS, 1);
    return socket;
}

bool socket_pairs(const struct socket *socket)
{
    return socket->type != SOCKET_DATAGRAM;
}

void socket_hold(struct socket *socket)
{
    socket->references++;
}

void socket_drop(struct socket *socket)
{
    if (!socket || --socket->references > 0)
        return;
    cv_destroy(&socket->changed);
    kmem_free(socket);
    fs_count(FS_SOCKETS, -1);
}

void socket_tell(struct socket *socket, uint32_t events)
{
    cv_broadcast(&socket->changed);
    poll_source_wake(&socket->source, events);
}

bool socket_has_room(const struct socket *socket)
{
    const struct socket *peer = socket->peer;

    return !peer || peer->dead || peer->used <= socket->send_room / 4;
}

void socket_starve(struct socket *socket)
{
    if (socket->starves_at || !socket->peer)
        return;
    socket->starves_at = socket->peer;
    TAILQ_INSERT_TAIL(&socket->peer->starving, socket, in_starving);
}

void socket_sated(struct socket *socket)
{
    if (socket->starves_at)
        TAILQ_REMOVE(&socket->starves_at->starving, socket, in_starving);
    socket->starves_at = NULL;
}

void socket_feed(struct socket *socket)
{
    struct socket *sender, *next;

    for (sender = TAILQ_FIRST(&socket->starving); sender; sender = next) {
        next = TAILQ_NEXT(sender, in_starving);
        if (socket_has_room(sender)) {
            socket_sated(sender);
            poll_source_wake(&sender->source, POLL_WRITE);
        }
    }
}

void socket_join(struct socket *one, struct socket *other)
{
    socket_hold(one);
    socket_hold(other);
    one->peer = other;
    other->peer = one;
    one->state = other->state = SOCKET_CONNECTED;
    one->peer_owner = other->owner;
    other->peer_owner = one->owner;
}

/* What waits in it is thrown away; the files of messages are left in LOST. Whether there was
 * something. */
static bool socket_empty(struct socket *socket, struct socket *lost)
{
    bool any = !TAILQ_EMPTY(&socket->messages);

    TAILQ_CONCAT(&lost->messages, &socket->messages, link);
    socket->used = 0;
    return any;
}

/* SOCKET's file is closed, or (not ACCEPTED) nobody will ever have one of it. */
static void socket_end(struct socket *socket, struct socket *lost, bool accepted)
{
    struct socket *peer = socket->peer, *arrived;
    bool unread = socket_empty(socket, lost) || !accepted;

    socket->dead = true;
    socket->shut = SHUT_READ | SHUT_WRITE;
    socket_unbind(socket);
    while ((arrived = TAILQ_FIRST(&socket->arrived)) != NULL) {
        TAILQ_REMOVE(&socket->arrived, arrived, in_arrived);
        socket_end(arrived, lost, false);
        if (arrived->peer == NULL)
            socket_drop(arrived);
    }
    if (peer && socket_pairs(socket) && !peer->dead) {
        peer->shut = SHUT_READ | SHUT_WRITE;
        if (unread)
            peer->error = ECONNRESET;
        socket_tell(peer, POLL_READ | POLL_WRITE | POLLHUP | POLLRDHUP | POLLERR);
    }
    socket_sated(socket);
    socket->peer = NULL;
    socket_drop(peer);
    socket_tell(socket, POLL_READ | POLL_WRITE | POLLHUP);
    socket_feed(socket);
}

static void socket_close(struct file *file)
{
    struct socket *socket = file->data;
    struct socket_message *message;
    struct socket lost;

    TAILQ_INIT(&lost.messages);
    mutex_enter(&socket_mutex);
    socket_end(socket, &lost, true);
    socket_drop(socket);
    mutex_exit(&socket_mutex);
    while ((message = TAILQ_FIRST(&lost.messages)) != NULL) {
        TAILQ_REMOVE(&lost.messages, message, link);
        socket_message_free(message);
    }
}

static uint32_t socket_events(const struct socket *socket)
{
    uint32_t events = socket->error ? POLLERR : 0;

    if (socket->state == SOCKET_LISTENS)
        return events | (TAILQ_EMPTY(&socket->arrived) ? 0 : POLL_READ);
    if (!TAILQ_EMPTY(&socket->messages) || socket->shut & SHUT_READ)
        events |= POLL_READ;
    if (socket->shut & SHUT_READ)
        events |= POLLRDHUP;
    if (socket->shut == (SHUT_READ | SHUT_WRITE) ||
        (socket_pairs(socket) && socket->state == SOCKET_NEW))
        events |= POLLHUP;
    if (socket_has_room(socket))
        events |= POLL_WRITE;
    return events;
}

static uint32_t socket_poll(struct file *file, uint32_t events, struct poll_entry *entry)
{
    struct socket *socket = file->data;
    uint32_t ready;

    poll_source_watch(&socket->source, entry);
    mutex_enter(&socket_mutex);
    ready = socket_events(socket);
    if (!socket_has_room(socket))
        socket_starve(socket);
    mutex_exit(&socket_mutex);
    return ready & (events | POLL_ALWAYS);
}

static long socket_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    (void)offset;
    if (uio->left == 0)
        return 0;
    return socket_receive(file->data, uio, 0, !(file_flags(file) & O_NONBLOCK), NULL);
}

static long socket_write(struct file *file, struct uio *uio, uint64_t *offset)
{
    (void)offset;
    return socket_send_uio(file->data, NULL, uio, !(file_flags(file) & O_NONBLOCK), NULL);
}

/* FIONREAD: all that waits of a stream, else the next message's. */
static long socket_control(struct file *file, uint32_t command, uintptr_t argument, bool user)
{
    struct socket *socket = file->data;
    struct socket_message *message;
    int32_t waits = 0;

    if (command != FIONREAD)
        return -ENOTTY;
    mutex_enter(&socket_mutex);
    TAILQ_FOREACH (message, &socket->messages, link) {
        waits += (int32_t)(message->size - message->taken);
        if (socket->type == SOCKET_DATAGRAM)
            break;
    }
    if (socket->state == SOCKET_LISTENS)
        waits = -1;
    mutex_exit(&socket_mutex);
    if (waits < 0)
        return -EINVAL;
    if (user)
        return copyout(&waits, (void *)argument, sizeof waits);
    *(int32_t *)argument = waits;
    return 0;
}

static int socket_stat(struct file *file, struct file_stat *out)
{
    const struct socket *socket = file->data;

    *out = (struct file_stat){.number = (uintptr_t)socket & 0xffffffff,
                              .device = file_device(0, 8),
                              .mode = S_IFSOCK | 0777,
                              .links = 1,
                              .block_size = 4096};
    return 0;
}

static const struct file_ops socket_ops = {.read = socket_read,
                                           .write = socket_write,
                                           .ioctl = socket_control,
                                           .poll = socket_poll,
                                           .stat = socket_stat,
                                           .close = socket_close};

struct file *socket_file(struct socket *socket, uint32_t flags)
{
    struct file *file = file_create(&socket_ops, O_RDWR | flags, socket);

    if (file)
        return file;
    mutex_enter(&socket_mutex);
    socket_drop(socket);
    mutex_exit(&socket_mutex);
    return NULL;
}

struct socket *socket_of(const struct file *file)
{
    return file->ops == &socket_ops ? file->data : NULL;
}
