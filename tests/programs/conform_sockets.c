/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets of one machine: unix(7). */
#include "conform.h"
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

static struct sockaddr_un address(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};

    strcpy(name.sun_path, path);
    return name;
}

static int ready(int fd)
{
    struct pollfd entry = {fd, POLLIN | POLLOUT | POLLRDHUP};

    return poll(&entry, 1, 0) <= 0 ? 0 : entry.revents;
}

static void pairs(void)
{
    char text[16] = "";
    int ends[2], count;
    struct stat stat;

    TEST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    TEST(socketpair(AF_UNIX, 77, 0, ends + 2));
    TEST(socketpair(AF_UNIX, SOCK_STREAM, 99, ends + 2));
    TEST(socketpair(AF_UNIX, SOCK_STREAM, 0, NULL));
    TEST(fstat(ends[0], &stat));
    TEST(S_ISSOCK(stat.st_mode));
    TEST(lseek(ends[0], 0, SEEK_SET));
    TEST(ready(ends[0]));
    TEST(write(ends[0], "hello", 5));
    TEST(send(ends[0], "world", 5, 0));
    TEST(ready(ends[1]));
    TEST(ioctl(ends[1], FIONREAD, &count));
    TEST(count);
    TEST(recv(ends[1], text, 3, MSG_PEEK));
    TEST(recv(ends[1], text, 7, 0));
    SAY("%s\n", text);
    TEST(read(ends[1], text, 16));
    TEST(recv(ends[1], text, 1, MSG_DONTWAIT));
    TEST(shutdown(ends[0], SHUT_WR));
    TEST(ready(ends[1]));
    TEST(read(ends[1], text, 1));
    TEST(send(ends[0], "x", 1, MSG_NOSIGNAL));
    TEST(write(ends[1], "back", 4));
    TEST(read(ends[0], text, 16));
    CHILD(write(ends[0], "x", 1));
    TEST(shutdown(ends[0], 7));
    TEST(close(ends[1]));
    TEST(ready(ends[0]));
    TEST(read(ends[0], text, 1));
    TEST(close(ends[0]));
    TEST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends));
    TEST(fcntl(ends[0], F_GETFD));
    TEST(read(ends[0], text, 1));
    TEST(write(ends[0], "lost", 4));
    TEST(close(ends[1]));
    TEST(read(ends[0], text, 1));
    TEST(read(ends[0], text, 1));
    TEST(close(ends[0]));
}

static void messages(int type)
{
    char text[8] = "";
    int ends[2], value = 9;
    socklen_t size = sizeof value;
    struct iovec piece = {text, 2};
    struct msghdr head = {.msg_iov = &piece, .msg_iovlen = 1};

    TEST(socketpair(AF_UNIX, type, 0, ends));
    TEST(getsockopt(ends[0], SOL_SOCKET, SO_TYPE, &value, &size));
    TEST(value == type);
    TEST(write(ends[0], "one", 3));
    TEST(write(ends[0], "", 0));
    TEST(write(ends[0], "three", 5));
    TEST(recv(ends[1], text, 8, MSG_PEEK | MSG_TRUNC));
    TEST(recv(ends[1], text, 1, MSG_TRUNC));
    TEST(recv(ends[1], text, 8, 0));
    TEST(recvmsg(ends[1], &head, 0));
    TEST(head.msg_flags == MSG_TRUNC);
    TEST(recv(ends[1], text, 8, MSG_DONTWAIT));
    TEST(close(ends[1]));
    TEST(send(ends[0], "x", 1, MSG_NOSIGNAL));
    TEST(close(ends[0]));
}

static void *answers(void *listener)
{
    int fd = accept(*(int *)listener, NULL, NULL);
    char text[8];
    ssize_t got = read(fd, text, sizeof text);

    if (write(fd, text, (size_t)got) != got)
        SAY("cannot answer\n");
    close(fd);
    return NULL;
}

