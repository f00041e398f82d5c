/* SPDX-License-Identifier: BSD-2-Clause */
/* send, recv and their kin: messages with names, files and owners. */
#include "fs/file/file.h"
#include "fs/file/uio.h"
#include "kernel/memory/kmem.h"
#include "lib/string.h"
#include "linux/program/program_private.h"
#include "linux/socket/socket.h"
#include "linux/socket/socket_private.h"

#define VECTORS_AT_ONCE 8u

/* What is sent or received: a message of a program, its pieces copied. */
struct transfer {
    struct abi_message in;
    struct io_vector few[VECTORS_AT_ONCE], *vectors;
    struct uio uio;
};

static void transfer_end(struct transfer *transfer)
{
    if (transfer->vectors != transfer->few)
        kmem_free(transfer->vectors);
}

/* abi_iovec and io_vector are alike on both machines. */
_Static_assert(sizeof(struct io_vector) == sizeof(struct abi_iovec), "struct iovec");

static int transfer_in(struct transfer *transfer, const void *user)
{
    uint64_t count;
    int error;

    transfer->vectors = transfer->few;
    if (copyin(user, &transfer->in, sizeof transfer->in) != 0)
        return -EFAULT;
    count = transfer->in.vector_count;
    if (count > UIO_VECTORS_MAX)
        return -EMSGSIZE;
    if (count > VECTORS_AT_ONCE)
        transfer->vectors = kmem_alloc(count * sizeof *transfer->vectors);
    if (!transfer->vectors)
        return -ENOMEM;
    error = copyin((const void *)transfer->in.vectors, transfer->vectors,
                   count * sizeof *transfer->vectors);
    return error != 0 ? error : uio_init(&transfer->uio, transfer->vectors, (unsigned)count, true);
}

/* The one that NAME means, with a reference, if there is a name. */
static int transfer_target(struct socket *socket, const void *name, uint32_t size,
                           struct socket **to)
{
    struct socket_name parsed;
    int error;

    *to = NULL;
    if (!name || size == 0)
        return 0;
    if (socket_pairs(socket))
        return socket->state == SOCKET_CONNECTED && socket->type == SOCKET_STREAM ? -EISCONN
               : socket->type == SOCKET_PACKET                                    ? 0
                                                                                  : -EOPNOTSUPP;
    error = socket_name_in(name, size, &parsed);
    if (error != 0)
        return error;
    mutex_enter(&socket_mutex);
    error = socket_find(socket, &parsed, to);
    mutex_exit(&socket_mutex);
    return error;
}

static void transfer_count(bool written, long result)
{
    struct task_counts *counts = &task_current()->counts;
    uint64_t bytes = result > 0 ? (uint64_t)result : 0;

    if (written)
        counts->written_bytes += bytes;
    else
        counts->read_bytes += bytes;
}

static long transfer_send(struct socket *socket, struct file *file, struct transfer *transfer,
                          uint32_t flags)
{
    bool wait = !(flags & MSG_DONTWAIT) && !(file_flags(file) & O_NONBLOCK);
    struct socket_message *first;
    struct socket *to;
    long result;

    if (flags & MSG_OOB)
        return -EOPNOTSUPP;
    result = socket_control_in(&transfer->in, &first);
    if (result != 0)
        return result;
    result = transfer_target(socket, (const void *)transfer->in.name, transfer->in.name_size, &to);
    if (result == 0)
        result = socket_send_uio(socket, to, &transfer->uio, wait, first);
    if (to) {
        mutex_enter(&socket_mutex);
        socket_drop(to);
        mutex_exit(&socket_mutex);
    }
    if (first)
        socket_message_free(first);
    transfer_count(true, result);
    return result;
}

/* RESULT of a transfer; FILE is given back. */
static long transfer_result(struct file *file, uint32_t flags, long result)
{
    if (result == -EPIPE && !(flags & MSG_NOSIGNAL))
        return file_io_result(file, result);
    file_release(file);
    return call_restartable(result);
}

/* One piece, as sendto and recvfrom have it. */
static void transfer_single(struct transfer *transfer, struct trap_frame *frame)
{
    memset(&transfer->in, 0, sizeof transfer->in);
    transfer->vectors = transfer->few;
    uio_single(&transfer->uio, transfer->few, ARG_PTR(1), ARG(2), true);
}

