/* SPDX-License-Identifier: BSD-2-Clause */
/* POSIX message queues: mq_overview(7). */
#include "conform.h"
#include <mqueue.h>
#include <poll.h>
#include <sys/syscall.h>

/* Of this process: two of them may run on one machine. */
static char NAME[32];

static volatile int noticed;

static void handler(int signal_, siginfo_t *info, void *context)
{
    noticed = info->si_code == SI_MESGQ ? info->si_value.sival_int : -1;
    (void)signal_;
    (void)context;
}

static int ready(mqd_t queue)
{
    struct pollfd entry = {queue, POLLIN | POLLOUT};

    return poll(&entry, 1, 0) <= 0 ? 0 : entry.revents;
}

/* How many bytes lie in it, as its file says. */
static void bytes_in(mqd_t queue)
{
    char line[100] = "";

    TEST(pread(queue, line, sizeof line - 1, 0) > 0);
    SAY("%.*s\n", (int)strcspn(line, " "), line);
}

static void opening(void)
{
    struct mq_attr few = {.mq_maxmsg = 2, .mq_msgsize = 8}, none = {.mq_maxmsg = 0}, got;
    mqd_t queue, reader;

    TEST(mq_open(NAME, O_RDWR));
    TEST(mq_open("no-slash", O_RDWR | O_CREAT, 0600, NULL));
    TEST(mq_open("/", O_RDWR | O_CREAT, 0600, NULL));
    TEST(mq_open("/a/b", O_RDWR | O_CREAT, 0600, NULL));
    TEST(mq_open(NAME, O_RDWR | O_CREAT, 0600, &none));
    queue = mq_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600, &few);
    TEST(queue != -1);
    TEST(mq_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600, &few));
    TEST(fcntl(queue, F_GETFD));
    TEST(mq_getattr(queue, &got));
    SAY("%ld %ld %ld %ld\n", got.mq_flags, got.mq_maxmsg, got.mq_msgsize, got.mq_curmsgs);
    reader = mq_open(NAME, O_RDONLY | O_NONBLOCK);
    TEST(mq_send(reader, "x", 1, 0));
    TEST(mq_receive(reader, (char *)&got, 8, NULL));
    TEST(mq_getattr(reader, &got));
    TEST(got.mq_flags == O_NONBLOCK);
    TEST(mq_close(reader));
    TEST(mq_close(queue));
    TEST(mq_send(queue, "x", 1, 0));
    TEST(mq_send(1, "x", 1, 0));
    TEST(mq_unlink(NAME));
    TEST(mq_unlink(NAME));
}

static void messages(void)
{
    struct mq_attr few = {.mq_maxmsg = 3, .mq_msgsize = 8}, got;
    struct timespec past = {1, 0}, odd = {1, -1};
    mqd_t queue = mq_open(NAME, O_RDWR | O_CREAT, 0600, &few);
    unsigned priority = 0;
    char text[16] = "";

    TEST(ready(queue));
    TEST(mq_send(queue, "low", 4, 1));
    TEST(mq_send(queue, "high", 5, 9));
    TEST(mq_send(queue, "again", 6, 9));
    bytes_in(queue);
    TEST(ready(queue));
    TEST(mq_send(queue, "much too long", 13, 1));
    TEST(mq_send(queue, "x", 1, 40000));
    TEST(mq_timedsend(queue, "x", 1, 1, &past));
    TEST(mq_timedsend(queue, "x", 1, 1, &odd));
    TEST(mq_getattr(queue, &got));
    TEST(got.mq_curmsgs);
    TEST(mq_receive(queue, text, 4, NULL));
    for (int i = 0; i < 3; i++) {
        TEST(mq_receive(queue, text, 8, &priority));
        SAY("%s %u\n", text, priority);
        bytes_in(queue);
    }
    TEST(mq_timedreceive(queue, text, 8, NULL, &past));
    got.mq_flags = O_NONBLOCK;
    TEST(mq_setattr(queue, &got, NULL));
    TEST(mq_receive(queue, text, 8, NULL));
    got.mq_flags = 0;
    TEST(mq_setattr(queue, &got, &few));
    TEST(few.mq_flags == O_NONBLOCK);
    if (fork() == 0) {
        usleep(10000);
        _exit(mq_send(queue, "child", 6, 0) != 0);
    }
    TEST(mq_receive(queue, text, 8, NULL));
    wait(NULL);
    TEST(mq_unlink(NAME));
    TEST(mq_send(queue, "still", 6, 0));
    TEST(mq_receive(queue, text, 8, NULL));
    mq_close(queue);
}

static void notices(void)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 42};
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    mqd_t queue = mq_open(NAME, O_RDWR | O_CREAT, 0600, NULL);
    char text[8192];

    sigaction(SIGUSR1, &action, NULL);
    TEST(mq_notify(queue, &event));
    TEST(mq_notify(queue, &event));
    CHILD(TEST(mq_notify(queue, &event)));
    TEST(mq_send(queue, "a", 1, 0));
    TEST(noticed);
    noticed = 0;
    TEST(mq_receive(queue, text, sizeof text, NULL));
    TEST(mq_send(queue, "b", 1, 0)); /* it was for once */
    TEST(noticed);
    TEST(mq_notify(queue, &event));
    TEST(mq_send(queue, "c", 1, 0)); /* it was not empty */
    TEST(noticed);
    TEST(mq_notify(queue, NULL));
    TEST(mq_notify(queue, NULL));
    event.sigev_signo = 999;
    TEST(mq_notify(queue, &event));
    TEST(mq_notify(0, NULL));
    mq_close(queue);
    TEST(mq_unlink(NAME));
}

int main(void)
{
    snprintf(NAME, sizeof NAME, "/quipu-conform-%d", (int)getpid());
    opening();
    messages();
    notices();
    return 0;
}
