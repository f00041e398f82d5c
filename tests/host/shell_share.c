/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of shell/share: sums that must come out, by hand. */
#include "tests/host/test.h"

#include <stdlib.h>

/* The code under test. */
#include "shell/commands/shared/share.c"

#define NS 1000000000ull

static bool parts_are(uint64_t a, uint64_t b, uint64_t c, unsigned pa, unsigned pb, unsigned pc)
{
    const uint64_t times[] = {a, b, c};
    unsigned out[3];

    share_parts(times, out, 3, 100);
    return out[0] == pa && out[1] == pb && out[2] == pc;
}

TEST(share_rates)
{
    CHECK(share_rate(0, NS) == 0);
    CHECK(share_rate(7, 0) == 0);
    CHECK(share_rate(100, NS) == 100);
    CHECK(share_rate(100, 2 * NS) == 50);
    CHECK(share_rate(3, 2 * NS) == 2); /* 1.5 */
    CHECK(share_rate(1, 4 * NS) == 0);
    CHECK(share_rate(5, NS / 10) == 50);
    CHECK(share_rate(1000000, 10000 * NS) == 100);
    CHECK(share_rate(2499999, 1000000 * NS) == 2);
    CHECK(share_rate(2500001, 1000000 * NS) == 3);
    CHECK(share_rate(1ull << 40, NS) == 1ull << 40);
}

TEST(share_parts_add_up)
{
    unsigned seed = 3;

    CHECK(parts_are(0, 0, 0, 0, 0, 100));
    CHECK(parts_are(0, NS, 0, 0, 100, 0));
    CHECK(parts_are(1, 1, 1, 34, 33, 33));
    CHECK(parts_are(1, 1, 4, 17, 17, 66)); /* 16.67 16.67 66.67: the first two lost as much */
    CHECK(parts_are(0, 4, 996, 0, 0, 100));
    CHECK(parts_are(0, 6, 994, 0, 1, 99));
    CHECK(parts_are(0, NS << 30, NS << 30, 0, 50, 50));
    for (unsigned round = 0; round < 10000; round++) {
        uint64_t times[4];
        unsigned out[4];

        for (unsigned i = 0; i < 4; i++)
            times[i] = (uint64_t)rand_r(&seed) << (rand_r(&seed) % 30);
        share_parts(times, out, 4, 1000);
        CHECK(out[0] + out[1] + out[2] + out[3] == 1000);
    }
}

TEST(share_of_a_total)
{
    CHECK(share_of(1, 3, 100) == 33);
    CHECK(share_of(2, 3, 100) == 67);
    CHECK(share_of(1, 0, 100) == 0);
    CHECK(share_of(NS * 600, NS * 1000, 1000) == 600);
}
