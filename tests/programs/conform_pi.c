/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks that say whose they are (FUTEX_LOCK_PI), and threads on CPUs. */
#include "conform.h"
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static uint32_t word;
static pthread_mutex_t mutex;
static long sum;

static long futex(uint32_t *at, int operation, uint32_t value, const void *time)
{
    return syscall(SYS_futex, at, operation, value, time, NULL, 0);
}

static void *adds(void *unused)
{
    for (int i = 0; i < 2000; i++) {
        pthread_mutex_lock(&mutex);
        sum++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *holds(void *result)
{
    *(long *)result = pthread_mutex_lock(&mutex);
    return NULL;
}

static void *tries(void *unused)
{
    (void)unused;
    errno = 0;
    futex(&word, FUTEX_TRYLOCK_PI, 0, NULL);
    return (void *)(long)errno;
}

static void handler(int signal_)
{
    (void)signal_;
}

static long waited, left;
static int mine;

static void *waits(void *unused)
{
    waited = futex(&word, FUTEX_LOCK_PI, 0, NULL);
    mine = (word & FUTEX_TID_MASK) == (uint32_t)gettid();
    left = futex(&word, FUTEX_UNLOCK_PI, 0, NULL);
    return unused;
}

static void words(void)
{
    pthread_t thread;
    void *got;

    TEST(futex(&word, FUTEX_UNLOCK_PI, 0, NULL));
    TEST(futex(&word, FUTEX_LOCK_PI, 0, NULL));
    TEST(word == (uint32_t)gettid());
    TEST(futex(&word, FUTEX_LOCK_PI, 0, NULL));
    TEST(futex((void *)3, FUTEX_LOCK_PI, 0, NULL));
    TEST(futex((void *)8, FUTEX_LOCK_PI, 0, NULL));
    pthread_create(&thread, NULL, tries, NULL);
    pthread_join(thread, &got);
    TEST(got == (void *)EAGAIN);
    signal(SIGUSR1, handler);
    pthread_create(&thread, NULL, waits, NULL);
    while (!(__atomic_load_n(&word, __ATOMIC_SEQ_CST) & FUTEX_WAITERS))
        usleep(1000);
    pthread_kill(thread, SIGUSR1); /* made again, whatever the handler says */
    usleep(20000);
    TEST(futex(&word, FUTEX_UNLOCK_PI, 0, NULL));
    pthread_join(thread, NULL);
    SAY("waiter: %ld, mine %d, left %ld\n", waited, mine, left);
    TEST(word);
    word = 3999999;
    TEST(futex(&word, FUTEX_LOCK_PI, 0, NULL));
    word = 0;
}

static void mutexes(void)
{
    struct timespec soon;
    pthread_mutexattr_t kind;
    pthread_t threads[4];
    long result;

    pthread_mutexattr_init(&kind);
    TEST(pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT));
    TEST(pthread_mutex_init(&mutex, &kind));
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, adds, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    TEST(sum);
    pthread_mutex_lock(&mutex);
    clock_gettime(CLOCK_REALTIME, &soon);
    TEST(pthread_mutex_timedlock(&mutex, &soon) == EDEADLK);
    TEST(pthread_mutex_unlock(&mutex));
    TEST(pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST));
    TEST(pthread_mutex_init(&mutex, &kind));
    pthread_create(&threads[0], NULL, holds, &result);
    pthread_join(threads[0], NULL);
    TEST(result);
    TEST(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    TEST(pthread_mutex_consistent(&mutex));
    TEST(pthread_mutex_unlock(&mutex));
    TEST(pthread_mutex_lock(&mutex));
    TEST(pthread_mutex_unlock(&mutex));
}

static void *sleeps(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void threads_and_policies(void)
{
    struct sched_param parameter = {0}, one = {1};
    struct timespec slice;
    pthread_t thread;
    cpu_set_t set;

    CPU_ZERO(&set);
    TEST(sched_setaffinity(0, sizeof set, &set));
    CPU_SET(0, &set);
    pthread_create(&thread, NULL, sleeps, NULL);
    TEST(pthread_setaffinity_np(thread, sizeof set, &set));
    CPU_ZERO(&set);
    TEST(pthread_getaffinity_np(thread, sizeof set, &set));
    TEST(CPU_COUNT(&set));
    TEST(pthread_cancel(thread));
    TEST(pthread_join(thread, NULL));
    TEST(sched_setaffinity(3999999, sizeof set, &set));
    TEST(sched_setscheduler(0, SCHED_BATCH, &parameter));
    TEST(sched_getscheduler(0));
    CHILD(TEST(sched_getscheduler(0)));
    TEST(sched_setscheduler(0, SCHED_BATCH, &one));
    TEST(sched_setscheduler(0, 77, &parameter));
    TEST(sched_setscheduler(0, SCHED_OTHER, &parameter));
    TEST(sched_setparam(0, &parameter));
    TEST(sched_setparam(0, &one));
    TEST(sched_setparam(0, NULL));
    TEST(sched_setparam(3999999, &parameter));
    TEST(sched_rr_get_interval(0, &slice));
    TEST(sched_rr_get_interval(-1, &slice));
    TEST(sched_rr_get_interval(3999999, &slice));
}

int main(void)
{
    words();
    mutexes();
    threads_and_policies();
    return 0;
}
