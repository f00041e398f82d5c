/* SPDX-License-Identifier: BSD-2-Clause */
/* msgget(2), msgsnd, msgrcv, msgctl. */
#include "kernel/memory/kmem.h"
#include "kernel/thread/condvar.h"
#include "lib/section.h"
#include "lib/string.h"
#include "linux/ipc/ipc.h"
#include "linux/program/program_private.h"

#define MSG_NOERROR 010000u
#define MSG_EXCEPT  020000u
#define MSG_COPY    040000u
#define MSG_STAT    11

struct message {
    TAILQ_ENTRY(message) link;
    int64_t type;
    size_t size;
    char data[];
};

struct queue {
    struct ipc_object ipc; /* first */
    uint32_t users;        /* who sleeps in it */
    kcondvar_t changed;
    TAILQ_HEAD(, message) messages;
    uint64_t bytes, count, most;
    int64_t send_time, receive_time;
    uint32_t last_sender, last_receiver;
};

static SHARED_DATA struct ipc_kind queues = IPC_KIND("message queues");

static long queue_make(int32_t key, uint32_t flags)
{
    struct queue *queue = kmem_zalloc(sizeof *queue);
    long id;

    if (!queue)
        return -ENOMEM;
    cv_init(&queue->changed, "message queue");
    TAILQ_INIT(&queue->messages);
    queue->most = IPC_QUEUE_BYTES;
    id = ipc_add(&queues, &queue->ipc, key, flags);
    if (id < 0) {
        cv_destroy(&queue->changed);
        kmem_free(queue);
    }
    return id;
}

CALL(msgget)
{
    struct ipc_object *found;
    long result;

    ipc_enter(&queues);
    result = ipc_get(&queues, ARG_INT(0), ARG_U32(1), &found);
    if (result == -ENOENT && (ARG_U32(1) & IPC_CREAT || ARG_INT(0) == 0))
        result = queue_make(ARG_INT(0), ARG_U32(1));
    ipc_leave(&queues);
    return result;
}

static void queue_free_if_unused(struct queue *queue)
{
    struct message *message;

    if (!queue->ipc.removed || queue->users > 0)
        return;
    while ((message = TAILQ_FIRST(&queue->messages)) != NULL) {
        TAILQ_REMOVE(&queue->messages, message, link);
        kmem_free(message);
    }
    cv_destroy(&queue->changed);
    kmem_free(queue);
}

/* Until it has changed: 0, -EIDRM, -EINTR (and then it may be gone). */
static int queue_wait(struct queue *queue)
{
    int error;

    queue->users++;
    error = cv_wait_sig(&queue->changed, &queues.lock);
    queue->users--;
    if (queue->ipc.removed) {
        queue_free_if_unused(queue);
        return -EIDRM;
    }
    return error;
}

static struct queue *queue_find(uint32_t id, unsigned wanted, int *error)
{
    struct queue *queue = (struct queue *)ipc_find(&queues, id);

    *error = !queue ? -EINVAL : ipc_permit(&queue->ipc, wanted);
    return *error == 0 ? queue : NULL;
}

static int queue_send(uint32_t id, struct message *message, bool wait)
{
    struct queue *queue;
    int error;

    queue = queue_find(id, 2, &error);
    while (queue &&
           (queue->bytes + message->size > queue->most || queue->count + 1 > queue->most)) {
        error = wait ? queue_wait(queue) : -EAGAIN;
        if (error != 0)
            return error;
    }
    if (!queue)
        return error;
    TAILQ_INSERT_TAIL(&queue->messages, message, link);
    queue->bytes += message->size;
    queue->count++;
    queue->send_time = ipc_now();
    queue->last_sender = task_current()->program->id;
    cv_broadcast(&queue->changed);
    return 0;
}

CALL(msgsnd)
{
    struct message *message;
    int64_t type;
    int error;

    if (ARG(2) > IPC_MESSAGE_MOST || ARG_INT(0) < 0)
        return -EINVAL;
    if (copyin(ARG_PTR(1), &type, sizeof type) != 0)
        return -EFAULT;
    if (type < 1)
        return -EINVAL;
    message = kmem_alloc(sizeof *message + ARG(2));
    if (!message)
        return -ENOMEM;
    message->type = type;
    message->size = ARG(2);
    error = copyin((const char *)ARG_PTR(1) + sizeof type, message->data, ARG(2));
    if (error == 0) {
        ipc_enter(&queues);
        error = queue_send(ARG_U32(0), message, !(ARG_U32(3) & IPC_NOWAIT));
        ipc_leave(&queues);
    }
    if (error != 0)
        kmem_free(message);
    return error == -EINTR ? -RESTART_UNHANDLED : error;
}

/* The first that TYPE asks for: of that type, of another (MSG_EXCEPT), or (below 0) of the lowest
 * up to -TYPE; the one with TYPE before it (MSG_COPY). */
static struct message *queue_choose(const struct queue *queue, int64_t type, uint32_t flags)
{
    struct message *message, *best = NULL;

