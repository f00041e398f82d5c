/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes with the bytes of a socket's message, as programs write it: cmsg(3), unix(7). */
#include "fs/file/file.h"
#include "kernel/memory/kmem.h"
#include "lib/string.h"
#include "linux/program/program_private.h"
#include "linux/socket/socket.h"
#include "linux/socket/socket_private.h"

#define CONTROL_MOST  4096u
#define CONTROL_UP(n) (((n) + 7u) & ~7ull)
#define CONTROL_HEAD  sizeof(struct abi_control)

/* SCM_RIGHTS: the files of COUNT descriptors go with MESSAGE. */
static int control_files(const int32_t *numbers, unsigned count, struct socket_message *message)
{
    if (count > SOCKET_FILES || message->files)
        return -EINVAL;
    message->files = kmem_alloc(count * sizeof *message->files + 1);
    if (!message->files)
        return -ENOMEM;
    for (unsigned i = 0; i < count; i++) {
        struct file *file = call_file(numbers[i]);

        if (!file)
            return -EBADF;
        message->files[message->file_count++] = file;
    }
    return 0;
}

static int control_owner(const struct socket_owner *owner, struct socket_message *message)
{
    const struct program *program = task_current()->program;
    uintptr_t state;
    bool found;

    if (!program_is_root(program) &&
        (owner->pid != program->id || (owner->uid != program->uid && owner->uid != program->euid &&
                                       owner->uid != program->suid)))
        return -EPERM;
    state = spinlock_acquire(&program_lock);
    found = program_find(owner->pid) != NULL;
    spinlock_release(&program_lock, state);
    if (!found)
        return -ESRCH;
    message->owner = *owner;
    return 0;
}

static int control_one(const struct abi_control *head, struct socket_message *message)
{
    size_t size = head->length - CONTROL_HEAD;

    if (head->level != ABI_SOL_SOCKET)
        return 0;
    if (head->type == SCM_RIGHTS)
        return control_files((const int32_t *)(head + 1), (unsigned)(size / sizeof(int32_t)),
                             message);
    if (head->type == SCM_CREDENTIALS && size == sizeof(struct socket_owner))
        return control_owner((const struct socket_owner *)(head + 1), message);
    return -EINVAL;
}

static int control_all(char *buffer, size_t size, struct socket_message *message)
{
    size_t at = 0;

    while (size - at >= CONTROL_HEAD) {
        const struct abi_control *head = (const struct abi_control *)(buffer + at);
        int error;

        if (head->length < CONTROL_HEAD || head->length > size - at)
            return -EINVAL;
        error = control_one(head, message);
        if (error != 0)
            return error;
        at += CONTROL_UP(head->length);
        if (at > size)
            break;
    }
    return 0;
}

int socket_control_in(const struct abi_message *in, struct socket_message **out)
{
    char *buffer;
    int error;

    *out = NULL;
    if (in->control_size == 0)
        return 0;
    if (in->control_size > CONTROL_MOST)
        return -ENOBUFS;
    buffer = kmem_alloc(in->control_size);
    *out = socket_message_create(0);
    error = buffer && *out ? copyin((const void *)in->control, buffer, in->control_size) : -ENOMEM;
    if (error == 0)
        error = control_all(buffer, in->control_size, *out);
    kmem_free(buffer);
    if (error != 0 && *out) {
        socket_message_free(*out);
        *out = NULL;
    }
    return error;
}

void socket_control_put(struct control_out *out, int type, const void *data, size_t size)
{
    struct abi_control head = {CONTROL_HEAD + size, ABI_SOL_SOCKET, type};
    uint64_t step;

    if (out->left < head.length) {
        out->flags |= MSG_CTRUNC;
        if (out->left < sizeof head)
            return;
        head.length = out->left;
    }
    if (copyout(&head, (void *)out->at, sizeof head) != 0 ||
        copyout(data, (void *)(out->at + sizeof head), head.length - sizeof head) != 0) {
        out->flags |= MSG_CTRUNC;
        return;
    }
    step = CONTROL_UP(head.length) < out->left ? CONTROL_UP(head.length) : out->left;
    out->at += step;
    out->left -= step;
}

void socket_control_put_files(struct control_out *out, struct socket_taken *taken, bool on_exec)
{
    int32_t numbers[SOCKET_FILES];
    uint64_t room = out->left > CONTROL_HEAD ? (out->left - CONTROL_HEAD) / sizeof *numbers : 0;
    unsigned count = 0;

    while (count < taken->file_count && count < room) {
        long number = call_file_add(file_hold(taken->files[count]), 0, on_exec);

        if (number < 0)
            break;
        numbers[count++] = (int32_t)number;
    }
    if (count < taken->file_count)
        out->flags |= MSG_CTRUNC;
    if (count > 0)
        socket_control_put(out, SCM_RIGHTS, numbers, count * sizeof *numbers);
}
