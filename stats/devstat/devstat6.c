/* SPDX-License-Identifier: BSD-2-Clause */
/* Records in FreeBSD's layout: see devstat6.h. */
#include "stats/devstat/devstat6.h"

#include "stats/devstat/devstat_list.h"

#define NS_PER_SECOND UINT64_C(1000000000)
/* 2^64 / 10^9, and what is left. */
#define FRAC_PER_NS      UINT64_C(18446744073)
#define FRAC_LEFT_PER_NS UINT64_C(709551616)

/* The layout is an interface. */
_Static_assert(offsetof(struct devstat6, busy_from) == 16, "layout");
_Static_assert(offsetof(struct devstat6, device_number) == 40, "layout");
_Static_assert(offsetof(struct devstat6, unit_number) == 60, "layout");
_Static_assert(offsetof(struct devstat6, bytes) == 64, "layout");
_Static_assert(offsetof(struct devstat6, duration) == 128, "layout");
_Static_assert(offsetof(struct devstat6, busy_time) == 192, "layout");
_Static_assert(offsetof(struct devstat6, block_size) == 224, "layout");
_Static_assert(offsetof(struct devstat6, tag_types) == 232, "layout");
_Static_assert(offsetof(struct devstat6, flags) == 256, "layout");
_Static_assert(offsetof(struct devstat6, id) == 272, "layout");
_Static_assert(offsetof(struct devstat6, sequence1) == 280, "layout");
_Static_assert(sizeof(struct devstat6) == 288, "layout");

static struct devstat6_time devstat6_time_of(uint64_t ns)
{
    uint64_t rest = ns % NS_PER_SECOND;

    return (struct devstat6_time){
        .sec = (int64_t)(ns / NS_PER_SECOND),
        .frac = rest * FRAC_PER_NS + (rest * FRAC_LEFT_PER_NS + NS_PER_SECOND - 1) / NS_PER_SECOND};
}

static void devstat6_make_busy_time(struct devstat6 *out, const struct devstat *copy)
{
    uint64_t busy = copy->busy_ns, from = copy->last_ns;

    if (copy->busy_count > 0) {
        if (from > copy->start_ns)
            busy += from - copy->start_ns;
        else
            from = copy->start_ns;
    }
    out->busy_time = devstat6_time_of(busy);
    out->busy_from = devstat6_time_of(from);
}

void devstat6_make(struct devstat6 *out, const struct devstat *copy)
{
    uint64_t ended = copy->num_reads + copy->num_writes + copy->num_frees + copy->num_other -
                     copy->unmatched_ends;

    *out = (struct devstat6){.sequence0 = (uint32_t)copy->sequence0,
                             .allocated = 1,
                             .start_count = (uint32_t)(ended + (uint64_t)copy->busy_count),
                             .end_count = (uint32_t)ended,
                             .device_number = copy->device_number,
                             .unit_number = copy->unit_number,
                             .bytes = {[DEVSTAT_READ] = copy->bytes_read,
                                       [DEVSTAT_WRITE] = copy->bytes_written,
                                       [DEVSTAT_FREE] = copy->bytes_freed},
                             .operations = {[DEVSTAT_NO_DATA] = copy->num_other,
                                            [DEVSTAT_READ] = copy->num_reads,
                                            [DEVSTAT_WRITE] = copy->num_writes,
                                            [DEVSTAT_FREE] = copy->num_frees},
                             .creation_time = devstat6_time_of(copy->creation_ns),
                             .block_size = copy->block_size,
                             .flags = (uint32_t)copy->flags,
                             .device_type = (uint32_t)copy->device_type,
                             .priority = (uint32_t)copy->priority,
                             .sequence1 = (uint32_t)copy->sequence1};
    for (unsigned at = 0; at < DEVSTAT_NAME_LEN; at++)
        out->device_name[at] = copy->device_name[at];
    for (unsigned kind = 0; kind < DEVSTAT_N_TRANS_FLAGS; kind++)
        out->duration[kind] = devstat6_time_of(copy->duration_ns[kind]);
    for (unsigned tag = 0; tag < sizeof out->tag_types / sizeof out->tag_types[0]; tag++)
        out->tag_types[tag] = copy->tag_types[tag];
    devstat6_make_busy_time(out, copy);
}

static void devstat6_put(void *out, const struct devstat *copy)
{
    devstat6_make(out, copy);
}

int devstat6_export(void *buffer, size_t capacity, size_t *size)
{
    return devstat_list_export(buffer, capacity, size, sizeof(struct devstat6), devstat6_put);
}
