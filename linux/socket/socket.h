/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets of one machine: unix(7). One mutex, socket_mutex, is for all of them: who is whose peer,
 * what waits in which queue. Bytes of senders are copied before it is taken. Thread context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include "fs/file/poll.h"
#include "kernel/thread/condvar.h"
#include "kernel/thread/mutex.h"
#include "lib/hash_table.h"

struct file;
struct path_walk;
struct uio;
struct vnode;

#define SOCKET_PATH  108u
#define SOCKET_ROOM  212992u /* bytes that wait in a queue, as Linux' default and most */
#define SOCKET_FILES 253u    /* in one message */
#define SOCKET_TOLD  10u
#define SHUT_READ    1u
#define SHUT_WRITE   2u

enum socket_type { SOCKET_STREAM = 1, SOCKET_DATAGRAM, SOCKET_PACKET = 5 };
enum socket_state { SOCKET_NEW, SOCKET_LISTENS, SOCKET_CONNECTED };

struct socket_name {
    size_t length; /* 0: none. A path has its NUL; a name without a path begins with one */
    char text[SOCKET_PATH + 1];
};

struct socket_owner {
    uint32_t pid, uid, gid;
};

/* What was sent at once. */
struct socket_message {
    TAILQ_ENTRY(socket_message) link;
    size_t size, taken;
    size_t weight; /* that it has in the queue */
    struct socket_owner owner;
    struct socket_name from;
    unsigned file_count;
    struct file **files; /* references; kmem */
    char *data;          /* kmem */
};

struct socket {
    enum socket_type type;
    enum socket_state state;
    uint32_t references;          /* its file, peers, names, a listener's queue */
    bool dead;                    /* its file is closed */
    uint8_t shut;                 /* SHUT_* */
    int error;                    /* to be told once */
    bool wants_owner;             /* SO_PASSCRED */
    uint64_t receive_ns, send_ns; /* SO_RCVTIMEO, SO_SNDTIMEO; 0: for ever */
    uint32_t send_room;           /* SO_SNDBUF: a queue that has as much takes no more of it */
    uint32_t receive_room;        /* SO_RCVBUF: told only */
    uint32_t least;               /* SO_RCVLOWAT: a stream's read waits for as much */
    int32_t told[SOCKET_TOLD];    /* what means nothing here: linux/socket/socket_option.c */
    struct socket *peer;          /* a reference */
    TAILQ_HEAD(, socket_message) messages;
    size_t used;                   /* their weight */
    TAILQ_HEAD(, socket) starving; /* who polls for room in this queue */
    TAILQ_ENTRY(socket) in_starving;
    struct socket *starves_at;    /* whose list it is in, or NULL; the peer */
    TAILQ_HEAD(, socket) arrived; /* of a listener: references */
    TAILQ_ENTRY(socket) in_arrived;
    unsigned arrived_count, backlog;
    kcondvar_t changed;
    struct poll_source source;
    struct socket_name name;
    struct vnode *vnode; /* that it is bound to; a reference */
    struct hash_link by_name;
    bool bound; /* by_name is in the table */
    struct socket_owner owner, peer_owner;
};

extern kmutex_t socket_mutex;

/* A new one, with one reference; NULL: out of memory. */
struct socket *socket_create(enum socket_type type);
/* With the mutex. */
void socket_hold(struct socket *socket);
void socket_drop(struct socket *socket);
void socket_tell(struct socket *socket, uint32_t events);
/* Senders for whom there is room in SOCKET's queue, or who need not wait for it, are told. */
void socket_feed(struct socket *socket);
/* Whether poll(2) calls SOCKET writable: a quarter of its room is full at most, as on Linux, where
 * a send succeeds until all of it is. */
bool socket_has_room(const struct socket *socket);
/* SOCKET is told when there is room at its peer. */
void socket_starve(struct socket *socket);
/* SOCKET polls no more for its peer's room: before it has another one. */
void socket_sated(struct socket *socket);
/* A file of SOCKET, whose reference it takes over, also on failure: NULL. */
struct file *socket_file(struct socket *socket, uint32_t flags);
/* NULL: it is none. */
struct socket *socket_of(const struct file *file);
void socket_join(struct socket *one, struct socket *other); /* become each other's peers; mutex */
bool socket_pairs(const struct socket *socket);             /* has a peer for good: no datagrams */
void socket_owner_get(struct socket_owner *owner);

/* socket_name.c, with the mutex. -EADDRINUSE, -EINVAL (has a name), errors of paths. */
int socket_bind(struct socket *socket, const struct socket_name *name);
/* Whom the name means, with a reference. -ECONNREFUSED, -EPROTOTYPE, errors of paths. */
int socket_find(const struct socket *asks, const struct socket_name *name, struct socket **out);
void socket_unbind(struct socket *socket);

/* socket_message.c. FLAGS: MSG_*. TO NULL: the peer. Takes over MESSAGE, also on failure. */
struct socket_message *socket_message_create(size_t size); /* NULL: out of memory */
void socket_message_free(struct socket_message *message);
/* With the mutex: MESSAGE waits for TO's reader: 0, -EAGAIN, -EINTR, -EPIPE, -ECONNREFUSED. */
int socket_send(struct socket *from, struct socket *to, struct socket_message *message, bool wait);
/* The same for what is read from UIO, in pieces if it is a stream's: bytes, or an error. FIRST, or
 * NULL, has what goes with the first piece. */
long socket_send_uio(struct socket *from, struct socket *to, struct uio *uio, bool wait,
                     struct socket_message *first);
/* What a read takes besides bytes. */
struct socket_taken {
    struct socket_name from;
    struct socket_owner owner;
    struct file **files; /* references, kmem: the caller's now */
    unsigned file_count;
    size_t whole; /* bytes of the message */
    bool cut;
};
long socket_receive(struct socket *socket, struct uio *uio, uint32_t flags, bool wait,
                    struct socket_taken *taken);

#define MSG_OOB          1u
#define MSG_PEEK         2u
#define MSG_CTRUNC       8u
#define MSG_TRUNC        0x20u
#define MSG_DONTWAIT     0x40u
#define MSG_WAITALL      0x100u
#define MSG_NOSIGNAL     0x4000u
#define MSG_CMSG_CLOEXEC 0x40000000u
