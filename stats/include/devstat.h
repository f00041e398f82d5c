/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading device statistics, devstat(3): all devices at a moment, those of them that are wanted,
 * and what they did between two moments.
 *
 * The kvm argument of the classic calls is for reading crash dumps, which there are none of: NULL.
 * Calls that fail return -1 and leave a sentence in devstat_errbuf. The one call that computes with
 * long double, devstat_compute_statistics, is for programs: where there is no floating point use
 * stats/read/devstat_compute.h, which it is made of.
 */
#ifndef _DEVSTAT_H_
#define _DEVSTAT_H_

#include <sys/devicestat.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DEVSTAT_ERRBUF_SIZE 256
extern char devstat_errbuf[DEVSTAT_ERRBUF_SIZE];

typedef enum {
    DEVSTAT_MATCH_NONE = 0x00,
    DEVSTAT_MATCH_TYPE = 0x01,
    DEVSTAT_MATCH_IF = 0x02,
    DEVSTAT_MATCH_PASS = 0x04
} devstat_match_flags;

struct devstat_match {
    devstat_match_flags match_fields;
    devstat_type_flags device_type;
    int num_match_categories;
};

struct devstat_match_table {
    const char *match_str;
    devstat_type_flags type;
    devstat_match_flags match_field;
};
extern const struct devstat_match_table match_table[]; /* ends with a NULL */

struct device_selection {
    u_int32_t device_number;
    char device_name[DEVSTAT_NAME_LEN];
    int unit_number;
    int selected; /* 0, or its place among those selected, from 1 */
    u_int64_t bytes;
    int position; /* in the list of devices */
};

/* As filled by devstat_getdevs: begins zeroed, freed by devstat_freedevs. */
struct devinfo {
    struct devstat *devices;
    u_int8_t *mem_ptr;
    size_t mem_size;
    long generation;
    int numdevs;
};

#define CPUSTATES 5 /* user, nice, system, interrupt, idle */
struct statinfo {
    long cp_time[CPUSTATES]; /* the caller's */
    long tk_nin;
    long tk_nout;
    struct devinfo *dinfo;
#if __STDC_HOSTED__
    long double snap_time; /* seconds since start-up */
#endif
    uint64_t snap_ns;
    struct timeval busy_time; /* the same, by its name of 1998 */
};

/* Sets the other forms of snap_ns. */
static __inline void devstat_set_snap_time(struct statinfo *stats)
{
    stats->busy_time.tv_sec = (__typeof__(stats->busy_time.tv_sec))(stats->snap_ns / 1000000000);
    stats->busy_time.tv_usec =
        (__typeof__(stats->busy_time.tv_usec))(stats->snap_ns % 1000000000 / 1000);
#if __STDC_HOSTED__
    stats->snap_time = (long double)stats->snap_ns / 1000000000;
#endif
}

typedef enum {
    DS_SELECT_ADD,
    DS_SELECT_ONLY,
    DS_SELECT_REMOVE,
    DS_SELECT_ADDONLY
} devstat_select_mode;

typedef enum {
    DSM_NONE,
    DSM_TOTAL_BYTES,
    DSM_TOTAL_BYTES_READ,
    DSM_TOTAL_BYTES_WRITE,
    DSM_TOTAL_TRANSFERS,
    DSM_TOTAL_TRANSFERS_READ,
    DSM_TOTAL_TRANSFERS_WRITE,
    DSM_TOTAL_TRANSFERS_OTHER,
    DSM_TOTAL_BLOCKS,
    DSM_TOTAL_BLOCKS_READ,
    DSM_TOTAL_BLOCKS_WRITE,
    DSM_KB_PER_TRANSFER,
    DSM_KB_PER_TRANSFER_READ,
    DSM_KB_PER_TRANSFER_WRITE,
    DSM_TRANSFERS_PER_SECOND,
    DSM_TRANSFERS_PER_SECOND_READ,
    DSM_TRANSFERS_PER_SECOND_WRITE,
    DSM_TRANSFERS_PER_SECOND_OTHER,
    DSM_MB_PER_SECOND,
    DSM_MB_PER_SECOND_READ,
    DSM_MB_PER_SECOND_WRITE,
    DSM_BLOCKS_PER_SECOND,
    DSM_BLOCKS_PER_SECOND_READ,
    DSM_BLOCKS_PER_SECOND_WRITE,
    DSM_MS_PER_TRANSACTION,
    DSM_MS_PER_TRANSACTION_READ,
    DSM_MS_PER_TRANSACTION_WRITE,
    DSM_SKIP,
    DSM_TOTAL_BYTES_FREE,
    DSM_TOTAL_TRANSFERS_FREE,
    DSM_TOTAL_BLOCKS_FREE,
    DSM_KB_PER_TRANSFER_FREE,
    DSM_MB_PER_SECOND_FREE,
    DSM_TRANSFERS_PER_SECOND_FREE,
    DSM_BLOCKS_PER_SECOND_FREE,
    DSM_MS_PER_TRANSACTION_OTHER,
    DSM_MS_PER_TRANSACTION_FREE,
    DSM_BUSY_PCT,
    DSM_QUEUE_LENGTH,
    DSM_TOTAL_DURATION,
    DSM_TOTAL_DURATION_READ,
    DSM_TOTAL_DURATION_WRITE,
    DSM_TOTAL_DURATION_FREE,
    DSM_TOTAL_DURATION_OTHER,
    DSM_TOTAL_BUSY_TIME,
    DSM_MAX
} devstat_metric;

