/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of sockets, senders without a name, and clients whom nobody accepts. */
#include "conform.h"
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

static const char *result(int result)
{
    return result == 0 ? "0" : strerrorname_np(errno);
}

/* What it is, whether it can be set, and what it is then. */
static void option(int fd, const char *name, int number, int value)
{
    int now = -1;
    socklen_t size = sizeof now;

    SAY("%s: %s", name, result(getsockopt(fd, SOL_SOCKET, number, &now, &size)));
    SAY(" %d %u", now, size);
    SAY(" set %s", result(setsockopt(fd, SOL_SOCKET, number, &value, sizeof value)));
    SAY(" then %s", result(getsockopt(fd, SOL_SOCKET, number, &now, &size)));
    SAY(" %d %u\n", now, size);
}
#define OPTION(number, value) option(fd, #number, number, value)

static void options(int type)
{
    struct linger linger = {1, 5};
    socklen_t size = sizeof linger;
    int ends[2], fd;

    socketpair(AF_UNIX, type, 0, ends);
    fd = ends[0];
    OPTION(SO_DEBUG, 1);
    OPTION(SO_REUSEADDR, 5);
    OPTION(SO_REUSEADDR, 0);
    OPTION(SO_ERROR, 1);
    OPTION(SO_DONTROUTE, 1);
    OPTION(SO_BROADCAST, 1);
    OPTION(SO_KEEPALIVE, -1);
    OPTION(SO_OOBINLINE, 1);
    OPTION(SO_PRIORITY, 3);
    OPTION(SO_PASSCRED, 1);
    OPTION(SO_RCVLOWAT, 7);
    OPTION(SO_RCVLOWAT, 0);
    OPTION(SO_RCVLOWAT, -5);
    OPTION(SO_SNDLOWAT, 7);
    OPTION(SO_ACCEPTCONN, 1);
    OPTION(SO_PROTOCOL, 1);
    OPTION(SO_DOMAIN, 1);
    OPTION(SO_MARK, 5);
    OPTION(SO_SNDBUF, 10000);
    OPTION(SO_RCVBUF, 10000);
    OPTION(SO_SNDBUFFORCE, 20000);
    OPTION(SO_SNDBUF, 0);
    OPTION(999, 1);
    TEST(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
    linger = (struct linger){9, 9};
    TEST(getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &size));
    SAY("%d %d %u\n", linger.l_onoff, linger.l_linger, size);
    TEST(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, 4));
    size = 4;
    TEST(getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &size));
    SAY("%u\n", size);
    CHILD(setuid(5); OPTION(SO_DEBUG, 1); OPTION(SO_PRIORITY, 6); OPTION(SO_PRIORITY, 7);
          OPTION(SO_MARK, 1); OPTION(SO_SNDBUFFORCE, 9999));
    close(ends[0]);
    close(ends[1]);
}

/* A read of a stream waits for that many bytes, for less where its room ends before. */
static void lowest(void)
{
    int ends[2], least = 4;
    char text[20];
    pid_t writer;

    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    setsockopt(ends[1], SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
    writer = fork();
    if (writer == 0) {
        usleep(30000);
        write(ends[0], "ab", 2);
        usleep(30000);
        write(ends[0], "c", 1);
        usleep(30000);
        write(ends[0], "de", 2);
        _exit(0);
    }
    TEST(read(ends[1], text, sizeof text));
    waitpid(writer, NULL, 0);
    write(ends[0], "fghij", 5);
    TEST(read(ends[1], text, 2));
    TEST(recv(ends[1], text, 1, 0));
    TEST(recv(ends[1], text, 9, MSG_DONTWAIT));
    write(ends[0], "k", 1);
    shutdown(ends[0], SHUT_WR);
    TEST(read(ends[1], text, sizeof text));
    close(ends[0]);
    close(ends[1]);
}

static struct sockaddr_un name = {AF_UNIX, "server"}, from;
static int server, client;

static void begin(int type)
{
    server = socket(AF_UNIX, type, 0);
    client = socket(AF_UNIX, type, 0);
    TEST(bind(server, (struct sockaddr *)&name, sizeof name));
    from.sun_family = 77;
}

static void end(void)
{
    close(server);
    close(client);
    unlink("server");
}

static void nameless(void)
{
    char text[9];
    struct iovec piece = {text, sizeof text};
    struct msghdr message = {&from, sizeof from, &piece, 1};
    socklen_t size = sizeof from;
    int ends[2];

    begin(SOCK_DGRAM);
    TEST(sendto(client, "abc", 3, 0, (struct sockaddr *)&name, sizeof name));
    TEST(recvfrom(server, text, 9, 0, (struct sockaddr *)&from, &size));
    SAY("%u %d\n", size, from.sun_family);
    TEST(sendto(client, "abc", 3, 0, (struct sockaddr *)&name, sizeof name));
    TEST(recvmsg(server, &message, 0));
    SAY("%u %d\n", message.msg_namelen, from.sun_family);
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    write(ends[0], "x", 1);
    size = sizeof from;
    TEST(recvfrom(ends[1], text, 9, 0, (struct sockaddr *)&from, &size));
    SAY("%u %d\n", size, from.sun_family);
    close(ends[0]);
    close(ends[1]);
    end();
}

/* The listener is closed, and whoever waits for it learns that; with something sent or nothing. */
static void unwanted(int sends)
{
    struct pollfd entry = {.events = POLLIN | POLLOUT | POLLRDHUP};
    char text[9];

    begin(SOCK_STREAM);
    TEST(listen(server, 5));
    TEST(connect(client, (struct sockaddr *)&name, sizeof name));
    if (sends)
        TEST(write(client, "abc", 3));
    entry.fd = client;
    TEST(poll(&entry, 1, 0));
    TEST(entry.revents);
    close(server);
    TEST(poll(&entry, 1, 0));
    TEST(entry.revents);
    TEST(read(client, text, 9));
    TEST(read(client, text, 9));
    TEST(write(client, "x", 1));
    end();
}

static void sender(pid_t pid, uid_t uid, int cut)
{
    struct ucred who = {pid, uid, getgid()};
    char room[CMSG_SPACE(sizeof who)] = {0};
    struct iovec piece = {"q", 1};
    struct msghdr message = {.msg_iov = &piece, 1, room, sizeof room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    int ends[2];

    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    *head = (struct cmsghdr){CMSG_LEN(sizeof who) - cut, SOL_SOCKET, SCM_CREDENTIALS};
    memcpy(CMSG_DATA(head), &who, sizeof who);
    TEST(sendmsg(ends[0], &message, 0));
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    conform_begin();
    alarm(60);
    signal(SIGPIPE, SIG_IGN);
    options(SOCK_STREAM);
    options(SOCK_DGRAM);
    lowest();
    nameless();
    unwanted(0);
    unwanted(1);
    sender(getpid(), getuid(), 0);
    sender(1 << 30, getuid(), 0);
    sender(getpid(), 77, 0);
    sender(getpid(), getuid(), 1);
    CHILD(setuid(5); sender(getpid(), 5, 0); sender(getppid(), 5, 0); sender(getpid(), 77, 0));
    return conform_end(0);
}
