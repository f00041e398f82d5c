/* SPDX-License-Identifier: BSD-2-Clause */
/* epoll(7): which files are ready, how often that is told, and what may be watched. */
#include "conform.h"
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

static int set;

static long add(int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};

    return epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
}

static long modify(int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};

    return epoll_ctl(set, EPOLL_CTL_MOD, fd, &event);
}

/* What is ready, in the order of descriptors. */
static void look(int timeout)
{
    struct epoll_event events[64];
    int count = epoll_wait(set, events, 64, timeout);

    SAY("ready %d:", count);
    for (int fd = 0; fd < 1024; fd++)
        for (int i = 0; i < count; i++)
            if (events[i].data.fd == fd)
                SAY(" %x", events[i].events);
    SAY("\n");
}

static void errors(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    int ends[2], file = open("file", O_CREAT | O_RDWR, 0600), folder = open(".", O_RDONLY);
    int null = open("/dev/null", O_RDWR);

    TEST(pipe(ends));
    TEST(epoll_create(0));
    TEST(epoll_create(-1));
    TEST(epoll_create1(1));
    TEST(epoll_create1(EPOLL_CLOEXEC) >= 0);
    TEST(epoll_ctl(-1, EPOLL_CTL_ADD, ends[0], &event));
    TEST(epoll_ctl(set, EPOLL_CTL_ADD, -1, &event));
    TEST(epoll_ctl(ends[0], EPOLL_CTL_ADD, ends[1], &event));
    TEST(epoll_ctl(set, EPOLL_CTL_ADD, set, &event));
    TEST(epoll_ctl(set, EPOLL_CTL_ADD, file, &event));
    TEST(epoll_ctl(set, EPOLL_CTL_ADD, folder, &event));
    TEST(epoll_ctl(set, EPOLL_CTL_ADD, null, &event));
    TEST(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], (void *)8));
    TEST(epoll_ctl(set, EPOLL_CTL_MOD, ends[0], &event));
    TEST(epoll_ctl(set, EPOLL_CTL_DEL, ends[0], NULL));
    TEST(epoll_ctl(set, 77, ends[0], &event));
    TEST(add(ends[0], EPOLLIN));
    TEST(add(ends[0], EPOLLIN));
    TEST(modify(ends[0], EPOLLIN | EPOLLEXCLUSIVE));
    TEST(add(ends[1], EPOLLOUT | EPOLLEXCLUSIVE | EPOLLONESHOT));
    TEST(epoll_ctl(set, EPOLL_CTL_DEL, ends[0], NULL));
    TEST(epoll_wait(set, &event, 0, 0));
    TEST(epoll_wait(set, &event, -1, 0));
    TEST(epoll_wait(ends[0], &event, 1, 0));
    TEST(epoll_wait(-1, &event, 1, 0));
    TEST(add(ends[1], EPOLLOUT));
    TEST(epoll_wait(set, (void *)8, 1, 0));
    TEST(epoll_wait(set, &event, 1, 0));
    TEST(read(set, &event, 8));
    TEST(write(set, &event, 8));
    TEST(fcntl(set, F_GETFL) & O_ACCMODE);
    close(ends[0]);
    close(ends[1]);
    close(file);
    close(folder);
    close(null);
    unlink("file");
}

static void level_and_edge(void)
{
    char text[8192] = "";
    int ends[2];

    TEST(pipe2(ends, O_NONBLOCK));
    TEST(add(ends[0], EPOLLIN));
    look(0);
    TEST(write(ends[1], "ab", 2));
    look(0);
    look(-1);
    TEST(modify(ends[0], EPOLLIN | EPOLLET));
    look(0);
    look(0);
    TEST(read(ends[0], text, 1)); /* what is left is no news */
    look(0);
    TEST(write(ends[1], "c", 1));
    look(0);
    look(0);
    TEST(modify(ends[0], EPOLLIN | EPOLLONESHOT));
    look(0);
    TEST(write(ends[1], "d", 1));
    look(0);
    TEST(modify(ends[0], EPOLLIN | EPOLLONESHOT));
    look(0);
    look(0);
    TEST(modify(ends[0], 0));
    look(0);
    TEST(add(ends[1], EPOLLOUT | EPOLLET));
    look(0);
    look(0);
    while (write(ends[1], text, sizeof text) > 0)
        ;
    look(0);
    TEST(modify(ends[0], EPOLLIN | EPOLLET));
    look(0);
    TEST(read(ends[0], text, sizeof text)); /* news for who writes, none for who reads */
    look(0);
    TEST(modify(ends[0], 0));
    while (read(ends[0], text, sizeof text) > 0)
        ;
    look(0);
    look(0);
    TEST(close(ends[1]));
    look(0);
    TEST(modify(ends[0], EPOLLIN | EPOLLRDHUP));
    look(0);
    TEST(close(ends[0]));
    look(0);
}

