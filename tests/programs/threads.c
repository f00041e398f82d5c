/* SPDX-License-Identifier: BSD-2-Clause */
/* Eight threads: a mutex, a condition variable, thread-local storage, floating point, cancellation.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS 8
#define TURNS   20000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int started;
static long total;
static __thread long own;
static double sums[THREADS];

static void *work(void *argument)
{
    long number = (long)argument;
    double sum = 0;

    pthread_mutex_lock(&lock);
    while (!started)
        pthread_cond_wait(&go, &lock);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
        own += number;
        sum += 1.0 / (i + 1 + (double)number);
    }
    sums[number] = sum;
    pthread_barrier_wait(&barrier);
    return (void *)own;
}

static void *sleeper(void *unused)
{
    for (;;)
        pause();
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS], asleep;
    void *result;

    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
            return 1;
    pthread_mutex_lock(&lock);
    started = 1;
    pthread_cond_broadcast(&go);
    pthread_mutex_unlock(&lock);
    for (long i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &result);
        printf("thread %ld: %ld %.12f\n", i, (long)result, sums[i]);
    }
    printf("total %ld\n", total);
    pthread_create(&asleep, NULL, sleeper, NULL);
    pthread_cancel(asleep);
    pthread_join(asleep, &result);
    printf("cancelled %d\n", result == PTHREAD_CANCELED);
    return 0;
}