static void streams(void)
{
    struct sockaddr_un name = address("place"), other;
    socklen_t size = sizeof other;
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd, again, value;
    pthread_t thread;
    struct ucred owner;
    char text[8];

    TEST(socket(AF_UNIX, SOCK_STREAM, 5));
    TEST(socket(99, SOCK_STREAM, 0));
    TEST(ready(listener));
    TEST(accept(listener, NULL, NULL));
    TEST(listen(listener, 1));
    TEST(read(listener, text, 1));
    TEST(write(listener, text, 1));
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    TEST(connect(fd, (struct sockaddr *)&name, sizeof name));
    TEST(bind(listener, (struct sockaddr *)&name, 1));
    TEST(bind(listener, (struct sockaddr *)&name, 200));
    TEST(bind(listener, (struct sockaddr *)&name, sizeof name));
    TEST(bind(listener, (struct sockaddr *)&name, sizeof name));
    TEST(bind(fd, (struct sockaddr *)&name, sizeof name));
    TEST(connect(fd, (struct sockaddr *)&name, sizeof name));
    TEST(access("place", F_OK));
    TEST(open("place", O_RDONLY));
    TEST(listen(listener, 1));
    TEST(getsockname(listener, (struct sockaddr *)&other, &size));
    TEST(size);
    TEST(strcmp(other.sun_path, "place"));
    size = sizeof other;
    TEST(getpeername(listener, (struct sockaddr *)&other, &size));
    size = sizeof value;
    TEST(getsockopt(listener, SOL_SOCKET, SO_ACCEPTCONN, &value, &size));
    TEST(value);
    TEST(getsockopt(listener, SOL_SOCKET, 9999, &value, &size));
    TEST(ready(listener));
    pthread_create(&thread, NULL, answers, &listener);
    TEST(connect(fd, (struct sockaddr *)&name, sizeof name));
    TEST(connect(fd, (struct sockaddr *)&name, sizeof name));
    TEST(sendto(fd, "x", 1, 0, (struct sockaddr *)&name, sizeof name));
    size = sizeof owner;
    TEST(getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &owner, &size));
    TEST(owner.pid == getpid() && owner.uid == getuid());
    TEST(write(fd, "echo", 4));
    TEST(recv(fd, text, 4, MSG_WAITALL));
    pthread_join(thread, NULL);
    TEST(read(fd, text, 4));
    size = sizeof other;
    TEST(getpeername(fd, (struct sockaddr *)&other, &size));
    TEST(close(fd));
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    TEST(connect(fd, (struct sockaddr *)&name, sizeof name));
    TEST(ready(listener));
    again = accept4(listener, (struct sockaddr *)&other, &size, SOCK_CLOEXEC);
    TEST(again >= 0);
    TEST(size);
    TEST(fcntl(again, F_GETFD));
    TEST(accept4(listener, NULL, NULL, 1));
    TEST(fcntl(listener, F_SETFL, O_NONBLOCK));
    TEST(accept(listener, NULL, NULL));
    TEST(close(listener));
    TEST(write(fd, "yet", 3));
    TEST(read(again, text, 8));
    TEST(close(again));
    TEST(close(fd));
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    TEST(connect(fd, (struct sockaddr *)&name, sizeof name));
    TEST(shutdown(fd, SHUT_RD));
    TEST(read(fd, text, 1));
    TEST(write(fd, text, 1));
    close(fd);
    TEST(unlink("place"));
}

static void datagrams(void)
{
    struct sockaddr_un one = address("one"), other = address("other"), from;
    socklen_t size = sizeof from;
    int a = socket(AF_UNIX, SOCK_DGRAM, 0), b = socket(AF_UNIX, SOCK_DGRAM, 0);
    struct timeval soon = {0, 20000};
    char text[8];

    TEST(bind(a, (struct sockaddr *)&one, sizeof one));
    TEST(bind(b, (struct sockaddr *)&other, sizeof other));
    TEST(listen(a, 1));
    TEST(send(a, "x", 1, 0));
    TEST(sendto(a, "hi", 2, 0, (struct sockaddr *)&other, sizeof other));
    TEST(recvfrom(b, text, 8, 0, (struct sockaddr *)&from, &size));
    TEST(strcmp(from.sun_path, "one"));
    TEST(connect(b, (struct sockaddr *)&one, sizeof one));
    TEST(send(b, "back", 4, 0));
    TEST(recv(a, text, 8, 0));
    TEST(setsockopt(a, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon));
    TEST(recv(a, text, 8, 0));
    TEST(ready(a));
    close(a);
    TEST(send(b, "lost", 4, 0));
    a = socket(AF_UNIX, SOCK_STREAM, 0);
    TEST(connect(a, (struct sockaddr *)&other, sizeof other));
    close(a);
    close(b);
    TEST(unlink("one"));
    TEST(unlink("other"));
}

