/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the late functions, once; see late.h. */
#include "kernel/device/late.h"
#include <stdbool.h>
#include "kernel/thread/mutex.h"

static kmutex_t mutex = {.name = "late start",
                         .lock = SPINLOCK_INITIALIZER("mutex interlock"),
                         .waiters = WAIT_QUEUE_INITIALIZER(mutex.waiters)};
static bool done;

static void late_run_level(unsigned level)
{
    const struct late *const *member;

    LINKER_SET_FOREACH (member, late_functions) {
        if ((*member)->level == level)
            (*member)->function();
    }
}

/* What `make bench` counts up to. */
static __attribute__((noinline)) void late_set_done(void)
{
    __atomic_store_n(&done, true, __ATOMIC_RELEASE);
}

void late_start(void)
{
    if (__atomic_load_n(&done, __ATOMIC_ACQUIRE) || mutex_owned(&mutex))
        return;
    mutex_enter(&mutex);
    if (!done) {
        for (unsigned level = 0; level < LATE_LEVELS; level++)
            late_run_level(level);
        late_set_done();
    }
    mutex_exit(&mutex);
}
