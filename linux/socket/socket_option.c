/* SPDX-License-Identifier: BSD-2-Clause */
/* setsockopt and getsockopt: of a socket of this machine little can be chosen. */
#include "fs/file/file.h"
#include "lib/string.h"
#include "linux/program/program_private.h"
#include "linux/socket/socket.h"
#include "linux/socket/socket_private.h"

#define LEAST_SEND 4608u /* as on Linux, for 64 bits */

static int option_time_in(struct trap_frame *frame, uint64_t *ns)
{
    struct abi_timeval time;

    if (ARG_U32(4) < sizeof time)
        return -EINVAL;
    if (copyin(ARG_PTR(3), &time, sizeof time) != 0)
        return -EFAULT;
    if (time.usec < 0 || time.usec >= 1000000)
        return -EDOM;
    *ns = time.sec < 0 ? 1 : (uint64_t)time.sec * 1000000000u + (uint64_t)time.usec * 1000u;
    return 0;
}

/* socket(7): twice what is wanted, and not less than LEAST. */
static uint32_t option_room(int32_t value, uint32_t least)
{
    uint32_t wanted = (uint32_t)value > SOCKET_ROOM ? SOCKET_ROOM : (uint32_t)value;

    return wanted * 2 < least ? least : wanted * 2;
}

/* Options that mean something to other families only, in socket->told. */
static const struct option_told {
    int option;
    bool flag; /* any number is 1 */
    int error; /* who is not root must not; 0: may */
} option_told[] = {
    {ABI_SO_REUSEADDR, true, 0},     {ABI_SO_KEEPALIVE, true, 0}, {ABI_SO_BROADCAST, true, 0},
    {ABI_SO_DEBUG, true, EACCES},    {ABI_SO_DONTROUTE, true, 0}, {ABI_SO_OOBINLINE, true, 0},
    {ABI_SO_PRIORITY, false, EPERM}, {ABI_SO_MARK, false, EPERM},
};
#define TOLD   (sizeof option_told / sizeof *option_told)
#define LINGER TOLD /* two numbers: whether, and for how many seconds */
_Static_assert(LINGER + 2 <= SOCKET_TOLD, "socket.h");

static unsigned option_told_index(int option)
{
    unsigned i = 0;

    while (i < TOLD && option_told[i].option != option)
        i++;
    return i;
}

static int option_tell(struct socket *socket, int option, int32_t value)
{
    unsigned i = option_told_index(option);

    if (i == TOLD)
        return -ENOPROTOOPT;
    if (option_told[i].error != 0 && !program_is_root(task_current()->program) &&
        !(option == ABI_SO_PRIORITY && value >= 0 && value <= 6))
        return -option_told[i].error;
    socket->told[i] = option_told[i].flag ? value != 0 : value;
    return 0;
}

static int option_linger(struct trap_frame *frame, struct socket *socket)
{
    int32_t in[2];

    if (ARG_U32(4) < sizeof in)
        return -EINVAL;
    if (copyin(ARG_PTR(3), in, sizeof in) != 0)
        return -EFAULT;
    socket->told[LINGER] = in[0] != 0;
    if (in[0] != 0)
        socket->told[LINGER + 1] = in[1];
    return 0;
}

/* SO_SNDBUFFORCE and its twin. */
static int option_force(uint32_t *room, int32_t value, uint32_t least)
{
    if (!program_is_root(task_current()->program))
        return -EPERM;
    *room = option_room(value < 0 ? 0 : value, least);
    return 0;
}

static int option_set(struct trap_frame *frame, struct socket *socket)
{
    int32_t value;

    if (ARG_INT(1) != ABI_SOL_SOCKET)
        return -EOPNOTSUPP;
    if (ARG_INT(2) == ABI_SO_RCVTIMEO)
        return option_time_in(frame, &socket->receive_ns);
    if (ARG_INT(2) == ABI_SO_SNDTIMEO)
        return option_time_in(frame, &socket->send_ns);
    if (ARG_INT(2) == ABI_SO_LINGER)
        return option_linger(frame, socket);
    if (ARG_U32(4) < sizeof value)
        return -EINVAL;
    if (copyin(ARG_PTR(3), &value, sizeof value) != 0)
        return -EFAULT;
    switch (ARG_INT(2)) {
    case ABI_SO_PASSCRED:
        socket->wants_owner = value != 0;
        return 0;
    case ABI_SO_SNDBUF:
        socket->send_room = option_room(value, LEAST_SEND);
        return 0;
    case ABI_SO_RCVBUF:
        socket->receive_room = option_room(value, LEAST_SEND / 2);
        return 0;
    case ABI_SO_SNDBUFFORCE:
        return option_force(&socket->send_room, value, LEAST_SEND);
    case ABI_SO_RCVBUFFORCE:
        return option_force(&socket->receive_room, value, LEAST_SEND / 2);
    case ABI_SO_RCVLOWAT:
        socket->least = value < 0 ? INT32_MAX : value == 0 ? 1 : (uint32_t)value;
        return 0;
    default:
        return option_tell(socket, ARG_INT(2), value);
    }
}

