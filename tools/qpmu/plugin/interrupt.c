/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raises an interrupt of the guest: a byte that arrives at one of its serial ports, through the
 * UNIX socket on which QEMU listens for that port. Never waits: while the socket is full there are
 * bytes that the guest has not seen, and one is enough.
 */
#define _GNU_SOURCE
#include "tools/qpmu/plugin/ring.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t length;
static const char *name;
static int connection = -1;
static bool complained;

void interrupt_argument(const char *path)
{
    length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    memcpy(address.sun_path, path, strlen(path)); /* arguments.c has seen that it fits */
    name = path;
    if (*path == '@') /* in no file system; the kernel takes its name by its length */
        address.sun_path[0] = '\0';
    else
        length++;
}

static void try_to_connect(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, length) == 0) {
        connection = fd;
        return;
    }
    if (!complained)
        fprintf(stderr, "qpmu: irq=%s: %s; overflows raise no interrupts\n", name, strerror(errno));
    complained = true;
    if (fd >= 0)
        close(fd);
}

/* No guest that asks runs before QEMU listens. */
bool interrupt_there(void)
{
    bool there;

    if (!name)
        return false;
    pthread_mutex_lock(&lock);
    if (connection < 0)
        try_to_connect();
    there = connection >= 0;
    pthread_mutex_unlock(&lock);
    return there;
}

void interrupt_raise(void)
{
    pthread_mutex_lock(&lock);
    if (connection >= 0)
        (void)!send(connection, "!", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    pthread_mutex_unlock(&lock);
}
