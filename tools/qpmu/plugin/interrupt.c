/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raises an interrupt of the guest: a byte that arrives at one of its serial ports, through the
 * UNIX socket on which QEMU listens for that port, or a FIFO from which it reads. Never waits:
 * while it is full there are bytes that the guest has not seen, and one is enough.
 */
#define _GNU_SOURCE
#include "tools/qpmu/plugin/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static int connection = -1;
static bool complained;

/* A FIFO is there from the beginning; QEMU makes the socket after the plugin. */
void interrupt_argument(const char *path)
{
    struct stat there;

    strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
    if (stat(path, &there) == 0 && S_ISFIFO(there.st_mode))
        connection = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

static void try_to_connect(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0) {
        connection = fd;
        return;
    }
    if (!complained)
        fprintf(stderr, "qpmu: irq=%s: %s; overflows raise no interrupts\n", address.sun_path,
                strerror(errno));
    complained = true;
    if (fd >= 0)
        close(fd);
}

/* No guest that asks runs before QEMU listens. */
bool interrupt_there(void)
{
    bool there;

    if (address.sun_path[0] == '\0')
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
    if (connection >= 0 && send(connection, "!", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
        errno == ENOTSOCK)
        (void)!write(connection, "!", 1);
    pthread_mutex_unlock(&lock);
}
