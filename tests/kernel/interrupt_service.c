/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The histogram of a line's service times: the handler measures how long it takes itself, the test
 * how long the whole interrupt took. If both belong to one bucket, so does what lies between.
 */
#include "kernel/time/clock.h"
#include "kernel/interrupt/interrupt.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/fake_line.h"

#define ROUNDS   20
#define SHORTEST 3000u /* ns; in the middle of a bucket, as all its doubles */

static uint64_t length, inside;

static void take_time(void)
{
    uint64_t begin = clock_now();

    do
        inside = clock_now() - begin;
    while (inside < length);
}

static unsigned bucket_of(uint64_t value)
{
    unsigned bucket = 0;

    for (; value != 0; value >>= 1)
        bucket++;
    return bucket;
}

static struct histogram read_service(const struct interrupt_line *line)
{
    struct histogram service;

    histogram_collect(&service, &line->cells->service);
    return service;
}

/* Takes twice as long each time, until what is outside does not matter. */
static int measure(struct interrupt_line *line)
{
    uint64_t whole = 0;
    struct histogram before, after;
    unsigned round;

    length = SHORTEST;
    for (round = 0; round < ROUNDS; round++, length *= 2) {
        uint64_t begin;

        before = read_service(line);
        begin = clock_now();
        fake_interrupt(line);
        whole = clock_now() - begin;
        after = read_service(line);
        if (bucket_of(inside) == bucket_of(whole))
            break;
    }
    SELFTEST_CHECK(round < ROUNDS);
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        SELFTEST_EQUAL(after.bucket[i] - before.bucket[i], i == bucket_of(whole));
    return 0;
}

SELFTEST_ONE_CPU(interrupt_service, "interrupt-service",
                 "the time that an interrupt is served goes to the bucket where it belongs")
{
    static struct fake_device device = {.letter = 'S', .claims = 1, .action = take_time};
    struct interrupt_line *line = fake_line(1);
    int result;

    SELFTEST_EQUAL(fake_establish(line, IPL_VM, &device, "test s"), 0);
    result = measure(line);
    fake_remove(line, &device);
    return result;
}