static void names_that_are_no_paths(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0quipu conform"}, own;
    socklen_t size = offsetof(struct sockaddr_un, sun_path) + 14, got = sizeof own;
    int a = socket(AF_UNIX, SOCK_DGRAM, 0), b = socket(AF_UNIX, SOCK_DGRAM, 0);
    char text[8];

    TEST(bind(a, (struct sockaddr *)&name, size));
    TEST(bind(b, (struct sockaddr *)&name, size));
    TEST(bind(b, (struct sockaddr *)&name, sizeof(sa_family_t)));
    TEST(getsockname(b, (struct sockaddr *)&own, &got));
    TEST(got);
    TEST(sendto(b, "abs", 3, 0, (struct sockaddr *)&name, size));
    TEST(recv(a, text, 8, 0));
    TEST(sendto(b, "abs", 3, 0, (struct sockaddr *)&name, size - 1));
    close(a);
    TEST(sendto(b, "abs", 3, 0, (struct sockaddr *)&name, size));
    close(b);
}

static void files(void)
{
    char space[CMSG_SPACE(2 * sizeof(int))], text[8] = "", byte = 'f';
    struct iovec piece = {&byte, 1};
    struct msghdr head = {.msg_iov = &piece,
                          .msg_iovlen = 1,
                          .msg_control = space,
                          .msg_controllen = CMSG_SPACE(sizeof(int))};
    struct cmsghdr *control = CMSG_FIRSTHDR(&head);
    int ends[2], pipe_ends[2], got, one = 1;

    TEST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    TEST(pipe(pipe_ends));
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(control), &pipe_ends[0], sizeof(int));
    TEST(sendmsg(ends[0], &head, 0));
    TEST(close(pipe_ends[0]));
    TEST(write(pipe_ends[1], "through", 7));
    head.msg_controllen = sizeof space;
    TEST(recvmsg(ends[1], &head, MSG_CMSG_CLOEXEC));
    TEST(head.msg_flags & MSG_CTRUNC);
    control = CMSG_FIRSTHDR(&head);
    TEST(control != NULL && control->cmsg_type == SCM_RIGHTS);
    memcpy(&got, CMSG_DATA(control), sizeof got);
    TEST(fcntl(got, F_GETFD));
    TEST(read(got, text, 7));
    SAY("%s\n", text);
    TEST(close(got));
    got = 999;
    memcpy(CMSG_DATA(control), &got, sizeof got);
    head.msg_controllen = CMSG_SPACE(sizeof(int));
    TEST(sendmsg(ends[0], &head, 0));
    memcpy(CMSG_DATA(control), &ends[1], sizeof got); /* a socket in its own queue */
    TEST(sendmsg(ends[1], &head, 0));
    TEST(read(ends[0], text, 8));
    TEST(setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &one, sizeof one));
    TEST(write(ends[0], "c", 1));
    head.msg_controllen = sizeof space;
    TEST(recvmsg(ends[1], &head, 0));
    control = CMSG_FIRSTHDR(&head);
    TEST(control != NULL && control->cmsg_type == SCM_CREDENTIALS);
    TEST(((struct ucred *)CMSG_DATA(control))->pid == getpid());
    close(ends[0]);
    close(ends[1]);
    close(pipe_ends[1]);
}

/* A megabyte goes through, whole, though only a part of it has room at once. */
static void much(void)
{
    static unsigned char block[4096];
    unsigned long sum = 0, total = 0;
    int ends[2];
    ssize_t got;

    TEST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    if (fork() == 0) {
        close(ends[0]);
        for (int i = 0; i < 256; i++) {
            memset(block, i, sizeof block);
            if (write(ends[1], block, sizeof block) != sizeof block)
                _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    while ((got = read(ends[0], block, sizeof block)) > 0) {
        total += (unsigned long)got;
        for (ssize_t i = 0; i < got; i++)
            sum += block[i];
    }
    TEST(total);
    TEST(sum);
    wait(NULL);
    close(ends[0]);
}

static void rung(int signal)
{
    (void)signal;
}

/* A wait that has an end is not begun again after a handler, whatever SA_RESTART says. */
static void interrupted(void)
{
    struct sigaction action = {.sa_handler = rung, .sa_flags = SA_RESTART};
    struct timeval long_time = {10, 0};
    int pair[2];
    char byte;

    TEST(sigaction(SIGALRM, &action, NULL));
    TEST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    TEST(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &long_time, sizeof long_time));
    ualarm(30000, 0);
    TEST(recv(pair[0], &byte, 1, 0));
    close(pair[0]);
    close(pair[1]);
}

int main(void)
{
    conform_begin();
    pairs();
    messages(SOCK_SEQPACKET);
    messages(SOCK_DGRAM);
    streams();
    datagrams();
    names_that_are_no_paths();
    files();
    much();
    TEST(send(0, "x", 1, 0));
    TEST(bind(-1, NULL, 0));
    interrupted();
    return conform_end(0);
}
