/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raises an interrupt of the guest: a byte that arrives at one of its serial ports, through the
 * UNIX socket on which QEMU listens for that port. Never waits: while the socket is full there are
 * bytes that the guest has not seen, and one is enough.
 */
#define _GNU_SOURCE
#include "tools/qpmu/plugin/ring.h"

#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static int connection = -1;

void interrupt_argument(const char *path)
{
    strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
}

bool interrupt_there(void)
{
    return address.sun_path[0] != '\0';
}

static void try_to_connect(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return;
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
        connection = fd;
    else
        close(fd);
}

void interrupt_raise(void)
{
    pthread_mutex_lock(&lock);
    if (connection < 0)
        try_to_connect();
    if (connection >= 0)
        (void)!send(connection, "!", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    pthread_mutex_unlock(&lock);
}
