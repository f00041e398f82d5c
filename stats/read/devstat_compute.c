/* SPDX-License-Identifier: BSD-2-Clause */
/* The metrics of devstat(3) in whole numbers: see devstat_compute.h. */
#include "stats/read/devstat_compute.h"

#include "lib/fraction.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define NS_PER_MS     UINT64_C(1000000)
#define KB            UINT64_C(1024)
#define MB            (KB * KB)

/* Of which transactions. */
enum part { ALL, READ, WRITE, FREE, OTHER };

/* What a metric is made of. */
enum kind {
    NOTHING,
    BYTES,
    TRANSFERS,
    BLOCKS,
    KB_PER_TRANSFER,
    TRANSFERS_PER_SECOND,
    MB_PER_SECOND,
    BLOCKS_PER_SECOND,
    MS_PER_TRANSACTION,
    DURATION,
    BUSY_PERCENT,
    BUSY_TIME,
    QUEUE_LENGTH,
};

static const struct {
    unsigned char kind, part;
} metrics[DSM_MAX] = {
    [DSM_TOTAL_BYTES] = {BYTES, ALL},
    [DSM_TOTAL_BYTES_READ] = {BYTES, READ},
    [DSM_TOTAL_BYTES_WRITE] = {BYTES, WRITE},
    [DSM_TOTAL_BYTES_FREE] = {BYTES, FREE},
    [DSM_TOTAL_TRANSFERS] = {TRANSFERS, ALL},
    [DSM_TOTAL_TRANSFERS_READ] = {TRANSFERS, READ},
    [DSM_TOTAL_TRANSFERS_WRITE] = {TRANSFERS, WRITE},
    [DSM_TOTAL_TRANSFERS_FREE] = {TRANSFERS, FREE},
    [DSM_TOTAL_TRANSFERS_OTHER] = {TRANSFERS, OTHER},
    [DSM_TOTAL_BLOCKS] = {BLOCKS, ALL},
    [DSM_TOTAL_BLOCKS_READ] = {BLOCKS, READ},
    [DSM_TOTAL_BLOCKS_WRITE] = {BLOCKS, WRITE},
    [DSM_TOTAL_BLOCKS_FREE] = {BLOCKS, FREE},
    [DSM_KB_PER_TRANSFER] = {KB_PER_TRANSFER, ALL},
    [DSM_KB_PER_TRANSFER_READ] = {KB_PER_TRANSFER, READ},
    [DSM_KB_PER_TRANSFER_WRITE] = {KB_PER_TRANSFER, WRITE},
    [DSM_KB_PER_TRANSFER_FREE] = {KB_PER_TRANSFER, FREE},
    [DSM_TRANSFERS_PER_SECOND] = {TRANSFERS_PER_SECOND, ALL},
    [DSM_TRANSFERS_PER_SECOND_READ] = {TRANSFERS_PER_SECOND, READ},
    [DSM_TRANSFERS_PER_SECOND_WRITE] = {TRANSFERS_PER_SECOND, WRITE},
    [DSM_TRANSFERS_PER_SECOND_FREE] = {TRANSFERS_PER_SECOND, FREE},
    [DSM_TRANSFERS_PER_SECOND_OTHER] = {TRANSFERS_PER_SECOND, OTHER},
    [DSM_MB_PER_SECOND] = {MB_PER_SECOND, ALL},
    [DSM_MB_PER_SECOND_READ] = {MB_PER_SECOND, READ},
    [DSM_MB_PER_SECOND_WRITE] = {MB_PER_SECOND, WRITE},
    [DSM_MB_PER_SECOND_FREE] = {MB_PER_SECOND, FREE},
    [DSM_BLOCKS_PER_SECOND] = {BLOCKS_PER_SECOND, ALL},
    [DSM_BLOCKS_PER_SECOND_READ] = {BLOCKS_PER_SECOND, READ},
    [DSM_BLOCKS_PER_SECOND_WRITE] = {BLOCKS_PER_SECOND, WRITE},
    [DSM_BLOCKS_PER_SECOND_FREE] = {BLOCKS_PER_SECOND, FREE},
    [DSM_MS_PER_TRANSACTION] = {MS_PER_TRANSACTION, ALL},
    [DSM_MS_PER_TRANSACTION_READ] = {MS_PER_TRANSACTION, READ},
    [DSM_MS_PER_TRANSACTION_WRITE] = {MS_PER_TRANSACTION, WRITE},
    [DSM_MS_PER_TRANSACTION_FREE] = {MS_PER_TRANSACTION, FREE},
    [DSM_MS_PER_TRANSACTION_OTHER] = {MS_PER_TRANSACTION, OTHER},
    [DSM_BUSY_PCT] = {BUSY_PERCENT, ALL},
    [DSM_QUEUE_LENGTH] = {QUEUE_LENGTH, ALL},
    [DSM_TOTAL_DURATION] = {DURATION, ALL},
    [DSM_TOTAL_DURATION_READ] = {DURATION, READ},
    [DSM_TOTAL_DURATION_WRITE] = {DURATION, WRITE},
    [DSM_TOTAL_DURATION_FREE] = {DURATION, FREE},
    [DSM_TOTAL_DURATION_OTHER] = {DURATION, OTHER},
    [DSM_TOTAL_BUSY_TIME] = {BUSY_TIME, ALL},
};

