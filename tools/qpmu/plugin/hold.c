/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds a CPU back whose ring fills. An interrupt or a timer's tick has the guest empty it, and
 * both come through QEMU's main loop. Where the host has other things to do, that may not run for
 * long while the CPU does, and the ring would overflow. So the CPU waits, and the host may run the
 * main loop instead, until that has done all there was. What it has brought, the guest meets as
 * soon as this CPU goes on. With several CPUs another one may have to take the interrupt first and
 * pass it on; nothing tells when it has, but the fuller the ring the longer it is given.
 *
 * A main loop that waits for something else may wait for this CPU, so that is not waited for long.
 * If all that does not help, the guest does not want to be interrupted, and records are lost.
 */
#include "tools/qpmu/plugin/hold.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "tools/qpmu/plugin/main_loop.h"
#include "tools/qpmu/plugin/vcpu.h"

#define PARTS       16 /* of the ring; at the end of each it is looked */
#define FIRST_PART  4
#define OTHERS_PART 8    /* from here on others are waited for */
#define OTHERS_US   4000 /* doubled in each part: a second in all */
#define PAUSE_US    20
#define MOST_NS     1000000000ull /* never for ever */
#define ROUND_NS    2000000ull    /* of CPU time: it has been at its poll, however busy it is */
#define MOST_WAITS  100

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void begin(void)
{
    (void)main_loop_open(NULL);
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void wait_for_main_loop(void)
{
    uint64_t end = now() + MOST_NS, round = main_loop_time() + ROUND_NS;
    unsigned waits = 0;
    enum main_loop it;

    while ((it = main_loop_look()) != MAIN_LOOP_SLEEPS) {
        if (it == MAIN_LOOP_WAITS && ++waits > MOST_WAITS)
            return;
        if (now() > end || main_loop_time() > round)
            return;
        usleep(PAUSE_US);
    }
}

void hold_back(uint32_t waiting, uint32_t size, bool interrupts)
{
    uint32_t part = size / PARTS;

    /* A guest may say anything of what waits; a full ring stays so. */
    if (part == 0 || waiting % part != 0 || waiting < FIRST_PART * part || waiting >= size)
        return;
    pthread_once(&once, begin);
    wait_for_main_loop();
    if (interrupts && !one_vcpu && waiting >= OTHERS_PART * part)
        usleep(OTHERS_US << (waiting / part - OTHERS_PART));
}
