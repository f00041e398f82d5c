/* SPDX-License-Identifier: BSD-2-Clause */
/* The room of sockets of one machine: who may write, who is told, and how much fits. */
#include "conform.h"
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>

static char data[300000];

static int writable(int fd)
{
    struct pollfd entry = {fd, POLLOUT};

    return poll(&entry, 1, 0) == 1 && (entry.revents & POLLOUT);
}

/* Until it would wait: how many times SIZE bytes went. */
static int fill(int fd, size_t size)
{
    int count = 0;

    while (send(fd, data, size, MSG_DONTWAIT) > 0)
        count++;
    return count;
}

/* What is called writable can be written, whatever the size; and it is called so again when a part
 * of it has been read, long before all. */
static void promises(int type)
{
    static const size_t sizes[] = {1, 100, 4096, 30000, 100000};
    int ends[2], broken = 0, early = 0;

    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int sent, taken = 0;

        socketpair(AF_UNIX, type, 0, ends);
        sent = fill(ends[0], sizes[i]);
        TEST(sent > 1);
        TEST(writable(ends[0]));
        while (!writable(ends[0]) && taken < sent) {
            recv(ends[1], data, sizes[i], MSG_DONTWAIT);
            taken++;
        }
        early += taken <= sent;
        broken += send(ends[0], data, sizes[i], MSG_DONTWAIT) < 0;
        for (int turn = 0; turn < 100; turn++) {
            if (writable(ends[0]))
                broken += send(ends[0], data, sizes[i], MSG_DONTWAIT) < 0;
            else
                recv(ends[1], data, sizes[i], MSG_DONTWAIT);
        }
        close(ends[0]);
        close(ends[1]);
    }
    TEST(early);
    TEST(broken);
}

/* A message of half of the room and another one: the second goes while there is any room. */
static void large(int type)
{
    int ends[2];

    socketpair(AF_UNIX, type, 0, ends);
    TEST(send(ends[0], data, 100000, MSG_DONTWAIT));
    TEST(send(ends[0], data, 100000, MSG_DONTWAIT) > 0);
    TEST(send(ends[0], data, 100000, MSG_DONTWAIT) > 0 && type == SOCK_STREAM);
    TEST(send(ends[0], data, 300000, MSG_DONTWAIT));
    close(ends[0]);
    close(ends[1]);
}

static void *reader(void *fd)
{
    struct timespec while_ = {0, 30000000};

    nanosleep(&while_, NULL);
    while (recv(*(int *)fd, data, sizeof data, MSG_DONTWAIT) > 0)
        ;
    return NULL;
}

static void *closer(void *fd)
{
    struct timespec while_ = {0, 30000000};

    nanosleep(&while_, NULL);
    close(*(int *)fd);
    return NULL;
}

/* Who sleeps in poll or epoll is told. */
static void told(int type, int edges)
{
    struct epoll_event event = {EPOLLOUT | (edges ? EPOLLET : 0)};
    struct pollfd entry;
    pthread_t thread;
    int ends[2], poller = epoll_create1(0);

    socketpair(AF_UNIX, type, 0, ends);
    TEST(epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &event));
    TEST(epoll_wait(poller, &event, 1, 0));
    TEST(send(ends[0], data, 10, 0));
    TEST(recv(ends[1], data, 10, 0));
    TEST(epoll_wait(poller, &event, 1, 0)); /* an edge is each message that is read */
    TEST(epoll_wait(poller, &event, 1, 0));
    fill(ends[0], 1000);
    TEST(epoll_wait(poller, &event, 1, 0));
    pthread_create(&thread, NULL, reader, &ends[1]);
    TEST(epoll_wait(poller, &event, 1, -1));
    pthread_join(thread, NULL);
    fill(ends[0], 1000);
    pthread_create(&thread, NULL, reader, &ends[1]);
    entry = (struct pollfd){ends[0], POLLOUT};
    TEST(poll(&entry, 1, -1));
    pthread_join(thread, NULL);
    close(poller);
    close(ends[0]);
    close(ends[1]);
}

/* Many send to one who never heard of them. */
static void named(void)
{
    struct sockaddr_un name = {AF_UNIX, "server"};
    int server = socket(AF_UNIX, SOCK_DGRAM, 0), one = socket(AF_UNIX, SOCK_DGRAM, 0);
    int other = socket(AF_UNIX, SOCK_DGRAM, 0);
    struct pollfd entry;
    pthread_t thread;

    TEST(bind(server, (struct sockaddr *)&name, sizeof name));
    TEST(connect(one, (struct sockaddr *)&name, sizeof name));
    TEST(connect(other, (struct sockaddr *)&name, sizeof name));
    TEST(fill(one, 20000) > 0);
    TEST(writable(one));
    pthread_create(&thread, NULL, reader, &server);
    entry = (struct pollfd){one, POLLOUT};
    TEST(poll(&entry, 1, -1));
    pthread_join(thread, NULL);
    TEST(fill(one, 20000) > 0);
    entry = (struct pollfd){one, POLLOUT};
    pthread_create(&thread, NULL, closer, &server);
    TEST(poll(&entry, 1, -1));
    pthread_join(thread, NULL);
    TEST(send(one, data, 1, MSG_DONTWAIT));
    TEST(send(other, data, 1, MSG_DONTWAIT));
    close(one);
    close(other);
    unlink("server");
}

int main(void)
{
    static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};

    conform_begin();
    alarm(60); /* who is never told */
    for (int i = 0; i < 3; i++) {
        promises(types[i]);
        large(types[i]);
        told(types[i], 0);
        told(types[i], 1);
    }
    named();
    return conform_end(0);
}