static uint64_t devstat_compute_bytes_of(const struct devstat *ds, enum part part)
{
    switch (part) {
    case ALL:
        return ds->bytes_read + ds->bytes_written + ds->bytes_freed;
    case READ:
        return ds->bytes_read;
    case WRITE:
        return ds->bytes_written;
    case FREE:
        return ds->bytes_freed;
    case OTHER:
    default:
        return 0;
    }
}

static uint64_t devstat_compute_transfers_of(const struct devstat *ds, enum part part)
{
    switch (part) {
    case ALL:
        return ds->num_reads + ds->num_writes + ds->num_frees + ds->num_other;
    case READ:
        return ds->num_reads;
    case WRITE:
        return ds->num_writes;
    case FREE:
        return ds->num_frees;
    case OTHER:
    default:
        return ds->num_other;
    }
}

static uint64_t devstat_compute_duration_of(const struct devstat *ds, enum part part)
{
    switch (part) {
    case ALL:
        return ds->duration_ns[DEVSTAT_READ] + ds->duration_ns[DEVSTAT_WRITE] +
               ds->duration_ns[DEVSTAT_FREE] + ds->duration_ns[DEVSTAT_NO_DATA];
    case READ:
        return ds->duration_ns[DEVSTAT_READ];
    case WRITE:
        return ds->duration_ns[DEVSTAT_WRITE];
    case FREE:
        return ds->duration_ns[DEVSTAT_FREE];
    case OTHER:
    default:
        return ds->duration_ns[DEVSTAT_NO_DATA];
    }
}

static uint64_t devstat_compute_busy_of(const struct devstat *current,
                                        const struct devstat *previous)
{
    if (previous == NULL)
        return current->busy_ns;
    return current->busy_ns > previous->busy_ns ? current->busy_ns - previous->busy_ns : 0;
}

static struct devstat_value devstat_compute_whole(uint64_t count)
{
    return (struct devstat_value){.whole = true, .count = count, .times = 1, .by = 1, .over = 1};
}

static struct devstat_value devstat_compute_quotient(uint64_t count, uint64_t times, uint64_t by,
                                                     uint64_t over)
{
    return (struct devstat_value){.count = count, .times = times, .by = by, .over = over};
}

static struct devstat_value devstat_compute_rate(uint64_t count, uint64_t ns, uint64_t over)
{
    return (struct devstat_value){.rate = true, .count = count, .times = 1, .by = ns, .over = over};
}

int devstat_compute(const struct devstat *current, const struct devstat *previous,
                    uint64_t elapsed_ns, devstat_metric metric, struct devstat_value *out)
{
    static const struct devstat nothing;
    const struct devstat *before = previous != NULL ? previous : &nothing;
    enum part part;
    uint64_t bytes, transfers, duration, blocks;

    if (current == NULL || (unsigned)metric >= DSM_MAX || metrics[metric].kind == NOTHING)
        return -1;
    part = (enum part)metrics[metric].part;
    bytes = devstat_compute_bytes_of(current, part) - devstat_compute_bytes_of(before, part);
    transfers =
        devstat_compute_transfers_of(current, part) - devstat_compute_transfers_of(before, part);
    duration =
        devstat_compute_duration_of(current, part) - devstat_compute_duration_of(before, part);
    blocks = bytes / (current->block_size != 0 ? current->block_size : 512);
    switch ((enum kind)metrics[metric].kind) {
    case BYTES:
        *out = devstat_compute_whole(bytes);
        break;
    case TRANSFERS:
        *out = devstat_compute_whole(transfers);
        break;
    case BLOCKS:
        *out = devstat_compute_whole(blocks);
        break;
    case QUEUE_LENGTH:
        *out = devstat_compute_whole((uint64_t)(current->busy_count > 0 ? current->busy_count : 0));
        break;
    case KB_PER_TRANSFER:
        *out = devstat_compute_quotient(bytes, 1, transfers, KB);
        break;
    case TRANSFERS_PER_SECOND:
        *out = devstat_compute_rate(transfers, elapsed_ns, 1);
        break;
    case MB_PER_SECOND:
        *out = devstat_compute_rate(bytes, elapsed_ns, MB);
        break;
    case BLOCKS_PER_SECOND:
        *out = devstat_compute_rate(blocks, elapsed_ns, 1);
        break;
    case MS_PER_TRANSACTION:
        *out = devstat_compute_quotient(duration, 1, transfers, NS_PER_MS);
        break;
    case DURATION:
        *out = devstat_compute_quotient(duration, 1, 1, NS_PER_SECOND);
        break;
    case BUSY_PERCENT:
        *out = devstat_compute_quotient(devstat_compute_busy_of(current, previous), 100, elapsed_ns,
                                        1);
        break;
    case BUSY_TIME:
        *out = devstat_compute_quotient(devstat_compute_busy_of(current, previous), 1, 1,
                                        NS_PER_SECOND);
        break;
    case NOTHING:
    default:
        return -1;
    }
    return 0;
}

uint64_t devstat_value_scaled(const struct devstat_value *value, unsigned decimals)
{
    return fraction_round(value->count, value->times * (value->rate ? NS_PER_SECOND : 1),
                          fraction_power(decimals), value->by, value->over);
}

uint64_t devstat_metric_scaled(const struct devstat *current, const struct devstat *previous,
                               uint64_t elapsed_ns, devstat_metric metric, unsigned decimals)
{
    struct devstat_value value;

    if (devstat_compute(current, previous, elapsed_ns, metric, &value) != 0)
        return 0;
    return devstat_value_scaled(&value, decimals);
}
