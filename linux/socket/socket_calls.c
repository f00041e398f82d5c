/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls about sockets that move no bytes. */
#include "fs/file/file.h"
#include "fs/file/file_table.h"
#include "kernel/memory/kmem.h"
#include "lib/string.h"
#include "linux/program/program_private.h"
#include "linux/socket/socket.h"
#include "linux/socket/socket_private.h"

#define BACKLOG_MOST 4096

struct socket *socket_enter_call(int descriptor, struct file **file, int *error)
{
    struct socket *socket;

    *file = call_file(descriptor);
    if (!*file || file_flags(*file) & O_PATH) {
        if (*file)
            file_release(*file);
        *error = -EBADF;
        return NULL;
    }
    socket = socket_of(*file);
    if (!socket) {
        file_release(*file);
        *error = -ENOTSOCK;
    }
    return socket;
}

static int socket_type_in(uint32_t domain, uint32_t type, uint32_t protocol, enum socket_type *out)
{
    uint32_t kind = type & 15u;

    if (type & ~(15u | ABI_O_CLOEXEC | ABI_O_NONBLOCK))
        return -EINVAL;
    if (domain != AF_UNIX)
        return -EAFNOSUPPORT;
    if (protocol != 0 && protocol != AF_UNIX)
        return -EPROTONOSUPPORT;
    *out = kind == ABI_SOCK_STREAM      ? SOCKET_STREAM
           : kind == ABI_SOCK_SEQPACKET ? SOCKET_PACKET
                                        : SOCKET_DATAGRAM;
    return kind == ABI_SOCK_STREAM || kind == ABI_SOCK_SEQPACKET || kind == ABI_SOCK_DGRAM ||
                   kind == 3 /* SOCK_RAW: datagrams, as Linux has it */
               ? 0
               : -ESOCKTNOSUPPORT;
}

static uint32_t socket_flags(uint32_t type)
{
    return type & ABI_O_NONBLOCK ? O_NONBLOCK : 0;
}

CALL(socket)
{
    enum socket_type type;
    struct socket *socket;
    struct file *file;
    int error = socket_type_in(ARG_U32(0), ARG_U32(1), ARG_U32(2), &type);

    if (error != 0)
        return error;
    socket = socket_create(type);
    file = socket ? socket_file(socket, socket_flags(ARG_U32(1))) : NULL;
    return file ? call_file_add(file, 0, ARG_U32(1) & ABI_O_CLOEXEC) : -ENOMEM;
}

/* Two that are each other's peers. */
static int socket_make_pair(enum socket_type type, uint32_t flags, struct file *files[2])
{
    struct socket *one = socket_create(type), *other = one ? socket_create(type) : NULL;

    files[0] = files[1] = NULL;
    if (one)
        files[0] = socket_file(one, flags);
    if (other)
        files[1] = socket_file(other, flags);
    if (!files[0] || !files[1]) {
        file_release(files[0]);
        file_release(files[1]);
        return -ENOMEM;
    }
    mutex_enter(&socket_mutex);
    socket_join(one, other);
    mutex_exit(&socket_mutex);
    return 0;
}

CALL(socketpair)
{
    struct program *program = task_current()->program;
    enum socket_type type;
    struct file *files[2];
    int32_t numbers[2];
    int error = socket_type_in(ARG_U32(0), ARG_U32(1), ARG_U32(2), &type);
    uint64_t limit = program->limits[RLIMIT_NOFILE].now;

    if (error == 0)
        error = socket_make_pair(type, socket_flags(ARG_U32(1)), files);
    if (error == 0)
        error =
            file_table_add_pair(program->files, files, ARG_U32(1) & ABI_O_CLOEXEC,
                                limit < FILE_TABLE_MAX ? (uint32_t)limit : FILE_TABLE_MAX, numbers);
    if (error == 0 && copyout(numbers, ARG_PTR(3), sizeof numbers) != 0) {
        file_table_close(program->files, numbers[0]);
        file_table_close(program->files, numbers[1]);
        error = -EFAULT;
    }
    return error;
}

CALL(bind)
{
    struct socket_name name;
    struct file *file;
    int error;
    struct socket *socket = socket_enter_call(ARG_INT(0), &file, &error);

    if (!socket)
        return error;
    error = socket_name_in(ARG_PTR(1), ARG_U32(2), &name);
    if (error == 0) {
        mutex_enter(&socket_mutex);
        error = socket_bind(socket, &name);
        mutex_exit(&socket_mutex);
    }
    file_release(file);
    return error;
}

CALL(listen)
{
    struct file *file;
    int error, backlog = ARG_INT(1);
    struct socket *socket = socket_enter_call(ARG_INT(0), &file, &error);

    if (!socket)
        return error;
    mutex_enter(&socket_mutex);
    if (!socket_pairs(socket)) {
        error = -EOPNOTSUPP;
    } else if (socket->name.length == 0 || socket->state == SOCKET_CONNECTED) {
        error = -EINVAL;
    } else {
        error = 0;
        socket->state = SOCKET_LISTENS;
        socket->backlog = backlog < 0 || backlog > BACKLOG_MOST ? BACKLOG_MOST : (unsigned)backlog;
        socket_owner_get(&socket->owner);
        socket_tell(socket, POLL_WRITE);
    }
    mutex_exit(&socket_mutex);
    file_release(file);
    return error;
}

