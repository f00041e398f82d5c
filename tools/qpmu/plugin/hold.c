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
 * If all that does not help, the guest does not want to be interrupted or makes records faster than
 * it takes them, and some are lost. Each ring full of them would cost a second: so the next ones
 * are not waited for, and twice as many after each time.
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

#define UNHELD_RINGS 2 /* ring sizes at first, as a power of two */
#define IN_VAIN_MOST 12

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

bool hold_fuller(struct hold *hold, uint32_t waiting, uint32_t size)
{
    uint32_t part = size / PARTS, parts = part == 0 ? 0 : waiting / part;

    hold->unheld -= hold->unheld > 0;
    /* One part late, so that a ring that is taken from and put to at a border is not held each
     * time. */
    if (parts + 1 < hold->parts)
        hold->parts = parts + 1;
    /* A guest may say anything of what waits; a full ring stays so. */
    if (parts < FIRST_PART || parts <= hold->parts || waiting >= size)
        return false;
    hold->parts = parts;
    return true;
}

void hold_back(const struct hold *hold, bool interrupts)
{
    pthread_once(&once, begin);
    wait_for_main_loop();
    if (interrupts && !one_vcpu && hold->unheld == 0 && hold->parts >= OTHERS_PART)
        usleep(OTHERS_US << (hold->parts - OTHERS_PART));
}

void hold_failed(struct hold *hold, uint32_t size)
{
    if (hold->unheld > 0)
        return;
    hold->unheld = (uint64_t)size << (UNHELD_RINGS + hold->in_vain);
    if (hold->in_vain < IN_VAIN_MOST)
        hold->in_vain++;
}
