/* SPDX-License-Identifier: BSD-2-Clause */
/* PC buckets: which bucket a PC has, by numbers worked out by hand; what waits is taken once. */
#include "stats/hwperf/hwperf_profile.h"

#include "tests/host/test.h"

#include <errno.h>
#include <stdlib.h>

static struct hwperf_profile *profile_of(const struct hwperf_region *region, unsigned regions)
{
    struct hwperf_profile *profile = malloc(hwperf_profile_size(region, regions));

    hwperf_profile_init(profile, region, regions);
    return profile;
}

TEST(hwperf_profile_checks)
{
    const struct hwperf_region good = {0x1000, 64, 0x400000, 65536};
    struct hwperf_region many[HWPERF_REGIONS + 1], bad = good;

    CHECK(hwperf_profile_check(&good, 1) == 0);
    CHECK(hwperf_profile_check(&good, 0) == EINVAL);
    for (unsigned i = 0; i <= HWPERF_REGIONS; i++)
        many[i] = good;
    CHECK(hwperf_profile_check(many, HWPERF_REGIONS) == 0);
    CHECK(hwperf_profile_check(many, HWPERF_REGIONS + 1) == EINVAL);
    bad.size = 1;
    CHECK(hwperf_profile_check(&bad, 1) == EINVAL);
    bad.size = HWPERF_BUCKETS_BYTES;
    CHECK(hwperf_profile_check(&bad, 1) == 0);
    bad.size++;
    CHECK(hwperf_profile_check(&bad, 1) == EINVAL);
    many[0].size = many[1].size = HWPERF_BUCKETS_BYTES / 2 + 2;
    CHECK(hwperf_profile_check(many, 2) == EINVAL);
    bad = good;
    bad.base++;
    CHECK(hwperf_profile_check(&bad, 1) == EINVAL);
    bad = good;
    bad.scale = 0;
    CHECK(hwperf_profile_check(&bad, 1) == EINVAL);
    bad.scale = 65537;
    CHECK(hwperf_profile_check(&bad, 1) == EINVAL);
}

/* 65536: 2 bytes a bucket; 0x8000: 4; 0x4000: 8. */
TEST(hwperf_profile_buckets)
{
    const struct hwperf_region region[] = {
        {0x1000, 8, 0x400000, 65536}, {0x2000, 8, 0x500000, 0x8000}, {0x3000, 8, 0x600000, 0x4000}};
    static const struct {
        uint64_t pc, address;
    } row[] = {{0x400000, 0x1000}, {0x400001, 0x1000}, {0x400002, 0x1002}, {0x400007, 0x1006},
               {0x400008, 0},      {0x3fffff, 0},      {0x500000, 0x2000}, {0x500003, 0x2000},
               {0x500004, 0x2002}, {0x50000f, 0x2006}, {0x500010, 0},      {0x600007, 0x3000},
               {0x600008, 0x3002}, {0x60001f, 0x3006}, {0x600020, 0},      {UINT64_MAX, 0}};
    struct hwperf_profile *profile = profile_of(region, 3);
    uint64_t missed = 0;
    uint32_t hits;

    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        hwperf_profile_hit(profile, row[i].pc, i + 1);
        CHECK_EQUAL(hwperf_profile_take(profile, &hits), row[i].address);
        if (row[i].address != 0)
            CHECK_EQUAL(hits, i + 1);
        else
            missed += i + 1;
        CHECK_EQUAL(hwperf_profile_take(profile, &hits), 0);
        CHECK_EQUAL(profile->missed, missed);
    }
    free(profile);
}

/* A region of scale 2 has what no other one has, wherever it stands. */
TEST(hwperf_profile_rest)
{
    const struct hwperf_region region[] = {{0x2000, 2, 0, HWPERF_SCALE_REST},
                                           {0x1000, 8, 0x400000, 65536}};
    struct hwperf_profile *profile = profile_of(region, 2);
    uint32_t hits;

    for (unsigned i = 0; i < 5; i++) {
        hwperf_profile_hit(profile, 0x400004, 2);
        hwperf_profile_hit(profile, 0x400000, 1);
        hwperf_profile_hit(profile, 0x500000, 3);
    }
    CHECK_EQUAL(hwperf_profile_take(profile, &hits), 0x2000);
    CHECK_EQUAL(hits, 15);
    CHECK_EQUAL(hwperf_profile_take(profile, &hits), 0x1000);
    CHECK_EQUAL(hits, 5);
    CHECK_EQUAL(hwperf_profile_take(profile, &hits), 0x1004);
    CHECK_EQUAL(hits, 10);
    CHECK_EQUAL(hwperf_profile_take(profile, &hits), 0);
    CHECK_EQUAL(profile->counted, 30);
    CHECK_EQUAL(profile->missed, 0);
    free(profile);
}
