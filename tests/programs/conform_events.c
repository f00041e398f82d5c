/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers, timers, signals and processes as files: eventfd(2), timerfd_create(2), signalfd(2),
 * pidfd_open(2). */
#include "conform.h"
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sched.h>

#define P_PIDFD_ 3

static int ready(int fd, int events)
{
    struct pollfd entry = {fd, (short)events};

    return poll(&entry, 1, 0) <= 0 ? 0 : entry.revents;
}

static void *take(void *fd)
{
    eventfd_t value = 0;

    eventfd_read(*(int *)fd, &value);
    return (void *)value;
}

static void numbers(void)
{
    int fd = eventfd(3, EFD_NONBLOCK), waits;
    pthread_t thread;
    uint64_t value;
    void *got;

    TEST(eventfd(0, 0x1000));
    TEST(ready(fd, POLLIN | POLLOUT));
    TEST(read(fd, &value, 7));
    TEST(read(fd, &value, 8));
    TEST(value);
    TEST(read(fd, &value, 8));
    TEST(ready(fd, POLLIN | POLLOUT));
    value = UINT64_MAX;
    TEST(write(fd, &value, 8));
    value = UINT64_MAX - 1;
    TEST(write(fd, &value, 8));
    TEST(ready(fd, POLLIN | POLLOUT));
    value = 1;
    TEST(write(fd, &value, 8));
    TEST(write(fd, &value, 4));
    TEST(read(fd, &value, 8));
    TEST(value == UINT64_MAX - 1);
    TEST(write(fd, (void *)8, 8));
    TEST(pread(fd, &value, 0, 0) == 0 || errno != 0);
    close(fd);
    fd = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC);
    TEST(fcntl(fd, F_GETFD));
    TEST((fcntl(fd, F_GETFL) & (O_ACCMODE | O_NONBLOCK)) == (O_RDWR | O_NONBLOCK));
    TEST(eventfd_read(fd, &value));
    TEST(value);
    TEST(eventfd_read(fd, &value));
    TEST(eventfd_read(fd, &value));
    close(fd);
    waits = eventfd(0, 0);
    pthread_create(&thread, NULL, take, &waits);
    usleep(10000);
    TEST(eventfd_write(waits, 12));
    pthread_join(thread, &got);
    TEST((long)got);
    CHILD(eventfd_write(waits, 5));
    TEST(eventfd_read(waits, &value));
    TEST(value);
    close(waits);
}

static void timers(void)
{
    struct itimerspec once = {{0, 0}, {0, 20000000}}, often = {{0, 10000000}, {0, 10000000}};
    struct itimerspec old, odd = {{0, 0}, {0, 1000000000}}, off = {{0, 0}, {0, 0}};
    int fd, file = open("/dev/null", O_RDONLY);
    struct timespec begun, now;
    int64_t passed;
    uint64_t count = 0;

    TEST(timerfd_create(99, 0));
    TEST(timerfd_create(CLOCK_MONOTONIC, 1));
    fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    TEST(fd >= 0);
    TEST(read(fd, &count, 8));
    TEST(timerfd_settime(fd, 0, &odd, NULL));
    TEST(timerfd_settime(fd, 8, &once, NULL));
    TEST(timerfd_settime(file, 0, &once, NULL));
    TEST(timerfd_settime(-1, 0, &once, NULL));
    TEST(timerfd_settime(fd, 0, NULL, NULL));
    TEST(timerfd_gettime(file, &old));
    TEST(timerfd_gettime(fd, (void *)8));
    TEST(timerfd_settime(fd, 0, &once, &old));
    TEST(old.it_value.tv_nsec);
    TEST(timerfd_gettime(fd, &old));
    TEST(old.it_value.tv_nsec > 0 && old.it_value.tv_nsec <= 20000000);
    TEST(ready(fd, POLLIN));
    usleep(30000);
    TEST(ready(fd, POLLIN | POLLOUT));
    TEST(timerfd_gettime(fd, &old));
    TEST(old.it_value.tv_nsec);
    TEST(read(fd, &count, 4));
    TEST(read(fd, &count, 8));
    TEST(count);
    TEST(read(fd, &count, 8));
    clock_gettime(CLOCK_MONOTONIC, &begun);
    TEST(timerfd_settime(fd, 0, &often, NULL));
    usleep(55000);
    TEST(read(fd, &count, 8));
    clock_gettime(CLOCK_MONOTONIC, &now);
    TEST(count >= 5);
    passed = (now.tv_sec - begun.tv_sec) * 1000000000 + now.tv_nsec - begun.tv_nsec;
    TEST(count * (uint64_t)often.it_interval.tv_nsec <= (uint64_t)passed);
    TEST(timerfd_gettime(fd, &old));
    TEST(old.it_interval.tv_nsec);
    TEST(fcntl(fd, F_SETFL, 0));
    TEST(read(fd, &count, 8));
    TEST(count >= 1);
    TEST(timerfd_settime(fd, 0, &off, NULL));
    TEST(fcntl(fd, F_SETFL, O_NONBLOCK));
    TEST(read(fd, &count, 8));
    clock_gettime(CLOCK_MONOTONIC, &now);
    once.it_value = now;
    TEST(timerfd_settime(fd, TFD_TIMER_ABSTIME, &once, NULL));
    usleep(1000);
    TEST(read(fd, &count, 8));
    TEST(write(fd, &count, 8));
    close(fd);
    fd = timerfd_create(CLOCK_REALTIME, 0);
    clock_gettime(CLOCK_REALTIME, &now);
    once.it_value = (struct timespec){now.tv_sec - 10, 0};
    TEST(timerfd_settime(fd, TFD_TIMER_ABSTIME, &once, NULL));
    TEST(read(fd, &count, 8));
    TEST(count);
    close(fd);
    close(file);
}

