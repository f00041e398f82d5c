/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For LD_PRELOAD: a QEMU on a host that has other things to do. All of it shares one CPU, and its
 * main loop gets what nobody else wants: from when there are threads for the guest's CPUs on. What
 * timers and sockets are to bring to the guest comes late.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DIRECTORIES 2 /* . and .., besides one for each thread */

typedef int poll_call(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                      const sigset_t *mask);

static void __attribute__((constructor)) share_one_cpu(void)
{
    cpu_set_t all, one;
    int cpu = 0;

    sched_getaffinity(0, sizeof(all), &all);
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof(one), &one);
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
    static poll_call *real;
    static int late;
    struct stat threads;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ppoll");
    if (!late && gettid() == getpid() && stat("/proc/self/task", &threads) == 0 &&
        threads.st_nlink > DIRECTORIES + 2)
        late = sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0}) == 0;
    return real(fds, count, timeout, mask);
}
