/* SPDX-License-Identifier: BSD-2-Clause */
/* What sockets send each other, and how it is waited for. */
#include "fs/file/file.h"
#include "kernel/memory/kmem.h"
#include "kernel/time/clock.h"
#include "lib/string.h"
#include "linux/program/program_private.h"
#include "linux/socket/socket.h"

#define PIECE 32768u /* of a stream */

struct socket_message *socket_message_create(size_t size)
{
    struct socket_message *message = kmem_zalloc(sizeof *message);

    if (!message)
        return NULL;
    message->data = kmem_alloc(size + 1);
    message->size = size;
    message->weight = size + sizeof *message;
    socket_owner_get(&message->owner);
    if (message->data)
        return message;
    kmem_free(message);
    return NULL;
}

void socket_message_free(struct socket_message *message)
{
    for (unsigned i = 0; i < message->file_count; i++)
        file_release(message->files[i]);
    kmem_free(message->files);
    kmem_free(message->data);
    kmem_free(message);
}

static uint64_t socket_deadline(uint64_t ns)
{
    return ns == 0 ? WAIT_FOREVER : clock_after(clock_now(), ns);
}

/* Until SOCKET has changed: 0, -EAGAIN, -EINTR, -RESTART_UNHANDLED. */
static int socket_wait(struct socket *socket, bool wait, uint64_t deadline)
{
    int error;

    if (!wait)
        return -EAGAIN;
    if (deadline == WAIT_FOREVER)
        return cv_wait_sig(&socket->changed, &socket_mutex);
    if (clock_now() >= deadline)
        return -EAGAIN;
    error = cv_timedwait_sig(&socket->changed, &socket_mutex, deadline);
    /* A wait that has an end is not begun again: signal(7). */
    return error == -ETIMEDOUT ? 0 : error == -EINTR ? -RESTART_UNHANDLED : error;
}

static int socket_may_send(struct socket *from, const struct socket *to)
{
    int error = from->error;

    from->error = 0;
    if (error != 0)
        return socket_pairs(from) ? -EPIPE : -error;
    if (from->shut & SHUT_WRITE || (socket_pairs(from) && to->shut & SHUT_READ))
        return -EPIPE;
    if (to->dead)
        return -ECONNREFUSED;
    return !socket_pairs(from) && to->shut & SHUT_READ ? -EPIPE : 0;
}

int socket_send(struct socket *from, struct socket *to, struct socket_message *message, bool wait)
{
    uint64_t deadline = socket_deadline(from->send_ns);
    int error;

    socket_hold(to);
    while ((error = socket_may_send(from, to)) == 0 && to->used >= from->send_room) {
        socket_starve(from);
        error = socket_wait(to, wait, deadline);
        if (error != 0)
            break;
    }
    if (error == 0) {
        message->from = from->name;
        TAILQ_INSERT_TAIL(&to->messages, message, link);
        to->used += message->weight;
        socket_tell(to, POLL_READ);
    }
    socket_drop(to);
    return error;
}

/* To whom, with a reference: -ENOTCONN. */
static int socket_target(struct socket *from, struct socket *to, struct socket **out)
{
    if (!to && socket_pairs(from) && from->state == SOCKET_CONNECTED && !from->peer)
        return -EPIPE;
    *out = to ? to : from->peer;
    if (!*out)
        return -ENOTCONN;
    if (!to && !socket_pairs(from) && (*out)->dead) {
        from->peer = NULL;
        socket_drop(*out);
        return -ECONNREFUSED;
    }
    socket_hold(*out);
    return 0;
}

/* One piece or message: bytes or an error. */
static long socket_send_one(struct socket *from, struct socket *to, struct socket_message *message,
                            bool wait)
{
    size_t size = message->size;
    struct socket *target;
    int error;

    mutex_enter(&socket_mutex);
    error = socket_target(from, to, &target);
    if (error == 0) {
        error = socket_send(from, target, message, wait);
        socket_drop(target);
    }
    mutex_exit(&socket_mutex);
    if (error != 0)
        socket_message_free(message);
    return error != 0 ? error : (long)size;
}

/* What goes with FIRST goes with MESSAGE now. */
static void socket_move_files(struct socket_message *message, struct socket_message *first)
{
    message->files = first->files;
    message->file_count = first->file_count;
    message->owner = first->owner;
    first->files = NULL;
    first->file_count = 0;
}

long socket_send_uio(struct socket *from, struct socket *to, struct uio *uio, bool wait,
                     struct socket_message *first)
{
    bool stream = from->type == SOCKET_STREAM;
    size_t piece = from->send_room / 2 < PIECE ? from->send_room / 2 : PIECE;
    long moved = 0, result = 0;

    if (!stream && uio->left + sizeof(struct socket_message) > from->send_room)
        return -EMSGSIZE;
    do {
        size_t size = stream && uio->left > piece ? piece : uio->left;
        struct socket_message *message = socket_message_create(size);

        if (!message)
            return moved > 0 ? moved : -ENOBUFS;
        if (uio_get(uio, message->data, size) != size) {
            socket_message_free(message);
            return moved > 0 ? moved : -EFAULT;
        }
        if (first && moved == 0)
            socket_move_files(message, first);
        if (stream && size == 0) { /* and files that came with it go */
            socket_message_free(message);
            return 0;
        }
        result = socket_send_one(from, to, message, wait);
        if (result > 0)
            moved += result;
    } while (result > 0 && uio->left > 0);
    return moved > 0 ? moved : result;
}

