/* SPDX-License-Identifier: BSD-2-Clause */
/* Policies of real time: root has them, others up to a limit. */
#include "conform.h"
#include <sched.h>
#include <sys/resource.h>

static int set(int policy, int priority)
{
    return sched_setscheduler(0, policy, &(struct sched_param){.sched_priority = priority});
}

int main(void)
{
    struct sched_param param = {.sched_priority = 20};
    struct rlimit limit = {30, 30};

    TEST(set(SCHED_FIFO, 10));
    TEST(sched_setparam(0, &param));
    param.sched_priority = 0;
    TEST(sched_getparam(0, &param));
    TEST(param.sched_priority);
    CHILD(TEST(sched_getscheduler(0)));
    TEST(set(SCHED_OTHER, 0));
    CHILD(TEST(setuid(1000)); TEST(set(SCHED_RR, 1)); TEST(set(SCHED_BATCH, 0)));
    TEST(setrlimit(RLIMIT_RTPRIO, &limit));
    CHILD(TEST(setuid(1000)); TEST(set(SCHED_RR, 30)); TEST(set(SCHED_RR, 31)));
    return 0;
}
