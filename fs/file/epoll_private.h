/* SPDX-License-Identifier: BSD-2-Clause */
/* Between epoll.c (what is ready) and epoll_set.c (what is watched). */
#pragma once

#include "fs/file/epoll.h"
#include "kernel/thread/mutex.h"
#include "lib/hash_table.h"

#define EPOLL_FEW 8u

struct epoll_item {
    struct poll_entry entry; /* first */
    struct epoll *epoll;
    struct file *file; /* not a reference */
    int descriptor;
    uint32_t events;
    uint64_t data;
    bool queued;                                /* the set's lock, as in_ready */
    TAILQ_ENTRY(epoll_item) in_ready, in_epoll; /* in_epoll, and what follows: the mutex */
    LIST_ENTRY(epoll_item) in_file;
    struct hash_link by_name;
};

TAILQ_HEAD(epoll_list, epoll_item);

struct epoll {
    struct file *file;    /* its own */
    struct spinlock lock; /* what follows */
    struct epoll_list ready;
    size_t ready_count;
    struct wait_queue waiters;
    struct poll_source source; /* for those who wait for it */
    struct epoll_list items;   /* the mutex; those that are epolls come first */
    struct hash_table names;   /* by file and descriptor */
    struct hash_link *few[EPOLL_FEW];
};

extern kmutex_t epoll_mutex;

struct epoll *epoll_of(const struct file *file); /* NULL: it is none */
void epoll_item_wake(struct poll_entry *entry);
/* With the mutex: which of its events hold; takes it out. */
uint32_t epoll_item_poll(struct epoll_item *item, struct poll_entry *entry);
void epoll_item_free(struct epoll_item *item);
void epoll_free_buckets(struct epoll *epoll, struct hash_link **buckets);
