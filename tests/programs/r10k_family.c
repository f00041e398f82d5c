/* SPDX-License-Identifier: BSD-2-Clause */
/* r10k_counters(5) over forks, ends, threads and exec: who has what at the end. The loops' numbers
 * of turns are millions apart, what a program does besides is not. */
#include "r10k.h"
#include <pthread.h>

static hwperf_profevctrarg_t a;
static int self;

#define LOOP 20000000ul

/* Full loops of 2 * LOOP instructions that event I has counted. */
static unsigned long long loops(int fd, int i)
{
    return (count(fd, i) + LOOP / 2) / (2 * LOOP);
}

static void begin(void)
{
    if (ioctl(self, PIOCENEVCTRS, &a) < 0)
        perror("begin");
}

static void *thread(void *unused)
{
    loop(LOOP);
    return unused;
}

static void child_of_one_that_waits(void)
{
    pid_t child;

    begin();
    child = fork();
    if (child == 0) {
        int own = open_process(getpid());

        loop(LOOP);
        printf("child %llu of %llu\n", loops(own, INSTRUCTIONS), loops(self, INSTRUCTIONS));
        _exit(0);
    }
    waitpid(child, NULL, 0);
    printf("waited %llu\n", loops(self, INSTRUCTIONS));
}

/* SAVE: 0 does not ask; 1 asks; 2 asks, of a parent that does not count. */
static void child_of_one_that_does_not_wait(int save)
{
    int ends[2], own;
    pid_t child;
    char byte;

    begin();
    if (pipe(ends) != 0)
        exit(1);
    child = fork();
    if (child == 0) {
        close(ends[0]);
        own = open_process(getpid());
        if (save && ioctl(own, PIOCSAVECCNTRS) != 0)
            perror("save");
        loop(LOOP);
        _exit(0);
    }
    close(ends[1]);
    if (save == 2)
        ioctl(self, PIOCRELEVCTRS);
    if (read(ends[0], &byte, 1) != 0) /* its end closes it */
        exit(1);
    close(ends[0]);
    usleep(200000); /* it does not wait, but the child has ended by then */
    printf("save %d: %llu\n", save, loops(self, INSTRUCTIONS));
    waitpid(child, NULL, 0);
    printf("save %d: %llu\n", save, loops(self, INSTRUCTIONS));
}

/* A grandchild's loops come up through a child that waits. */
static void grandchild(void)
{
    pid_t child;

    begin();
    child = fork();
    if (child == 0) {
        child = fork();
        if (child == 0) {
            loop(LOOP);
            loop(LOOP);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        loop(LOOP);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    printf("grandchild %llu\n", loops(self, INSTRUCTIONS));
}

static void threads(void)
{
    pthread_t one, two;

    begin();
    pthread_create(&one, NULL, thread, NULL);
    pthread_create(&two, NULL, thread, NULL);
    loop(LOOP);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("threads %llu\n", loops(self, INSTRUCTIONS));
}

/* Another process's counters, begun, read and released while it runs and sleeps. */
static void another(void)
{
    pid_t child;
    unsigned long long seen;
    int ends[2], fd;
    char byte = 0;

    if (pipe(ends) != 0)
        exit(1);
    child = fork();
    if (child == 0) {
        if (read(ends[0], &byte, 1) != 1)
            _exit(1);
        loop(LOOP);
        pause();
    }
    fd = open_process(child);
    printf("another %s\n", said(ioctl(fd, PIOCENEVCTRS, &a)));
    if (write(ends[1], &byte, 1) != 1)
        exit(1);
    while (loops(fd, INSTRUCTIONS) == 0)
        usleep(1000);
    usleep(100000);
    seen = count(fd, INSTRUCTIONS);
    printf("another %llu\n", loops(fd, INSTRUCTIONS));
    printf("release %s", said(ioctl(fd, PIOCRELEVCTRS)));
    printf(" %d\n", count(fd, INSTRUCTIONS) == seen);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    pid_t child;

    setvbuf(stdout, NULL, _IOLBF, 0);
    self = open_process(getpid());
    if (argc > 1) {
        loop(LOOP);
        printf("after exec %llu\n", loops(self, INSTRUCTIONS));
        return 0;
    }
    want(&a, INSTRUCTIONS, HWPERF_CNTEN_U);
    child_of_one_that_waits();
    for (int save = 0; save <= 2; save++)
        child_of_one_that_does_not_wait(save);
    grandchild();
    threads();
    ioctl(self, PIOCRELEVCTRS);
    another();
    child = fork();
    if (child == 0) {
        self = open_process(getpid());
        begin();
        loop(LOOP);
        execl("/proc/self/exe", argv[0], "again", (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    return 0;
}
