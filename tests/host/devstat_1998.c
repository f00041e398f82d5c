/* SPDX-License-Identifier: BSD-2-Clause */
/* libdevstat by the names of 1998: each does what its newer name does, and statinfo has busy_time.
 */
#include <devstat.h>

#include "tests/host/test.h"

#include <quipu_host.h>
#include <string.h>

#define SECOND          UINT64_C(1000000000)
#define CHECK_INT(a, b) CHECK((a) == (b))

TEST(devstat_1998_signatures)
{
    int (*numdevs)(void) = getnumdevs;
    long (*generation)(void) = getgeneration;
    int (*version)(void) = getversion;
    int (*check)(void) = checkversion;
    int (*get)(struct statinfo *) = getdevs;
    int (*select)(struct device_selection **, int *, int *, long *, long, struct devstat *, int,
                  struct devstat_match *, int, char **, int, devstat_select_mode, int, int) =
        selectdevs;
    int (*build)(char *, struct devstat_match **, int *) = buildmatch;
    int (*compute)(struct devstat *, struct devstat *, long double, u_int64_t *, u_int64_t *,
                   u_int64_t *, long double *, long double *, long double *, long double *,
                   long double *) = compute_stats;
    long double (*etime)(struct timeval, struct timeval) = compute_etime;

    CHECK(numdevs != NULL && generation != NULL && version != NULL && check != NULL);
    CHECK(get != NULL && select != NULL && build != NULL && compute != NULL && etime != NULL);
}

/* What an iostat of 1998 does: two readings, the time between by compute_etime, the disks by
 * selectdevs, and compute_stats on each. */
TEST(devstat_1998_program)
{
    static struct devstat da = {.device_number = 0}, cd = {.device_number = 0};
    struct devinfo first = {.numdevs = 0}, second = {.numdevs = 0};
    struct statinfo last = {.dinfo = &first}, cur = {.dinfo = &second};
    struct device_selection *chosen = NULL;
    struct devstat_match *matches = NULL;
    int selected = 0, selections = 0, count = 0, before = getnumdevs();
    long generation = 0, begun = getgeneration();
    u_int64_t bytes = 0, transfers = 0, blocks = 0;
    long double kb = 0, tps = 0, mb = 0, bps = 0, ms = 0, seconds;
    char type[] = "da,scsi";

    devstat_add_entry(&da, "da", 7, 512, DEVSTAT_ALL_SUPPORTED,
                      DEVSTAT_TYPE_DIRECT | DEVSTAT_TYPE_IF_SCSI, DEVSTAT_PRIORITY_MAX);
    devstat_add_entry(&cd, "cd", 7, 2048, DEVSTAT_ALL_SUPPORTED,
                      DEVSTAT_TYPE_CDROM | DEVSTAT_TYPE_IF_SCSI, DEVSTAT_PRIORITY_CD);
    CHECK_INT(getnumdevs(), before + 2);
    CHECK_INT(getgeneration(), begun + 2);
    CHECK(getversion() == DEVSTAT_VERSION && checkversion() == 0);
    CHECK_INT(getdevs(&last), 1);
    devstat_start_transaction_at(&da, 10 * SECOND);
    devstat_end_transaction_at(&da, 8192, DEVSTAT_TAG_SIMPLE, DEVSTAT_READ, 10 * SECOND + 30000000,
                               10 * SECOND);
    CHECK_INT(getdevs(&cur), 1);
    CHECK_INT(getdevs(&cur), 0);
    CHECK((uint64_t)cur.busy_time.tv_sec == cur.snap_ns / SECOND);
    CHECK((uint64_t)cur.busy_time.tv_usec == cur.snap_ns % SECOND / 1000);
    seconds = compute_etime(cur.busy_time, last.busy_time);
    CHECK(seconds >= 0 && seconds <= (long double)cur.snap_time);
    CHECK(compute_etime((struct timeval){12, 250000}, (struct timeval){9, 750000}) == 2.5L);
    CHECK_INT(buildmatch(type, &matches, &count), 0);
    CHECK(selectdevs(&chosen, &selected, &selections, &generation, second.generation,
                     second.devices, second.numdevs, matches, count, NULL, 0, DS_SELECT_ONLY, 9,
                     0) == 1);
    CHECK(selected == 1 && chosen[0].selected == 1 && strcmp(chosen[0].device_name, "da") == 0);
    CHECK_INT(compute_stats(&second.devices[0], &first.devices[0], 2.0L, &bytes, &transfers,
                            &blocks, &kb, &tps, &mb, &bps, &ms),
              0);
    CHECK(bytes == 8192 && transfers == 1 && blocks == 16 && kb == 8 && tps == 0.5L);
    CHECK(mb == 8192.0L / 1048576 / 2 && bps == 8 && ms == 30);
    CHECK_INT(compute_stats(&second.devices[0], NULL, 2.0L, NULL, NULL, NULL, NULL, NULL, NULL,
                            NULL, NULL),
              0);
    CHECK_INT(compute_stats(NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), -1);
    devstat_freeselections(chosen, selections);
    devstat_freematches(matches, count);
    devstat_freedevs(&first);
    devstat_freedevs(&second);
    devstat_remove_entry(&da);
    devstat_remove_entry(&cd);
}