/* Until LISTENER has room for one more: 0, -EAGAIN, -ECONNREFUSED, -EINTR. */
static int socket_wait_room(struct socket *listener, bool wait)
{
    int error = 0;

    while (error == 0) {
        if (listener->dead || listener->state != SOCKET_LISTENS || listener->shut & SHUT_READ)
            return -ECONNREFUSED;
        if (listener->arrived_count <= listener->backlog)
            return 0;
        error = wait ? cv_wait_sig(&listener->changed, &socket_mutex) : -EAGAIN;
    }
    return error;
}

/* NEW becomes SOCKET's peer, and waits to be accepted by LISTENER. */
static int socket_connect_pair(struct socket *socket, struct socket *listener, struct socket *new,
                               bool wait)
{
    int error;

    if (socket->state == SOCKET_CONNECTED)
        return -EISCONN;
    if (socket->state == SOCKET_LISTENS)
        return -EINVAL;
    error = socket_wait_room(listener, wait);
    if (error != 0)
        return error;
    new->name = listener->name;
    new->owner = listener->owner;
    socket_owner_get(&socket->owner);
    socket_join(socket, new);
    socket_hold(new);
    TAILQ_INSERT_TAIL(&listener->arrived, new, in_arrived);
    listener->arrived_count++;
    socket_tell(listener, POLL_READ);
    socket_tell(socket, POLL_WRITE);
    return 0;
}

static int socket_connect(struct socket *socket, const struct socket_name *name, struct socket *new,
                          bool wait)
{
    struct socket *to, *old = socket->peer;
    int error = socket_find(socket, name, &to);

    if (error != 0)
        return error;
    if (socket_pairs(socket)) {
        error = socket_connect_pair(socket, to, new, wait);
        socket_drop(to);
        return error;
    }
    socket_sated(socket);
    socket->peer = to; /* with the reference */
    socket->state = SOCKET_CONNECTED;
    socket_drop(old);
    return 0;
}

/* A datagram socket's peer is forgotten: AF_UNSPEC. */
static int socket_disconnect(struct socket *socket)
{
    struct socket *old;

    if (socket_pairs(socket))
        return -EINVAL;
    mutex_enter(&socket_mutex);
    old = socket->peer;
    socket_sated(socket);
    socket->peer = NULL;
    socket->state = SOCKET_NEW;
    socket_drop(old);
    mutex_exit(&socket_mutex);
    return 0;
}

CALL(connect)
{
    struct socket_name name;
    struct socket *new, *socket;
    struct file *file;
    uint16_t family;
    int error;

    socket = socket_enter_call(ARG_INT(0), &file, &error);
    if (!socket)
        return error;
    if (ARG_U32(2) >= sizeof family && copyin(ARG_PTR(1), &family, sizeof family) == 0 &&
        family == 0) {
        error = socket_disconnect(socket);
        file_release(file);
        return error;
    }
    error = socket_name_in(ARG_PTR(1), ARG_U32(2), &name);
    new = error == 0 ? socket_create(socket->type) : NULL;
    if (error == 0 && !new)
        error = -ENOMEM;
    if (error == 0) {
        mutex_enter(&socket_mutex);
        error = socket_connect(socket, &name, new, !(file_flags(file) & O_NONBLOCK));
        socket_drop(new);
        mutex_exit(&socket_mutex);
    }
    file_release(file);
    return call_restartable(error);
}

/* The next that has arrived, with its reference; NULL: *ERROR. */
static struct socket *socket_accept(struct socket *listener, bool wait, int *error)
{
    struct socket *new = NULL;

    *error = listener->state == SOCKET_LISTENS   ? 0
             : listener->type == SOCKET_DATAGRAM ? -EOPNOTSUPP
                                                 : -EINVAL;
    while (*error == 0 && TAILQ_EMPTY(&listener->arrived)) {
        if (listener->shut & SHUT_READ)
            *error = -EINVAL;
        else
            *error = wait ? cv_wait_sig(&listener->changed, &socket_mutex) : -EAGAIN;
    }
    if (*error == 0) {
        new = TAILQ_FIRST(&listener->arrived);
        TAILQ_REMOVE(&listener->arrived, new, in_arrived);
        listener->arrived_count--;
        socket_tell(listener, POLL_WRITE);
    }
    return new;
}

static long socket_accept_call(struct trap_frame *frame, uint32_t flags)
{
    struct socket_name name = {.length = 0};
    struct socket *listener, *new;
    struct file *file;
    int error;

    if (flags & ~(ABI_O_CLOEXEC | ABI_O_NONBLOCK))
        return -EINVAL;
    listener = socket_enter_call(ARG_INT(0), &file, &error);
    if (!listener)
        return error;
    mutex_enter(&socket_mutex);
    new = socket_accept(listener, !(file_flags(file) & O_NONBLOCK), &error);
    if (new && new->peer)
        name = new->peer->name;
    mutex_exit(&socket_mutex);
    file_release(file);
    if (!new)
        return call_restartable(error);
    file = socket_file(new, socket_flags(flags));
    if (!file)
        return -ENOMEM;
    if (ARG(1) != 0)
        error = socket_name_out(&name, ARG_PTR(1), ARG_PTR(2));
    if (error == 0)
        return call_file_add(file, 0, flags & ABI_O_CLOEXEC);
    file_release(file);
    return error;
}

CALL(accept)
{
    return socket_accept_call(frame, 0);
}

CALL(accept4)
{
    return socket_accept_call(frame, ARG_U32(3));
}
