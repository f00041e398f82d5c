/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of sockets, in and out; shutdown, which tells the peer. */
#include "fs/file/file.h"
#include "lib/string.h"
#include "linux/program/program_private.h"
#include "linux/socket/socket.h"
#include "linux/socket/socket_private.h"

int socket_name_in(const void *user, uint64_t size, struct socket_name *name)
{
    struct abi_sockaddr address;
    size_t length = size - sizeof address.family;

    memset(name, 0, sizeof *name);
    if (size > sizeof address || size < sizeof address.family)
        return -EINVAL;
    if (copyin(user, &address, size) != 0)
        return -EFAULT;
    if (address.family != AF_UNIX)
        return -EINVAL;
    memcpy(name->text, address.path, length);
    name->length = length;
    if (length > 0 && name->text[0] != '\0')
        name->length = strnlen(name->text, length) + 1;
    return 0;
}

int socket_name_out(const struct socket_name *name, void *user, void *user_size)
{
    struct abi_sockaddr address = {.family = AF_UNIX};
    uint32_t room, whole = (uint32_t)(sizeof address.family + name->length);
    int32_t given;

    if (copyin(user_size, &given, sizeof given) != 0)
        return -EFAULT;
    if (given < 0)
        return -EINVAL;
    memcpy(address.path, name->text,
           name->length < sizeof address.path ? name->length : sizeof address.path);
    room = (uint32_t)given < sizeof address ? (uint32_t)given : sizeof address;
    if (copyout(&address, user, room < whole ? room : whole) != 0)
        return -EFAULT;
    return copyout(&whole, user_size, sizeof whole);
}

CALL(shutdown)
{
    static const uint8_t hows[] = {SHUT_READ, SHUT_WRITE, SHUT_READ | SHUT_WRITE};
    struct file *file;
    int error;
    struct socket *socket = socket_enter_call(ARG_INT(0), &file, &error), *peer;
    uint8_t how;

    if (!socket)
        return error;
    error = ARG_U32(1) > 2 ? -EINVAL : 0;
    how = error == 0 ? hows[ARG_U32(1)] : 0;
    mutex_enter(&socket_mutex);
    peer = socket->peer;
    socket->shut |= how;
    if (peer && socket_pairs(socket)) {
        peer->shut |=
            (uint8_t)((how & SHUT_READ ? SHUT_WRITE : 0) | (how & SHUT_WRITE ? SHUT_READ : 0));
        socket_tell(peer, POLL_READ | POLL_WRITE | POLLHUP | POLLRDHUP);
    }
    socket_tell(socket, POLL_READ | POLL_WRITE | POLLHUP | POLLRDHUP);
    mutex_exit(&socket_mutex);
    file_release(file);
    return error;
}

/* Its own name, or (PEER) its peer's. */
static long socket_tell_name(struct trap_frame *frame, bool peer)
{
    struct socket_name name = {.length = 0};
    struct file *file;
    int error;
    struct socket *socket = socket_enter_call(ARG_INT(0), &file, &error);

    if (!socket)
        return error;
    mutex_enter(&socket_mutex);
    error = peer && !socket->peer ? -ENOTCONN : 0;
    if (error == 0)
        name = peer ? socket->peer->name : socket->name;
    mutex_exit(&socket_mutex);
    file_release(file);
    return error != 0 ? error : socket_name_out(&name, ARG_PTR(1), ARG_PTR(2));
}

CALL(getsockname)
{
    return socket_tell_name(frame, false);
}

CALL(getpeername)
{
    return socket_tell_name(frame, true);
}
