/* SPDX-License-Identifier: BSD-2-Clause */
/* When a CPU waits for its ring to be emptied, and for how many records it does not after that was
 * in vain; numbers worked by hand for a ring of 64, of which a part is 4 records. */
#include "tests/host/test.h"

#include "tools/qpmu/plugin/hold.h"

#define SIZE 64u

TEST(qpmu_hold_at_parts)
{
    struct hold hold = {0};

    for (uint32_t waiting = 1; waiting < SIZE; waiting++) {
        bool part = waiting >= 16 && waiting % 4 == 0; /* a quarter at first */

        CHECK_EQUAL(hold_fuller(&hold, waiting, SIZE), part);
        CHECK(!hold_fuller(&hold, waiting, SIZE));
    }
    CHECK(!hold_fuller(&hold, SIZE, SIZE));
    CHECK_EQUAL(hold.parts, 15);
    CHECK(!hold_fuller(&hold, 44, SIZE)); /* taken down to 11 parts: one late, so 13 is the next */
    CHECK_EQUAL(hold.parts, 12);
    CHECK(!hold_fuller(&hold, 51, SIZE));
    CHECK(hold_fuller(&hold, 52, SIZE));
}

TEST(qpmu_hold_in_vain)
{
    struct hold hold = {0};

    for (unsigned time = 0; time < 20; time++) {
        unsigned before = time < 12 ? time : 12;
        uint64_t records = (uint64_t)SIZE << (2 + before);

        hold_failed(&hold, SIZE);
        CHECK_EQUAL(hold.unheld, records);
        CHECK_EQUAL(hold.in_vain, before < 12 ? before + 1 : 12);
        hold_failed(&hold, SIZE); /* one of those that are not waited for */
        CHECK_EQUAL(hold.unheld, records);
        CHECK_EQUAL(hold.in_vain, before < 12 ? before + 1 : 12);
        for (uint64_t i = 0; i < records; i++) {
            if (i == records / 2)
                CHECK_EQUAL(hold.unheld, records - i);
            (void)hold_fuller(&hold, 1, SIZE);
        }
        CHECK_EQUAL(hold.unheld, 0);
        (void)hold_fuller(&hold, 1, SIZE);
        CHECK_EQUAL(hold.unheld, 0);
    }
}