    TAILQ_FOREACH (message, &queue->messages, link) {
        if (flags & MSG_COPY) {
            if (type-- == 0)
                return message;
            continue;
        }
        if (type == 0 || (type > 0 && (message->type == type) == !(flags & MSG_EXCEPT)))
            return message;
        if (type < 0 && message->type <= -type && (!best || message->type < best->type))
            best = message;
    }
    return best;
}

/* MSG_COPY leaves MESSAGE where it is. */
static struct message *queue_copy(const struct message *message, uint64_t room, int *error)
{
    struct message *copy = NULL;

    if (message->size > room)
        *error = -EINVAL;
    else if ((copy = kmem_alloc(sizeof *copy + message->size)) != NULL)
        memcpy(copy, message, sizeof *copy + message->size);
    else
        *error = -ENOMEM;
    return copy;
}

static struct message *queue_receive(struct trap_frame *frame, int *error)
{
    uint32_t flags = ARG_U32(4);
    struct queue *queue = queue_find(ARG_U32(0), 4, error);
    struct message *message = NULL;

    while (queue && !(message = queue_choose(queue, (int64_t)ARG(3), flags))) {
        *error = flags & IPC_NOWAIT ? -ENOMSG : queue_wait(queue);
        if (*error != 0)
            return NULL;
    }
    if (!queue)
        return NULL;
    if (message->size > ARG(2) && !(flags & MSG_NOERROR)) {
        *error = -E2BIG;
        return NULL;
    }
    if (flags & MSG_COPY)
        return queue_copy(message, ARG(2), error);
    TAILQ_REMOVE(&queue->messages, message, link);
    queue->bytes -= message->size;
    queue->count--;
    queue->receive_time = ipc_now();
    queue->last_receiver = task_current()->program->id;
    cv_broadcast(&queue->changed);
    return message;
}

CALL(msgrcv)
{
    struct message *message;
    long result;
    size_t size;
    int error;

    if ((int64_t)ARG(2) < 0 || ARG_INT(0) < 0)
        return -EINVAL;
    if (ARG_U32(4) & MSG_COPY && (ARG_U32(4) & (MSG_EXCEPT | IPC_NOWAIT)) != IPC_NOWAIT)
        return -EINVAL;
    ipc_enter(&queues);
    message = queue_receive(frame, &error);
    ipc_leave(&queues);
    if (!message)
        return error == -EINTR ? -RESTART_UNHANDLED : error;
    size = message->size < ARG(2) ? message->size : ARG(2);
    result = copyout(&message->type, ARG_PTR(1), sizeof message->type);
    if (result == 0)
        result = copyout(message->data, (char *)ARG_PTR(1) + sizeof message->type, size);
    kmem_free(message);
    return result == 0 ? (long)size : result;
}

static void queue_out(const struct queue *queue, struct abi_queue *out)
{
    memset(out, 0, sizeof *out);
    ipc_permission_out(&queue->ipc, &out->permission);
    out->send_time = queue->send_time;
    out->receive_time = queue->receive_time;
    out->change_time = queue->ipc.changed;
    out->bytes = queue->bytes;
    out->count = queue->count;
    out->most = queue->most;
    out->last_sender = queue->last_sender;
    out->last_receiver = queue->last_receiver;
}

/* IPC_SET and IPC_RMID. */
static int queue_control(struct queue *queue, int command, const struct abi_queue *in)
{
    int error = ipc_permit_control(&queue->ipc);

    if (error != 0)
        return error;
    if (command == IPC_SET) {
        if (in->most > IPC_QUEUE_BYTES && !program_is_root(task_current()->program))
            return -EPERM;
        queue->most = in->most;
        ipc_permission_set(&queue->ipc, &in->permission);
        cv_broadcast(&queue->changed);
        return 0;
    }
    ipc_remove(&queues, &queue->ipc);
    cv_broadcast(&queue->changed);
    queue_free_if_unused(queue);
    return 0;
}

CALL(msgctl)
{
    int command = ARG_INT(1) & ~IPC_64;
    struct abi_queue data;
    struct queue *queue;
    long result;

    if (command == IPC_SET && copyin(ARG_PTR(2), &data, sizeof data) != 0)
        return -EFAULT;
    if (command != IPC_SET && command != IPC_STAT && command != IPC_RMID && command != MSG_STAT)
        return -EINVAL;
    ipc_enter(&queues);
    queue = (struct queue *)ipc_find(&queues, ARG_U32(0));
    if (!queue) {
        result = -EINVAL;
    } else if (command == IPC_STAT || command == MSG_STAT) {
        result = ipc_permit(&queue->ipc, 4);
        queue_out(queue, &data);
    } else {
        result = queue_control(queue, command, &data);
    }
    ipc_leave(&queues);
    if (result == 0 && (command == IPC_STAT || command == MSG_STAT)) {
        result = copyout(&data, ARG_PTR(2), sizeof data);
        if (result == 0 && command == MSG_STAT)
            result = ARG_INT(0);
    }
    return result;
}
