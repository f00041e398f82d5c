/* SPDX-License-Identifier: BSD-2-Clause */
/* Has 3 epolls, 10 entries in them, and 7 sockets; stays until it is killed. */
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    int sets[3], ends[2], fds[10];

    for (int i = 0; i < 3; i++)
        sets[i] = epoll_create1(0);
    for (int i = 0; i < 10; i++) {
        fds[i] = eventfd(0, 0);
        epoll_ctl(sets[i % 3], EPOLL_CTL_ADD, fds[i], &event);
    }
    for (int i = 0; i < 3; i++)
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    socket(AF_UNIX, SOCK_DGRAM, 0);
    puts("holds");
    fflush(stdout);
    for (;;)
        pause();
}
