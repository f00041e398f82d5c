/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll(7): a file that keeps a set of other files and tells which of them are ready. A file is
 * watched from its addition on, so that waiting costs what is ready, not what is watched. Thread
 * context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "fs/file/poll.h"

struct file;

/* Of an entry's events, besides POLL*: how it is told of. */
#define EPOLL_EXCLUSIVE 0x10000000u
#define EPOLL_WAKEUP    0x20000000u
#define EPOLL_ONESHOT   0x40000000u
#define EPOLL_EDGE      0x80000000u
#define EPOLL_HOW       (EPOLL_EXCLUSIVE | EPOLL_WAKEUP | EPOLL_ONESHOT | EPOLL_EDGE)

struct epoll_event {
    uint32_t events;
    uint64_t data;
};

/* A new one, with one reference; NULL: out of memory. */
struct file *epoll_create(void);
bool epoll_is(const struct file *file);
/*
 * TARGET, which is DESCRIPTOR, joins FILE's set, has other events, or leaves it. -EPERM (cannot be
 * waited for), -EINVAL, -EEXIST, -ENOENT, -ELOOP (a circle, or more than five in a row), -ENOMEM.
 */
int epoll_add(struct file *file, struct file *target, int descriptor, struct epoll_event event);
int epoll_modify(struct file *file, struct file *target, int descriptor, struct epoll_event event);
int epoll_remove(struct file *file, struct file *target, int descriptor);

/* Takes the event of that index: 0 or an errno, which leaves it where it was. */
typedef int epoll_emit(void *argument, size_t index, const struct epoll_event *event);
/* Waits until one is ready or clock_now() reaches DEADLINE (0: only looks; WAIT_FOREVER): how many
 * were emitted, at most MOST; -EINTR, or emit's error at the first. */
long epoll_wait(struct file *file, epoll_emit *emit, void *argument, size_t most,
                uint64_t deadline);

/* FILE goes, or SOURCE, which nobody wakes any more: nothing watches it afterwards. */
void epoll_forget_file(struct file *file);
void epoll_forget_source(struct poll_source *source);
