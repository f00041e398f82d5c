/* SPDX-License-Identifier: BSD-2-Clause */
/* devstat(3): what devstat_compute_statistics makes of two records that are made here, and (with a
 * word) what there is of a device of that name. */
#include <devstat.h>
#include <stdio.h>
#include <string.h>

static void records(void)
{
    static struct devstat before, after;
    u_int64_t bytes, reads, blocks, queue;
    long double kb, tps, mb, ms_read, ms_write, busy, duration;

    before.block_size = after.block_size = 512;
    before.bytes_read = 1000;
    after.bytes_read = 1000 + 3 * 65536;
    before.num_reads = 7;
    after.num_reads = 10;
    after.bytes_written = 8192;
    after.num_writes = 1;
    after.duration_ns[DEVSTAT_READ] = 6000000;
    after.duration_ns[DEVSTAT_WRITE] = 1500000;
    before.busy_ns = 250000000;
    after.busy_ns = 750000000;
    after.busy_count = 2;
    if (devstat_compute_statistics(
            &after, &before, 2.5L, DSM_TOTAL_BYTES, &bytes, DSM_TOTAL_TRANSFERS_READ, &reads,
            DSM_TOTAL_BLOCKS, &blocks, DSM_QUEUE_LENGTH, &queue, DSM_KB_PER_TRANSFER, &kb, DSM_SKIP,
            NULL, DSM_TRANSFERS_PER_SECOND, &tps, DSM_MB_PER_SECOND, &mb,
            DSM_MS_PER_TRANSACTION_READ, &ms_read, DSM_MS_PER_TRANSACTION_WRITE, &ms_write,
            DSM_BUSY_PCT, &busy, DSM_TOTAL_DURATION, &duration, DSM_NONE) != 0)
        printf("%s\n", devstat_errbuf);
    printf("%llu %llu %llu %llu %.6Lf %.6Lf %.6Lf %.6Lf %.6Lf %.6Lf %.6Lf\n",
           (unsigned long long)bytes, (unsigned long long)reads, (unsigned long long)blocks,
           (unsigned long long)queue, kb, tps, mb, ms_read, ms_write, busy, duration);
    printf("%d %d\n", devstat_compute_statistics(NULL, NULL, 1, DSM_NONE),
           devstat_compute_statistics(&after, NULL, 1, DSM_MAX, &bytes, DSM_NONE));
}

static int device(const char *wanted)
{
    static struct devinfo devices;
    static struct statinfo now = {.dinfo = &devices};

    if (devstat_checkversion(NULL) != 0 || devstat_getdevs(NULL, &now) != 1 ||
        devstat_getdevs(NULL, &now) != 0 || devices.numdevs != devstat_getnumdevs(NULL) ||
        devices.generation != devstat_getgeneration(NULL))
        return 1;
    if (checkversion() != 0 || getdevs(&now) != 0 || devices.numdevs != getnumdevs() ||
        devices.generation != getgeneration() || now.busy_time.tv_sec != (long)now.snap_time)
        return 1;
    for (int i = 0; i < devices.numdevs; i++) {
        struct devstat *each = &devices.devices[i];
        char name[DEVSTAT_NAME_LEN + 12];
        u_int64_t read, written, reads, writes;

        snprintf(name, sizeof name, "%s%d", each->device_name, each->unit_number);
        if (strcmp(name, wanted) != 0)
            continue;
        devstat_compute_statistics(each, NULL, now.snap_time, DSM_TOTAL_BYTES_READ, &read,
                                   DSM_TOTAL_BYTES_WRITE, &written, DSM_TOTAL_TRANSFERS_READ,
                                   &reads, DSM_TOTAL_TRANSFERS_WRITE, &writes, DSM_NONE);
        printf("%llu %llu %llu %llu\n", (unsigned long long)read, (unsigned long long)written,
               (unsigned long long)reads, (unsigned long long)writes);
    }
    devstat_freedevs(&devices);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return device(argv[1]);
    records();
    return 0;
}
