/* SPDX-License-Identifier: BSD-2-Clause */
/* kstats made and unmade by some threads while others read: nobody is in a function of a kstat
 * that was deleted. */
#include <kstat.h>

#include "tests/host/kstat_check.h"

#include <errno.h>
#include <pthread.h>
#include <quipu_host.h>

#define THREADS 2
#define ROUNDS  300

/* What a driver has of its own: valid while its kstat exists. */
struct driver {
    int alive;
    host_mutex_t lock;
};

static int update(kstat_t *ksp, int rw)
{
    struct driver *driver = ksp->ks_private;

    (void)rw;
    CHECK(driver->alive);
    KSTAT_INTR_PTR(ksp)->intrs[0]++;
    return 0;
}

static void *make_and_unmake(void *arg)
{
    int instance = *(int *)arg;

    for (int round = 0; round < ROUNDS; round++) {
        struct driver driver = {1, {NULL}};
        kstat_t *ksp = kstat_create("driver", instance, NULL, "misc", KSTAT_TYPE_INTR, 1, 0);

        ksp->ks_private = &driver;
        ksp->ks_lock = &driver.lock;
        ksp->ks_update = update;
        kstat_install(ksp);
        kstat_delete(ksp);
        driver.alive = 0;
    }
    return NULL;
}

static void *read_all(void *unused)
{
    kstat_ctl_t *kc = kstat_open();

    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(kstat_chain_update(kc) >= 0);
        for (kstat_t *ksp = kc->kc_chain; ksp != NULL; ksp = ksp->ks_next) {
            if (kstat_read(kc, ksp, NULL) < 0)
                CHECK_IS(errno, ENXIO);
        }
    }
    kstat_close(kc);
    return NULL;
}

TEST(kstat_threads)
{
    pthread_t makers[THREADS];
    pthread_t readers[THREADS];
    int instances[THREADS];

    for (int i = 0; i < THREADS; i++) {
        instances[i] = i;
        CHECK(pthread_create(&makers[i], NULL, make_and_unmake, &instances[i]) == 0);
        CHECK(pthread_create(&readers[i], NULL, read_all, NULL) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(makers[i], NULL);
        pthread_join(readers[i], NULL);
    }
    CHECK_IS(kstat_ioctl(KSTAT_IOC_CHAIN_ID, NULL), 2 + 2 * THREADS * ROUNDS);
}