struct __kvm;
typedef struct __kvm kvm_t;

int devstat_getnumdevs(kvm_t *kd);
long devstat_getgeneration(kvm_t *kd);
int devstat_getversion(kvm_t *kd);
/* 0 if this header and the kernel agree, else -1. */
int devstat_checkversion(kvm_t *kd);
/* Reads all devices into stats->dinfo: 0, 1 if the list is another than in the call before (so
 * selections are to be made again), -1. */
int devstat_getdevs(kvm_t *kd, struct statinfo *stats);
/* Gives back what the calls above put into DINFO. */
void devstat_freedevs(struct devinfo *dinfo);

/*
 * Parses up to three words separated by commas, one of each category, such as "da,scsi", and adds
 * them to *matches, whose memory it takes anew: devstat_freematches. Words may be shortened.
 */
int devstat_buildmatch(char *match_str, struct devstat_match **matches, int *num_matches);
void devstat_freematches(struct devstat_match *matches, int num_matches);

/*
 * Selects devices, so that at most MAXSHOWDEVS are: those that are named ("da0"), then those that a
 * match fits. DS_SELECT_ADD adds them to what is selected and fills up from the head of the list;
 * DS_SELECT_ADDONLY does not fill up; DS_SELECT_ONLY deselects all others; DS_SELECT_REMOVE
 * deselects these. PERF_SELECT fills up with those first that moved most bytes. Returns -1, 0, or 1
 * if what is selected changed. *dev_select begins NULL.
 */
int devstat_selectdevs(struct device_selection **dev_select, int *num_selected, int *num_selections,
                       long *select_generation, long current_generation, struct devstat *devices,
                       int numdevs, struct devstat_match *matches, int num_matches,
                       char **dev_selections, int num_dev_selections,
                       devstat_select_mode select_mode, int maxshowdevs, int perf_select);
void devstat_freeselections(struct device_selection *dev_select, int num_selections);

#if __STDC_HOSTED__
/*
 * For each metric, and the pointer after it, until DSM_NONE: what CURRENT did since PREVIOUS (NULL:
 * since it was created), in etime seconds. Pointers are to u_int64_t for totals of bytes, transfers
 * and blocks and for DSM_QUEUE_LENGTH, to long double for all others. -1 for a NULL current or a
 * metric that there is not.
 */
int devstat_compute_statistics(struct devstat *current, struct devstat *previous, long double etime,
                               ...);
/* Seconds from PREV (NULL: 0) to CUR. */
long double devstat_compute_etime(const struct timeval *cur, const struct timeval *prev);

/*
 * The same by the names of 1998 (FreeBSD 3 and 4), for programs of that time. Time per transaction,
 * which could not be measured then, is measured. In compute_stats a NULL pointer is left out. A
 * program that has functions of such names itself keeps them: it defines DEVSTAT_NOT_1998 before
 * it includes this.
 */
#ifndef DEVSTAT_NOT_1998
int getnumdevs(void);
long getgeneration(void);
int getversion(void);
int checkversion(void);
int getdevs(struct statinfo *stats);
int selectdevs(struct device_selection **dev_select, int *num_selected, int *num_selections,
               long *select_generation, long current_generation, struct devstat *devices,
               int numdevs, struct devstat_match *matches, int num_matches, char **dev_selections,
               int num_dev_selections, devstat_select_mode select_mode, int maxshowdevs,
               int perf_select);
int buildmatch(char *match_str, struct devstat_match **matches, int *num_matches);
int compute_stats(struct devstat *current, struct devstat *previous, long double etime,
                  u_int64_t *total_bytes, u_int64_t *total_transfers, u_int64_t *total_blocks,
                  long double *kb_per_transfer, long double *transfers_per_second,
                  long double *mb_per_second, long double *blocks_per_second,
                  long double *ms_per_transaction);
long double compute_etime(struct timeval cur_time, struct timeval prev_time);
#endif
#endif

#ifdef __cplusplus
}
#endif

#endif