CALL(setsockopt)
{
    struct file *file;
    int error;
    struct socket *socket = socket_enter_call(ARG_INT(0), &file, &error);

    if (!socket)
        return error;
    error = option_set(frame, socket);
    file_release(file);
    return error;
}

static int option_number(struct socket *socket, int option, int32_t *value)
{
    switch (option) {
    case ABI_SO_TYPE:
        *value = socket->type == SOCKET_STREAM   ? ABI_SOCK_STREAM
                 : socket->type == SOCKET_PACKET ? ABI_SOCK_SEQPACKET
                                                 : ABI_SOCK_DGRAM;
        return 0;
    case ABI_SO_DOMAIN:
        *value = AF_UNIX;
        return 0;
    case ABI_SO_ERROR:
        *value = socket->error ? ABI_CALL_NUMBER(socket->error, abi_error(socket->error)) : 0;
        socket->error = 0;
        return 0;
    case ABI_SO_ACCEPTCONN:
        *value = socket->state == SOCKET_LISTENS;
        return 0;
    case ABI_SO_PASSCRED:
        *value = socket->wants_owner;
        return 0;
    case ABI_SO_SNDBUF:
        *value = (int32_t)socket->send_room;
        return 0;
    case ABI_SO_RCVBUF:
        *value = (int32_t)socket->receive_room;
        return 0;
    case ABI_SO_RCVLOWAT:
        *value = (int32_t)socket->least;
        return 0;
    case ABI_SO_SNDLOWAT:
        *value = 1;
        return 0;
    case ABI_SO_PROTOCOL:
        *value = 0;
        return 0;
    default:
        if (option_told_index(option) == TOLD)
            return -ENOPROTOOPT;
        *value = socket->told[option_told_index(option)];
        return 0;
    }
}

/* What it is, in OUT: its size, or an error. */
static long option_get(struct socket *socket, int option, void *out)
{
    struct socket_owner nobody = {0, UINT32_MAX, UINT32_MAX};
    int32_t value = 0;
    int error;

    if (option == ABI_SO_PEERCRED) {
        *(struct socket_owner *)out = socket->peer ? socket->peer_owner : nobody;
        return sizeof nobody;
    }
    if (option == ABI_SO_RCVTIMEO || option == ABI_SO_SNDTIMEO) {
        *(struct abi_timeval *)out =
            call_timeval(option == ABI_SO_RCVTIMEO ? socket->receive_ns : socket->send_ns);
        return sizeof(struct abi_timeval);
    }
    if (option == ABI_SO_LINGER) {
        memcpy(out, &socket->told[LINGER], 2 * sizeof(int32_t));
        return 2 * sizeof(int32_t);
    }
    error = option_number(socket, option, &value);
    *(int32_t *)out = value;
    return error != 0 ? error : (long)sizeof value;
}

CALL(getsockopt)
{
    uint64_t out[4] = {0};
    struct file *file;
    int32_t room, size;
    int error;
    struct socket *socket = socket_enter_call(ARG_INT(0), &file, &error);
    long result = -EOPNOTSUPP;

    if (!socket)
        return error;
    if (ARG_INT(1) == ABI_SOL_SOCKET) {
        mutex_enter(&socket_mutex);
        result = option_get(socket, ARG_INT(2), out);
        mutex_exit(&socket_mutex);
    }
    file_release(file);
    if (copyin(ARG_PTR(4), &room, sizeof room) != 0)
        return -EFAULT;
    if (result < 0 || room < 0)
        return result < 0 ? result : -EINVAL;
    size = room < result ? room : (int32_t)result;
    if (copyout(out, ARG_PTR(3), (size_t)size) != 0)
        return -EFAULT;
    return copyout(&size, ARG_PTR(4), sizeof size);
}
