/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PC buckets, as sprofil has them: regions of a program's text, each with an array of 16-bit
 * buckets in its memory. Hits wait here until somebody can take them there. The caller excludes
 * others from count and take. No machine, no kernel: also built on the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define HWPERF_REGIONS       16u
#define HWPERF_BUCKET        2u         /* bytes */
#define HWPERF_BUCKETS_BYTES (1u << 20) /* of all regions */
#define HWPERF_SCALE_REST    2u         /* one bucket, for what is in no other region */

struct hwperf_region {
    uint64_t base, size; /* of the buckets; bytes */
    uint64_t offset;     /* the first PC */
    uint64_t scale;      /* 65536: a bucket for each 2 bytes of text; less: for more */
};

struct hwperf_profile {
    uint32_t *hits[HWPERF_REGIONS]; /* a bucket each, that wait */
    uint32_t low[HWPERF_REGIONS],
        high[HWPERF_REGIONS]; /* all that are not 0 are in low to high-1 */
    struct hwperf_region region[HWPERF_REGIONS];
    unsigned regions;
    uint64_t counted; /* hits of any bucket, ever */
    uint64_t missed;  /* of none, or whose PC nobody knows */
    uint32_t memory[];
};

/* 0, or EINVAL (positive): no region, or too many; no bucket, or too many; at an odd address. */
int hwperf_profile_check(const struct hwperf_region *region, unsigned regions);
/* Of what was checked, for hwperf_profile_init: bytes. */
uint64_t hwperf_profile_size(const struct hwperf_region *region, unsigned regions);
void hwperf_profile_init(struct hwperf_profile *profile, const struct hwperf_region *region,
                         unsigned regions);

/* COUNT more at PC. */
void hwperf_profile_hit(struct hwperf_profile *profile, uint64_t pc, uint32_t count);
/* A bucket of which hits wait, which it then has none any more: its address, 0: there is none. */
uint64_t hwperf_profile_take(struct hwperf_profile *profile, uint32_t *hits);
