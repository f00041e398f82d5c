/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of perf_event_open(2) as files. */
#include "fs/file/file.h"
#include "kernel/memory/kmem.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "linux/program/call.h"
#include "linux/perf/perf_private.h"

#define IOCTL_KIND(command)   ((command) >> 8 & 255u)
#define IOCTL_NUMBER(command) ((command) & 255u)

static bool perf_has(uint64_t format, unsigned what)
{
    return (format & what) != 0;
}

static unsigned perf_words(uint64_t format, unsigned members)
{
    unsigned each = 1u + perf_has(format, PERF_FORMAT_ID) + perf_has(format, PERF_FORMAT_LOST);

    return each * members + perf_has(format, PERF_FORMAT_GROUP) +
           perf_has(format, PERF_FORMAT_ENABLED) + perf_has(format, PERF_FORMAT_RUNNING);
}

/* A value as read(2) gives it, with what FORMAT puts behind it; how many words. */
static unsigned perf_put_value(uint64_t *out, uint64_t format, const struct perf_event *event,
                               const struct perf_count *count)
{
    unsigned n = 0;

    out[n++] = count->value;
    if (format & PERF_FORMAT_GROUP && format & PERF_FORMAT_ID)
        out[n++] = event->id;
    if (format & PERF_FORMAT_GROUP && format & PERF_FORMAT_LOST)
        out[n++] = event->lost;
    return n;
}

static unsigned perf_put_times(uint64_t *out, uint64_t format, const struct perf_count *count)
{
    unsigned n = 0;

    if (format & PERF_FORMAT_ENABLED)
        out[n++] = clock_cycles_to_ns(count->enabled);
    if (format & PERF_FORMAT_RUNNING)
        out[n++] = clock_cycles_to_ns(count->running);
    return n;
}

/* How many words. OUT has room for a whole group. */
static unsigned perf_put(struct perf_event *event, uint64_t *out)
{
    bool group = event->read_format & PERF_FORMAT_GROUP;
    uint64_t format = event->read_format;
    struct perf_count counts[PERF_GROUP_MAX];
    struct perf_event *events[PERF_GROUP_MAX], *member;
    unsigned members = 0, n = 0;

    if (group) {
        TAILQ_FOREACH (member, &event->leader->group, in_group)
            events[members++] = member;
    } else {
        events[members++] = event;
    }
    perf_read(events, members, counts);
    for (unsigned i = 0; i < members; i++)
        perf_tell_page(events[i], &counts[i]);
    if (group) {
        out[n++] = members;
        n += perf_put_times(out + n, format, &counts[0]);
        for (unsigned i = 0; i < members; i++)
            n += perf_put_value(out + n, format, events[i], &counts[i]);
        return n;
    }
    n = perf_put_value(out, format, event, &counts[0]);
    n += perf_put_times(out + n, format, &counts[0]);
    if (format & PERF_FORMAT_ID)
        out[n++] = event->id;
    if (format & PERF_FORMAT_LOST)
        out[n++] = event->lost;
    return n;
}

static long perf_file_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    struct perf_event *event = file->data;
    uint64_t out[3 * PERF_GROUP_MAX + 3];
    bool group = event->read_format & PERF_FORMAT_GROUP, failed;
    unsigned words;
    size_t size;

    (void)offset;
    mutex_enter(&perf_lock);
    words = perf_words(event->read_format, group ? event->leader->members : 1);
    failed = event->leader->failed;
    if (!failed && uio->left >= words * sizeof *out)
        words = perf_put(event, out);
    mutex_exit(&perf_lock);
    if (failed)
        return 0;
    size = words * sizeof *out;
    if (uio->left < size)
        return -ENOSPC;
    return uio_put(uio, out, size) == size ? (long)size : -EFAULT;
}

static void perf_control_one(struct perf_event *event, unsigned what)
{
    struct perf_event *heir;

    if (what == PERF_IOC_RESET) {
        perf_reset(event);
    } else {
        perf_unhalt(event);
        event->wanted = what == PERF_IOC_ENABLE;
        if (event->wanted)
            event->failed = false;
    }
    TAILQ_FOREACH (heir, &event->heirs, in_origin)
        perf_control_one(heir, what);
}

static void perf_update_heirs(struct perf_event *event)
{
    struct perf_event *heir;

    perf_update(event->leader);
    TAILQ_FOREACH (heir, &event->heirs, in_origin)
        perf_update(heir->leader);
}

static void perf_control(struct perf_event *event, unsigned what, bool group)
{
    struct perf_event *member;

    mutex_enter(&perf_lock);
    if (group) {
        TAILQ_FOREACH (member, &event->leader->group, in_group)
            perf_control_one(member, what);
        TAILQ_FOREACH (member, &event->leader->group, in_group)
            perf_update_heirs(member);
    } else {
        perf_control_one(event, what);
        perf_update_heirs(event);
    }
    mutex_exit(&perf_lock);
}

static long perf_file_ioctl(struct file *file, uint32_t command, uintptr_t argument, bool user)
{
    struct perf_event *event = file->data;
    unsigned number = IOCTL_NUMBER(command);
    long error;

    (void)user;
    if (IOCTL_KIND(command) != '$')
        return -ENOTTY;
    switch (number) {
    case PERF_IOC_ENABLE:
    case PERF_IOC_DISABLE:
    case PERF_IOC_RESET:
        perf_control(event, number, argument & PERF_IOC_GROUP);
        return 0;
    case PERF_IOC_REFRESH:
        error = perf_refresh(event, argument);
        if (error == 0)
            perf_control(event, PERF_IOC_ENABLE, false);
        return error;
    case PERF_IOC_PERIOD:
        return perf_set_period(event, (const void *)argument);
    case PERF_IOC_OUTPUT:
        return perf_set_output(event, (int)argument);
    case PERF_IOC_PAUSE:
        return perf_pause(event, argument != 0);
    case PERF_IOC_ID:
        return copyout(&event->id, (void *)argument, sizeof event->id);
    default:
        return number <= PERF_IOC_LAST ? -EINVAL : -ENOTTY;
    }
}

static void perf_file_close(struct file *file)
{
    struct perf_event *event = file->data, *heir;
    struct task *task;

    if (!event->leader) { /* it never counted */
        kmem_free(event);
        return;
    }
    mutex_enter(&perf_lock);
    task = event->task;
    perf_detach(event);
    while ((heir = TAILQ_FIRST(&event->heirs)) != NULL) {
        TAILQ_REMOVE(&event->heirs, heir, in_origin);
        perf_detach(heir);
        perf_leave_group(heir);
        kmem_free(heir);
    }
    perf_leave_group(event);
    if (task)
        perf_update_task(task); /* somebody may have waited for its counter */
    mutex_exit(&perf_lock);
    perf_sampling_close(event);
    perf_set_ring(event, NULL);
    kmem_free(event);
}

static const struct file_ops perf_ops = {.read = perf_file_read,
                                         .ioctl = perf_file_ioctl,
                                         .close = perf_file_close,
                                         .poll = perf_poll,
                                         .map = perf_map,
                                         .signals = true,
                                         .anonymous = "perf_event"};

struct file *perf_file(struct perf_event *event)
{
    struct file *file = file_create(&perf_ops, O_RDWR, event);

    if (!file) {
        kmem_free(event);
        return NULL;
    }
    event->file = file;
    poll_source_init(&event->source);
    return file;
}

struct perf_event *perf_of_file(struct file *file)
{
    return file->ops == &perf_ops ? file->data : NULL;
}
