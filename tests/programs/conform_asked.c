/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program asks about itself, and sets: prctl, attributes of scheduling, unshare, membarrier,
 * orders of futex. */
#include "conform.h"
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static void kept(void)
{
    TEST(prctl(PR_GET_KEEPCAPS));
    TEST(prctl(PR_SET_KEEPCAPS, 1));
    TEST(prctl(PR_GET_KEEPCAPS));
    CHILD(TEST(prctl(PR_GET_KEEPCAPS)));
    TEST(prctl(PR_SET_KEEPCAPS, 2));
    TEST(prctl(PR_GET_TIMERSLACK) > 0);
    TEST(prctl(PR_SET_TIMERSLACK, 1000));
    TEST(prctl(PR_GET_TIMERSLACK));
    CHILD(TEST(prctl(PR_GET_TIMERSLACK)));
    TEST(prctl(PR_GET_SECCOMP));
    TEST(prctl(PR_CAPBSET_READ, 99));
    TEST(prctl(PR_GET_TIMING));
    TEST(prctl(PR_SET_TIMING, 0));
    TEST(prctl(PR_SET_TIMING, 1));
    TEST(prctl(PR_GET_THP_DISABLE, 1, 0, 0, 0));
    TEST(prctl(9999));
}

struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
    uint32_t least, most;
};

static void attributes(void)
{
    struct attributes a;
    int before = getpriority(PRIO_PROCESS, 0);

    memset(&a, 1, sizeof a);
    TEST(syscall(SYS_sched_getattr, 0, &a, 48, 0));
    TEST(a.size);
    TEST(a.policy);
    TEST(a.nice == before);
    TEST(a.priority);
    a.nice = 19;
    TEST(syscall(SYS_sched_setattr, 0, &a, 0));
    TEST(getpriority(PRIO_PROCESS, 0));
    a.policy = SCHED_BATCH;
    TEST(syscall(SYS_sched_setattr, 0, &a, 0));
    TEST(sched_getscheduler(0));
    a.policy = SCHED_OTHER;
    a.priority = 5;
    TEST(syscall(SYS_sched_setattr, 0, &a, 0));
    a.priority = 0;
    a.policy = 99;
    TEST(syscall(SYS_sched_setattr, 0, &a, 0));
    a.policy = SCHED_OTHER;
    a.size = 10;
    TEST(syscall(SYS_sched_setattr, 0, &a, 0));
    TEST(syscall(SYS_sched_setattr, 0, &a, 1));
    TEST(syscall(SYS_sched_setattr, 0, NULL, 0));
    TEST(syscall(SYS_sched_setattr, -1, &a, 0));
    TEST(syscall(SYS_sched_getattr, 0, &a, 47, 0));
    TEST(syscall(SYS_sched_getattr, 0, &a, 48, 1));
    TEST(syscall(SYS_sched_getattr, 1 << 21, &a, 48, 0));
    TEST(syscall(SYS_sched_getattr, -1, &a, 48, 0));
    TEST(syscall(SYS_sched_getattr, 0, 1, 48, 0));
}

static void policies(void)
{
    struct sched_param param = {.sched_priority = 0};

    TEST(sched_setscheduler(0, SCHED_FIFO, &param));
    TEST(sched_setscheduler(0, SCHED_OTHER, &param));
    param.sched_priority = 100;
    TEST(sched_setscheduler(0, SCHED_RR, &param));
    param.sched_priority = 1;
    TEST(sched_setparam(0, &param));
    TEST(sched_setscheduler(0, -1, &param));
    TEST(sched_setscheduler(0, 99, &param));
    TEST(sched_getparam(0, &param));
    TEST(param.sched_priority);
}

static void *nothing(void *unused)
{
    pause();
    return unused;
}

/* A child that shares files and folder, and lets go of both. */
static int lets_go(void *unused)
{
    (void)unused;
    TEST(unshare(CLONE_FILES));
    TEST(close(10));
    TEST(unshare(CLONE_FS));
    TEST(chdir("/"));
    TEST(umask(0));
    return 0;
}

static void unshared(void)
{
    static char stack[65536] __attribute__((aligned(16)));
    pthread_t thread;
    char here[64], now[64];

    TEST(dup2(0, 10));
    TEST(getcwd(here, sizeof here) == here);
    TEST(waitpid(clone(lets_go, stack + sizeof stack, CLONE_FILES | CLONE_FS | SIGCHLD, NULL), NULL,
                 0) > 0);
    TEST(fcntl(10, F_GETFD));
    TEST(getcwd(now, sizeof now) == now);
    TEST(strcmp(here, now));
    TEST(umask(022));
    TEST(unshare(0));
    TEST(unshare(1));
    TEST(unshare(CLONE_VM));
    pthread_create(&thread, NULL, nothing, NULL);
    TEST(unshare(CLONE_VM));
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    TEST(close(10));
}

static void barriers(void)
{
    TEST(syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) & 31);
    TEST(syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 1, 0));
    TEST(syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0));
    TEST(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0));
    TEST(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0));
    TEST(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0));
    TEST(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0));
    TEST(syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0));
    TEST(syscall(SYS_membarrier, 1 << 30, 0, 0));
}

static void orders(void)
{
    static uint32_t word, other;
    struct timespec soon = {0, 1000000};

    TEST(syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_CLOCK_REALTIME, 0, &soon, NULL, 0));
    TEST(syscall(SYS_futex, &word, FUTEX_REQUEUE, -1, 1L, &other, 0));
    TEST(syscall(SYS_futex, &word, FUTEX_REQUEUE, 1, -1L, &other, 0));
    TEST(syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 1, -1L, &other, 0));
    TEST(syscall(SYS_futex, &word, FUTEX_REQUEUE, 1, 1L, &other, 0));
}

int main(void)
{
    kept();
    attributes();
    policies();
    unshared();
    barriers();
    orders();
    TEST(mmap(NULL, 1 << 21, PROT_READ, MAP_PRIVATE, open("/dev/null", O_RDONLY), 0) == MAP_FAILED);
    return 0;
}
