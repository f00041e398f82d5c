/* SPDX-License-Identifier: BSD-2-Clause */
/* See hwperf_profile.h. */
#include "stats/hwperf/hwperf_profile.h"
#include "lib/errno.h"

#define SCALE_ONE 65536u

static uint32_t hwperf_buckets(const struct hwperf_region *region)
{
    return (uint32_t)(region->size / HWPERF_BUCKET);
}

int hwperf_profile_check(const struct hwperf_region *region, unsigned regions)
{
    uint64_t left = HWPERF_BUCKETS_BYTES;

    if (regions == 0 || regions > HWPERF_REGIONS)
        return EINVAL;
    for (unsigned i = 0; i < regions; i++) {
        if (region[i].size < HWPERF_BUCKET || region[i].size > left ||
            region[i].base % HWPERF_BUCKET != 0 || region[i].scale == 0 ||
            region[i].scale > SCALE_ONE)
            return EINVAL;
        left -= region[i].size;
    }
    return 0;
}

uint64_t hwperf_profile_size(const struct hwperf_region *region, unsigned regions)
{
    uint64_t buckets = 0;

    for (unsigned i = 0; i < regions; i++)
        buckets += hwperf_buckets(&region[i]);
    return sizeof(struct hwperf_profile) + buckets * sizeof(uint32_t);
}

void hwperf_profile_init(struct hwperf_profile *profile, const struct hwperf_region *region,
                         unsigned regions)
{
    uint32_t *next = profile->memory;

    profile->regions = regions;
    profile->counted = profile->missed = 0;
    for (unsigned i = 0; i < regions; i++) {
        profile->region[i] = region[i];
        profile->hits[i] = next;
        profile->low[i] = UINT32_MAX;
        profile->high[i] = 0;
        for (uint32_t n = hwperf_buckets(&region[i]); n > 0; n--)
            *next++ = 0;
    }
}

/* PC's bucket in the region; false: it is in none of its. */
static bool hwperf_region_bucket(const struct hwperf_region *region, uint64_t pc, uint32_t *bucket)
{
    uint64_t words = (pc - region->offset) / HWPERF_BUCKET;

    if (region->scale == HWPERF_SCALE_REST || pc < region->offset ||
        words / SCALE_ONE > HWPERF_BUCKETS_BYTES)
        return false;
    words = words / SCALE_ONE * region->scale + words % SCALE_ONE * region->scale / SCALE_ONE;
    *bucket = (uint32_t)words;
    return words < hwperf_buckets(region);
}

static bool hwperf_profile_find(const struct hwperf_profile *profile, uint64_t pc, unsigned *region,
                                uint32_t *bucket)
{
    for (*region = 0; *region < profile->regions; ++*region)
        if (hwperf_region_bucket(&profile->region[*region], pc, bucket))
            return true;
    *bucket = 0;
    for (*region = 0; *region < profile->regions; ++*region)
        if (profile->region[*region].scale == HWPERF_SCALE_REST)
            return true;
    return false;
}

void hwperf_profile_hit(struct hwperf_profile *profile, uint64_t pc, uint32_t count)
{
    unsigned region;
    uint32_t bucket;

    if (!hwperf_profile_find(profile, pc, &region, &bucket)) {
        profile->missed += count;
        return;
    }
    profile->counted += count;
    profile->hits[region][bucket] += count;
    if (bucket < profile->low[region])
        profile->low[region] = bucket;
    if (bucket >= profile->high[region])
        profile->high[region] = bucket + 1;
}

uint64_t hwperf_profile_take(struct hwperf_profile *profile, uint32_t *hits)
{
    for (unsigned i = 0; i < profile->regions; i++) {
        while (profile->low[i] < profile->high[i]) {
            uint32_t bucket = profile->low[i]++;

            *hits = profile->hits[i][bucket];
            profile->hits[i][bucket] = 0;
            if (*hits != 0)
                return profile->region[i].base + (uint64_t)bucket * HWPERF_BUCKET;
        }
        profile->low[i] = UINT32_MAX;
        profile->high[i] = 0;
    }
    return 0;
}
