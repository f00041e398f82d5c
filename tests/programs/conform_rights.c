/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes with bytes on a socket: descriptors and who sent them, and where a read ends for that.
 */
#include "conform.h"
#include <sys/socket.h>

static int ends[2];

/* TEXT, with DESCRIPTOR or (-1) without. */
static ssize_t put(const char *text, int descriptor)
{
    struct iovec piece = {(char *)text, strlen(text)};
    char room[CMSG_SPACE(sizeof descriptor)] = {0};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};

    if (descriptor >= 0) {
        struct cmsghdr *head;

        message.msg_control = room;
        message.msg_controllen = sizeof room;
        head = CMSG_FIRSTHDR(&message);
        *head = (struct cmsghdr){CMSG_LEN(sizeof descriptor), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    }
    return sendmsg(ends[0], &message, MSG_DONTWAIT);
}

/* Tells a read of SIZE: bytes, descriptors, whether one process is the sender. */
static void get(size_t size, int flags)
{
    char text[100] = "", room[200];
    struct iovec piece = {text, size};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    ssize_t got;
    int files = 0, mine = -1;

    errno = 0;
    got = recvmsg(ends[1], &message, (flags & MSG_WAITALL ? 0 : MSG_DONTWAIT) | flags);
    for (struct cmsghdr *head = got < 0 ? NULL : CMSG_FIRSTHDR(&message); head;
         head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_type == SCM_RIGHTS) {
            int count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int), *fds;

            fds = (int *)CMSG_DATA(head);
            files += count;
            while (count-- > 0)
                close(fds[count]);
        } else if (head->cmsg_type == SCM_CREDENTIALS) {
            mine = ((struct ucred *)CMSG_DATA(head))->pid == getpid();
        }
    }
    SAY("%zu: %zd \"%s\" files %d mine %d %s\n", size, got, text, files, mine,
        errno ? strerrorname_np(errno) : "-");
}

static void barriers(int type)
{
    TEST(socketpair(AF_UNIX, type, 0, ends));
    get(0, 0);
    get(10, 0);
    put("ab", -1);
    put("cd", 0);
    put("ef", -1);
    put("gh", 0);
    put("ij", 1);
    get(0, 0);
    get(50, MSG_PEEK);
    get(3, 0);
    get(50, 0);
    get(50, 0);
    get(50, 0);
    get(50, 0);
    get(50, 0);
    TEST(put("", 0)); /* a stream has no messages without bytes */
    TEST(put("", -1));
    get(10, 0);
    get(10, 0);
    put("xy", 0);
    get(0, 0);
    get(10, 0);
    TEST(read(ends[1], "", 0));
    put("kl", 0);
    TEST(read(ends[1], (char[9]){0}, 9));
    put("mn", -1);
    close(ends[0]);
    get(10, 0);
    get(0, 0);
    get(10, 0);
    close(ends[1]);
}

/* Who sends is part of what is read, where the reader asks. */
static void senders(int ask)
{
    int status;
    pid_t child;

    TEST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    TEST(setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &ask, sizeof ask));
    put("ab", -1);
    put("cd", -1);
    child = fork();
    if (child == 0) {
        put("ef", -1);
        put("gh", -1);
        _exit(0);
    }
    waitpid(child, &status, 0);
    put("ij", -1);
    get(3, 0);
    get(50, 0);
    get(50, 0);
    get(50, 0);
    put("kl", -1);
    child = fork();
    if (child == 0) {
        usleep(30000); /* the reader waits for more, and has begun */
        put("mn", -1);
        _exit(0);
    }
    get(4, MSG_WAITALL);
    waitpid(child, &status, 0);
    shutdown(ends[0], SHUT_WR);
    get(50, 0);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    barriers(SOCK_STREAM);
    barriers(SOCK_DGRAM);
    barriers(SOCK_SEQPACKET);
    senders(0);
    senders(1);
    return 0;
}