CALL(sendto)
{
    struct transfer transfer;
    struct file *file;
    int error;
    struct socket *socket = socket_enter_call(ARG_INT(0), &file, &error);

    if (!socket)
        return error;
    transfer_single(&transfer, frame);
    transfer.in.name = ARG(4);
    transfer.in.name_size = ARG_U32(5);
    return transfer_result(file, ARG_U32(3), transfer_send(socket, file, &transfer, ARG_U32(3)));
}

CALL(sendmsg)
{
    struct transfer transfer;
    struct file *file;
    int error;
    struct socket *socket = socket_enter_call(ARG_INT(0), &file, &error);
    long result;

    if (!socket)
        return error;
    result = transfer_in(&transfer, ARG_PTR(1));
    if (result == 0)
        result = transfer_send(socket, file, &transfer, ARG_U32(2));
    transfer_end(&transfer);
    return transfer_result(file, ARG_U32(2), result);
}

static long transfer_receive(struct socket *socket, struct file *file, struct transfer *transfer,
                             uint32_t flags, struct socket_taken *taken)
{
    bool wait = !(flags & MSG_DONTWAIT) && !(file_flags(file) & O_NONBLOCK);
    long result;

    memset(taken, 0, sizeof *taken);
    result = socket_receive(socket, &transfer->uio, flags, wait, taken);
    transfer_count(false, result);
    return result >= 0 && flags & MSG_TRUNC && taken->cut ? (long)taken->whole : result;
}

/* Files that nobody takes. */
static void socket_transfer_taken_drop(struct socket_taken *taken)
{
    for (unsigned i = 0; i < taken->file_count; i++)
        file_release(taken->files[i]);
    kmem_free(taken->files);
    taken->files = NULL;
    taken->file_count = 0;
}

/* Of a sender without a name there is no address at all. */
static int socket_transfer_sender_out(const struct socket_name *name, void *user, void *user_size)
{
    static const uint32_t none;

    return name->length == 0 ? copyout(&none, user_size, sizeof none)
                             : socket_name_out(name, user, user_size);
}

CALL(recvfrom)
{
    struct socket_taken taken;
    struct transfer transfer;
    struct file *file;
    int error;
    struct socket *socket = socket_enter_call(ARG_INT(0), &file, &error);
    long result;

    if (!socket)
        return error;
    transfer_single(&transfer, frame);
    result = transfer_receive(socket, file, &transfer, ARG_U32(3), &taken);
    socket_transfer_taken_drop(&taken);
    if (result >= 0 && ARG(4) != 0) {
        error = socket_transfer_sender_out(&taken.from, ARG_PTR(4), ARG_PTR(5));
        result = error != 0 ? error : result;
    }
    file_release(file);
    return call_restartable(result);
}

static int transfer_out(struct socket *socket, struct transfer *transfer, void *user,
                        uint32_t flags, struct socket_taken *taken)
{
    struct abi_message *in = &transfer->in;
    struct control_out out = {in->control, in->control_size, taken->cut ? MSG_TRUNC : 0};
    struct abi_message *there = user;
    uint64_t used;
    int error = 0;

    if (socket->wants_owner)
        socket_control_put(&out, SCM_CREDENTIALS, &taken->owner, sizeof taken->owner);
    if (taken->file_count > 0)
        socket_control_put_files(&out, taken, flags & MSG_CMSG_CLOEXEC);
    used = in->control_size - out.left;
    if (in->name != 0)
        error = socket_transfer_sender_out(&taken->from, (void *)in->name, &there->name_size);
    if (error == 0)
        error = copyout(&used, &there->control_size, sizeof used);
    return error != 0 ? error : copyout(&out.flags, &there->flags, sizeof out.flags);
}

CALL(recvmsg)
{
    struct socket_taken taken = {.file_count = 0};
    struct transfer transfer;
    struct file *file;
    int error;
    struct socket *socket = socket_enter_call(ARG_INT(0), &file, &error);
    long result;

    if (!socket)
        return error;
    result = transfer_in(&transfer, ARG_PTR(1));
    if (result == 0)
        result = transfer_receive(socket, file, &transfer, ARG_U32(2), &taken);
    if (result >= 0) {
        error = transfer_out(socket, &transfer, ARG_PTR(1), ARG_U32(2), &taken);
        result = error != 0 ? error : result;
    }
    socket_transfer_taken_drop(&taken);
    transfer_end(&transfer);
    file_release(file);
    return call_restartable(result);
}