/* An entry goes with the last descriptor of its file, not with its own. */
static void descriptors(void)
{
    int ends[2], twin;

    TEST(pipe(ends));
    twin = dup(ends[0]);
    TEST(add(ends[0], EPOLLIN));
    TEST(add(twin, EPOLLIN));
    TEST(write(ends[1], "x", 1));
    look(0);
    TEST(close(twin));
    look(0);
    TEST(close(ends[0]));
    look(0);
    TEST(close(ends[1]));
}

static void nested(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    int inner = epoll_create1(0), ends[2], row[8];
    struct pollfd entry = {inner, POLLIN};

    TEST(pipe(ends));
    TEST(epoll_ctl(inner, EPOLL_CTL_ADD, ends[0], &event));
    TEST(add(inner, EPOLLIN));
    look(0);
    TEST(poll(&entry, 1, 0));
    TEST(write(ends[1], "x", 1));
    look(-1);
    TEST(poll(&entry, 1, 0));
    TEST(entry.revents);
    TEST(epoll_ctl(inner, EPOLL_CTL_ADD, set, &event));
    TEST(close(inner));
    row[0] = epoll_create1(0);
    TEST(epoll_ctl(row[0], EPOLL_CTL_ADD, ends[0], &event));
    for (int i = 1; i < 8; i++) {
        row[i] = epoll_create1(0);
        TEST(epoll_ctl(row[i], EPOLL_CTL_ADD, row[i - 1], &event));
    }
    TEST(epoll_wait(row[4], &event, 1, 0));
    for (int i = 0; i < 8; i++)
        close(row[i]);
    close(ends[0]);
    close(ends[1]);
}

static void *write_later(void *end)
{
    usleep(20000);
    return (void *)(long)write(*(int *)end, "x", 1);
}

static void handler(int signal_)
{
    (void)signal_;
}

static void waits(void)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0x123456789abcdefull}, got;
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct timespec soon = {0, 20000000}, odd = {0, -1};
    pthread_t thread;
    sigset_t block, none;
    int ends[2];

    sigemptyset(&none);
    sigemptyset(&block);
    sigaddset(&block, SIGUSR1);
    TEST(pipe(ends));
    TEST(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event));
    TEST(epoll_wait(set, &got, 1, 20));
    TEST(epoll_pwait2(set, &got, 1, &soon, NULL));
    TEST(epoll_pwait2(set, &got, 1, &odd, NULL));
    pthread_create(&thread, NULL, write_later, &ends[1]);
    TEST(epoll_wait(set, &got, 1, -1));
    TEST(got.data.u64 == 0x123456789abcdefull);
    pthread_join(thread, NULL);
    TEST(read(ends[0], &got, 1));
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    ualarm(20000, 20000);
    TEST(epoll_wait(set, &got, 1, -1)); /* not made again, whatever the handler says */
    ualarm(0, 0);
    sigprocmask(SIG_BLOCK, &block, NULL);
    raise(SIGUSR1);
    TEST(epoll_pwait(set, &got, 1, 1000, &none));
    sigprocmask(SIG_UNBLOCK, &block, NULL);
    close(ends[0]);
    close(ends[1]);
}

/* Many are watched, few are ready. */
static void many(void)
{
    struct epoll_event events[8];
    int fds[400];

    for (int i = 0; i < 400; i++) {
        fds[i] = eventfd(0, 0);
        if (add(fds[i], EPOLLIN) != 0)
            SAY("cannot add %d\n", i);
    }
    look(0);
    eventfd_write(fds[17], 1);
    eventfd_write(fds[399], 1);
    look(0);
    for (int i = 0; i < 400; i++)
        eventfd_write(fds[i], 1);
    TEST(epoll_wait(set, events, 8, 0));
    for (int i = 0; i < 400; i += 2)
        close(fds[i]);
    look(0);
    for (int i = 1; i < 400; i += 2)
        epoll_ctl(set, EPOLL_CTL_DEL, fds[i], events);
    look(0);
    for (int i = 1; i < 400; i += 2)
        close(fds[i]);
}

int main(void)
{
    conform_begin();
    set = epoll_create1(0);
    errors();
    level_and_edge();
    descriptors();
    nested();
    close(set);
    set = epoll_create(1);
    waits();
    many();
    return conform_end(0);
}
