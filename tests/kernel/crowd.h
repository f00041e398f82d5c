/* SPDX-License-Identifier: BSD-2-Clause */
/* Several threads that do the same at once, on whatever CPUs there are. */
#pragma once

#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"

#define CROWD_MOST 8

/* Runs COUNT threads with FUNCTION(ARGUMENT) and waits for their end: 0, or the test has failed. */
static inline int crowd_run(unsigned count, void (*function)(void *), void *argument)
{
    struct thread *threads[CROWD_MOST];
    unsigned started = 0;

    while (started < count && thread_create("crowd", THREAD_PRIORITY_NORMAL, function, argument,
                                            &threads[started]) == 0)
        started++;
    for (unsigned i = 0; i < started; i++)
        thread_join(threads[i]);
    SELFTEST_EQUAL(started, count);
    return 0;
}
