/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of <devstat.h> by their names of 1998, for programs. Weak, as they are such as a
 * program may well have of its own. */
#include <devstat.h>

#define WEAK __attribute__((weak))

WEAK int getnumdevs(void)
{
    return devstat_getnumdevs(NULL);
}

WEAK long getgeneration(void)
{
    return devstat_getgeneration(NULL);
}

WEAK int getversion(void)
{
    return devstat_getversion(NULL);
}

WEAK int checkversion(void)
{
    return devstat_checkversion(NULL);
}

WEAK int getdevs(struct statinfo *stats)
{
    return devstat_getdevs(NULL, stats);
}

WEAK int selectdevs(struct device_selection **dev_select, int *num_selected, int *num_selections,
                    long *select_generation, long current_generation, struct devstat *devices,
                    int numdevs, struct devstat_match *matches, int num_matches,
                    char **dev_selections, int num_dev_selections, devstat_select_mode select_mode,
                    int maxshowdevs, int perf_select)
{
    return devstat_selectdevs(dev_select, num_selected, num_selections, select_generation,
                              current_generation, devices, numdevs, matches, num_matches,
                              dev_selections, num_dev_selections, select_mode, maxshowdevs,
                              perf_select);
}

WEAK int buildmatch(char *match_str, struct devstat_match **matches, int *num_matches)
{
    return devstat_buildmatch(match_str, matches, num_matches);
}

/* METRIC, if there is where to put it. */
static int devstat_1998_compute_into(struct devstat *current, struct devstat *previous,
                                     long double etime, devstat_metric metric, void *destination)
{
    if (destination == NULL)
        return 0;
    return devstat_compute_statistics(current, previous, etime, metric, destination, DSM_NONE);
}

WEAK int compute_stats(struct devstat *current, struct devstat *previous, long double etime,
                       u_int64_t *total_bytes, u_int64_t *total_transfers, u_int64_t *total_blocks,
                       long double *kb_per_transfer, long double *transfers_per_second,
                       long double *mb_per_second, long double *blocks_per_second,
                       long double *ms_per_transaction)
{
    const struct {
        devstat_metric metric;
        void *destination;
    } wanted[] = {
        {DSM_TOTAL_BYTES, total_bytes},
        {DSM_TOTAL_TRANSFERS, total_transfers},
        {DSM_TOTAL_BLOCKS, total_blocks},
        {DSM_KB_PER_TRANSFER, kb_per_transfer},
        {DSM_TRANSFERS_PER_SECOND, transfers_per_second},
        {DSM_MB_PER_SECOND, mb_per_second},
        {DSM_BLOCKS_PER_SECOND, blocks_per_second},
        {DSM_MS_PER_TRANSACTION, ms_per_transaction},
    };
    int result = devstat_compute_statistics(current, previous, etime, DSM_NONE);

    for (unsigned at = 0; result == 0 && at < sizeof wanted / sizeof wanted[0]; at++)
        result = devstat_1998_compute_into(current, previous, etime, wanted[at].metric,
                                           wanted[at].destination);
    return result;
}

WEAK long double compute_etime(struct timeval cur_time, struct timeval prev_time)
{
    return devstat_compute_etime(&cur_time, &prev_time);
}