static void signals(void)
{
    struct signalfd_siginfo got[4];
    struct epoll_event event = {.events = EPOLLIN};
    union sigval value = {.sival_int = 77};
    sigset_t set;
    int fd, epoll = epoll_create1(0);

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGRTMIN);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    TEST(signalfd(-1, &set, 0x1000));
    TEST(signalfd(epoll, &set, 0));
    TEST(signalfd(-7, &set, 0));
    TEST(syscall(SYS_signalfd4, -1, &set, 3, 0));
    fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    TEST(fd >= 0);
    TEST(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
    TEST(epoll_wait(epoll, &event, 1, 0));
    TEST(read(fd, got, sizeof got));
    TEST(read(fd, got, 100));
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR1);
    sigqueue(getpid(), SIGRTMIN, value);
    sigqueue(getpid(), SIGRTMIN, value);
    TEST(epoll_wait(epoll, &event, 1, 0));
    TEST(ready(fd, POLLIN));
    TEST(read(fd, got, sizeof got));
    TEST(got[0].ssi_signo == SIGUSR1 && got[0].ssi_code == SI_USER);
    TEST(got[0].ssi_pid == (unsigned)getpid());
    TEST(got[1].ssi_signo == (unsigned)SIGRTMIN && got[1].ssi_code == SI_QUEUE);
    TEST(got[1].ssi_int);
    TEST(ready(fd, POLLIN));
    TEST(epoll_wait(epoll, &event, 1, 0));
    if (fork() == 0)
        _exit(9);
    TEST(epoll_wait(epoll, &event, 1, -1));
    TEST(read(fd, got, sizeof got));
    TEST(got[0].ssi_signo == SIGCHLD && got[0].ssi_code == CLD_EXITED);
    TEST(got[0].ssi_status);
    wait(NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    TEST(signalfd(fd, &set, 0) == fd);
    kill(getpid(), SIGUSR1);
    TEST(ready(fd, POLLIN));
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    TEST(signalfd(fd, &set, 0) == fd);
    TEST(read(fd, got, sizeof got) == sizeof *got);
    TEST(fcntl(fd, F_SETFL, 0));
    if (fork() == 0) {
        usleep(10000);
        kill(getppid(), SIGUSR1);
        _exit(0);
    }
    TEST(read(fd, got, sizeof got) == sizeof *got);
    wait(NULL);
    close(fd);
    close(epoll);
    sigemptyset(&set);
    sigprocmask(SIG_SETMASK, &set, NULL);
}

static void processes(void)
{
    pid_t child = fork();
    siginfo_t info;
    int fd;

    if (child == 0)
        for (;;)
            pause();
    fd = (int)syscall(SYS_pidfd_open, child, 0);
    TEST(fd >= 0);
    TEST(fcntl(fd, F_GETFD));
    TEST(syscall(SYS_pidfd_open, -1, 0));
    TEST(syscall(SYS_pidfd_open, 0, 0));
    TEST(syscall(SYS_pidfd_open, child, 5));
    TEST(syscall(SYS_pidfd_open, 3999999, 0));
    TEST(ready(fd, POLLIN));
    TEST(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0));
    TEST(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 99));
    TEST(syscall(SYS_pidfd_send_signal, fd, 999, NULL, 0));
    TEST(syscall(SYS_pidfd_send_signal, 0, SIGTERM, NULL, 0));
    TEST(syscall(SYS_pidfd_send_signal, -1, SIGTERM, NULL, 0));
    memset(&info, 0, sizeof info);
    TEST(waitid(P_PIDFD_, fd, &info, WEXITED | WNOHANG));
    TEST(info.si_pid);
    TEST(syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0));
    TEST(waitid(P_PIDFD_, fd, &info, WEXITED | WNOWAIT));
    TEST(info.si_code == CLD_KILLED && info.si_status == SIGTERM && info.si_pid == child);
    TEST(ready(fd, POLLIN));
    TEST(syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0));
    TEST(waitid(P_PIDFD_, fd, &info, WEXITED));
    TEST(waitid(P_PIDFD_, fd, &info, WEXITED));
    TEST(waitid(P_PIDFD_, 0, &info, WEXITED));
    TEST(syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0));
    TEST(read(fd, &info, 8));
    close(fd);
    fd = -1;
    child = (pid_t)syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, &fd, NULL, NULL);
    if (child == 0)
        _exit(fd >= 0 ? 3 : 4);
    TEST(fd >= 0);
    TEST(waitid(P_PIDFD_, fd, &info, WEXITED));
    TEST(info.si_status);
    close(fd);
}

static void names(void)
{
    struct stat stat;
    int fd = eventfd(0, 0);

    TEST(fstat(fd, &stat));
    TEST(stat.st_mode);
    TEST(fsync(fd));
    TEST(ftruncate(fd, 0));
    TEST(ioctl(fd, FIONREAD, &stat));
    close(fd);
}

int main(void)
{
    numbers();
    timers();
    signals();
    processes();
    names();
    return 0;
}