/* Until there is a message: 0; 1: the end; -EAGAIN and so on. */
static int socket_wait_message(struct socket *socket, bool wait, uint64_t deadline)
{
    while (TAILQ_EMPTY(&socket->messages)) {
        int error = -socket->error;

        if (socket_pairs(socket) && socket->state != SOCKET_CONNECTED)
            return socket->type == SOCKET_STREAM ? -EINVAL : -ENOTCONN;
        socket->error = 0;
        if (error != 0)
            return error;
        if (socket->shut & SHUT_READ)
            return 1;
        error = socket_wait(socket, wait, deadline);
        if (error != 0)
            return error;
    }
    return 0;
}

/* MESSAGE has been read: away with it; who waits for room looks. */
static void socket_take_out(struct socket *socket, struct socket_message *message)
{
    TAILQ_REMOVE(&socket->messages, message, link);
    socket->used -= message->weight;
    cv_broadcast(&socket->changed);
    socket_feed(socket);
    if (socket->peer && socket->peer->peer == socket && socket_has_room(socket->peer))
        poll_source_wake(&socket->peer->source, POLL_WRITE); /* who waits for edges saw none */
}

/* Files and names of MESSAGE, for who reads its beginning. */
static int socket_take_rest(struct socket_message *message, bool peek, struct socket_taken *taken)
{
    struct file **files = message->files;

    taken->from = message->from;
    taken->owner = message->owner;
    if (message->file_count == 0)
        return 0;
    if (peek) {
        files = kmem_alloc(message->file_count * sizeof *files);
        if (!files)
            return -ENOMEM;
        for (unsigned i = 0; i < message->file_count; i++)
            files[i] = file_hold(message->files[i]);
    }
    taken->files = files;
    taken->file_count = message->file_count;
    if (!peek) {
        message->files = NULL;
        message->file_count = 0;
    }
    return 0;
}

/* One message, or what is left of it. */
static long socket_take(struct socket *socket, struct socket_message *message, struct uio *uio,
                        bool peek, struct socket_taken *taken)
{
    size_t left = message->size - message->taken, size = left < uio->left ? left : uio->left;
    size_t moved = uio_put(uio, message->data + message->taken, size);
    int error = 0;

    if (moved < size)
        return -EFAULT;
    taken->whole = left;
    taken->cut = size < left && socket->type != SOCKET_STREAM;
    error = socket_take_rest(message, peek, taken);
    if (peek || error != 0)
        return error != 0 ? error : (long)moved;
    message->taken += moved;
    if (socket->type == SOCKET_STREAM && message->taken < message->size)
        return (long)moved;
    socket_take_out(socket, message);
    socket_message_free(message);
    return (long)moved;
}

/* Bytes of a stream are taken across messages, but not past files, nor, where senders are told of,
 * past one sender's: TAKEN's, if the read has BEGUN. */
static long socket_take_stream(struct socket *socket, struct uio *uio, uint32_t flags,
                               struct socket_taken *taken, bool begun)
{
    bool peek = flags & MSG_PEEK;
    struct socket_message *message = TAILQ_FIRST(&socket->messages), *next;
    long moved = 0;

    do {
        bool files = message->file_count > 0;
        long result;

        if (socket->wants_owner && (begun || moved > 0) &&
            memcmp(&message->owner, &taken->owner, sizeof taken->owner) != 0)
            break;
        next = TAILQ_NEXT(message, link);
        result = socket_take(socket, message, uio, peek, taken);
        if (result < 0)
            return moved > 0 ? moved : result;
        moved += result;
        if (files)
            break;
        message = next;
    } while (message && uio->left > 0);
    return moved;
}

static long socket_receive_held(struct socket *socket, struct uio *uio, uint32_t flags, bool wait,
                                struct socket_taken *taken)
{
    uint64_t deadline = socket_deadline(socket->receive_ns);
    long moved = 0, result;
    size_t least;
    int state;

    least = flags & MSG_WAITALL || uio->left < socket->least ? uio->left : socket->least;
    do {
        state = socket_wait_message(socket, wait, deadline);
        if (state != 0)
            return moved > 0 ? moved : state > 0 ? 0 : state;
        if (socket->type != SOCKET_STREAM)
            return socket_take(socket, TAILQ_FIRST(&socket->messages), uio, flags & MSG_PEEK,
                               taken);
        result = socket_take_stream(socket, uio, flags, taken, moved > 0);
        moved += result > 0 ? result : 0;
    } while (result > 0 && (size_t)moved < least && !(flags & MSG_PEEK) && taken->file_count == 0);
    return moved > 0 ? moved : result;
}

long socket_receive(struct socket *socket, struct uio *uio, uint32_t flags, bool wait,
                    struct socket_taken *taken)
{
    struct socket_taken own = {.file_count = 0};
    long result;

    if (flags & MSG_OOB)
        return -EOPNOTSUPP;
    mutex_enter(&socket_mutex);
    result = socket_receive_held(socket, uio, flags, wait, taken ? taken : &own);
    mutex_exit(&socket_mutex);
    /* Files may be sockets: they are not closed with the mutex. */
    for (unsigned i = 0; i < own.file_count; i++)
        file_release(own.files[i]);
    kmem_free(own.files);
    return result;
}
