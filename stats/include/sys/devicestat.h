/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Device statistics, devstat(9): the record that each device keeps of its transactions.
 *
 *     devstat_add_entry(&sc->stats, "da", 0, 512, DEVSTAT_ALL_SUPPORTED,
 *                       DEVSTAT_TYPE_DIRECT | DEVSTAT_TYPE_IF_IDE, DEVSTAT_PRIORITY_DISK);
 *     ...
 *     devstat_start_transaction(&sc->stats);
 *     devstat_end_transaction(&sc->stats, 4096, DEVSTAT_TAG_NONE, DEVSTAT_READ);
 *
 * There is one start and one end for each transaction. An end without a start is reported in the
 * log and counted (`devstat end without start`, and `unmatched_ends` of the device): its bytes and
 * operation count, the queue stays empty. A NULL device is ignored by every call.
 *
 * LOCKS. The calls are exact on any CPU and in any context: they take the lock of the statistics.
 * A driver that holds a lock of its own around every start and every end of a device may use the
 * _held calls for that device, which take none, and leave the classic times (busy_time, start_time,
 * last_comp_time) to the copies that devstat_copy makes. The two kinds are not mixed for one
 * device.
 *
 * TIME is nanoseconds since start-up. The calls of 1998 read the clock themselves and know no
 * duration; the _at calls are given the time, and the time of the start, if it is known.
 *
 * busy_time grows when the device goes idle, not before. Who wants it up to now extends a copy:
 * devstat_extend. Nothing is computed here: see <devstat.h>.
 *
 * READING. Every change raises sequence1, changes the fields, and raises sequence0. Who copies the
 * structure from front to back and finds the two unequal has a torn copy: devstat_copy tries again.
 */
#ifndef _SYS_DEVICESTAT_H_
#define _SYS_DEVICESTAT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/time.h>
#include <sys/types.h>
#include "stats/evcnt/histogram.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DEVSTAT_VERSION       6 /* of kern.devstat.all: FreeBSD's record, stats/devstat/devstat6.h */
#define DEVSTAT_QUIPU_VERSION 1  /* of kern.devstat.quipu.all: struct devstat */
#define DEVSTAT_NAME_LEN      16 /* with the NUL; longer names are cut */

typedef enum {
    DEVSTAT_NO_DATA = 0x00,
    DEVSTAT_READ = 0x01,
    DEVSTAT_WRITE = 0x02,
    DEVSTAT_FREE = 0x03
} devstat_trans_flags;
#define DEVSTAT_N_TRANS_FLAGS 4

typedef enum {
    DEVSTAT_TAG_SIMPLE = 0x00,
    DEVSTAT_TAG_HEAD = 0x01,
    DEVSTAT_TAG_ORDERED = 0x02,
    DEVSTAT_TAG_NONE = 0x03
} devstat_tag_type;

typedef enum {
    DEVSTAT_ALL_SUPPORTED = 0x00,
    DEVSTAT_NO_BLOCKSIZE = 0x01,
    DEVSTAT_NO_ORDERED_TAGS = 0x02, /* no tag is counted */
    DEVSTAT_BS_UNAVAILABLE = 0x04
} devstat_support_flags;

typedef enum {
    DEVSTAT_PRIORITY_MIN = 0x000,
    DEVSTAT_PRIORITY_OTHER = 0x020,
    DEVSTAT_PRIORITY_PASS = 0x030,
    DEVSTAT_PRIORITY_FD = 0x040,
    DEVSTAT_PRIORITY_WFD = 0x050,
    DEVSTAT_PRIORITY_TAPE = 0x060,
    DEVSTAT_PRIORITY_CD = 0x090,
    DEVSTAT_PRIORITY_DISK = 0x110,
    DEVSTAT_PRIORITY_ARRAY = 0x120,
    DEVSTAT_PRIORITY_MAX = 0xfff
} devstat_priority;

typedef enum {
    DEVSTAT_TYPE_DIRECT = 0x000,
    DEVSTAT_TYPE_SEQUENTIAL = 0x001,
    DEVSTAT_TYPE_PRINTER = 0x002,
    DEVSTAT_TYPE_PROCESSOR = 0x003,
    DEVSTAT_TYPE_WORM = 0x004,
    DEVSTAT_TYPE_CDROM = 0x005,
    DEVSTAT_TYPE_SCANNER = 0x006,
    DEVSTAT_TYPE_OPTICAL = 0x007,
    DEVSTAT_TYPE_CHANGER = 0x008,
    DEVSTAT_TYPE_COMM = 0x009,
    DEVSTAT_TYPE_ASC0 = 0x00a,
    DEVSTAT_TYPE_ASC1 = 0x00b,
    DEVSTAT_TYPE_STORARRAY = 0x00c,
    DEVSTAT_TYPE_ENCLOSURE = 0x00d,
    DEVSTAT_TYPE_FLOPPY = 0x00e,
    DEVSTAT_TYPE_MASK = 0x00f,
    DEVSTAT_TYPE_IF_SCSI = 0x010,
    DEVSTAT_TYPE_IF_IDE = 0x020,
    DEVSTAT_TYPE_IF_OTHER = 0x030,
    DEVSTAT_TYPE_IF_MASK = 0x0f0,
    DEVSTAT_TYPE_PASS = 0x100
} devstat_type_flags;

/*
 * Zeroed by its owner before it is added, and kept until it is removed. Written by the calls below
 * only. This is also the record of kern.devstat.quipu.all, byte for byte, in the machine's byte
 * order, where dev_links is 0; the offsets are checked in stats/devstat/devstat.c.
 */
struct devstat {
    u_int64_t sequence0;             /* changes that are complete */
    STAILQ_ENTRY(devstat) dev_links; /* the list; lock of the statistics */
    u_int32_t device_number;         /* one more for each device added, never used again */
    int unit_number;
    char device_name[DEVSTAT_NAME_LEN];
    u_int32_t block_size; /* 0: none, or not known */
    devstat_support_flags flags;
    devstat_type_flags device_type;
    devstat_priority priority;

    u_int64_t bytes_read;
    u_int64_t bytes_written;
    u_int64_t bytes_freed;
    u_int64_t num_reads;
    u_int64_t num_writes;
    u_int64_t num_frees;
    u_int64_t num_other;
    u_int64_t tag_types[3];           /* by devstat_tag_type */
    int32_t busy_count;               /* transactions begun and not ended; never below 0 */
    u_int32_t spare;                  /* 0 */
    struct timeval dev_creation_time; /* wall clock */
    struct timeval busy_time;         /* how long busy_count was not 0, until it last became 0 */
    struct timeval start_time;        /* since start-up, when busy_count last became 1 */
    struct timeval last_comp_time;    /* since start-up, when a transaction last ended */

    /* The same times to the nanosecond, and what the classic record lacks. */
    uint64_t creation_ns; /* since start-up */
    uint64_t busy_ns;
    uint64_t start_ns;
    uint64_t last_ns;
    uint64_t duration_ns[DEVSTAT_N_TRANS_FLAGS]; /* by devstat_trans_flags; of transactions whose
                                                    start was given */
    uint64_t unmatched_ends;  /* transactions that ended without having started */
    struct histogram service; /* ns that the device took; of who does not tell, durations */

    u_int64_t sequence1; /* changes begun */
};

struct bio;

/* Adds DS to the list: by priority, the highest first, equals in order of attachment. Thread
 * context. */
void devstat_add_entry(struct devstat *ds, const char *dev_name, int unit_number,
                       u_int32_t block_size, devstat_support_flags flags,
                       devstat_type_flags device_type, devstat_priority priority);
/* Takes it off; its figures stay as they are. What is not on the list is ignored, and said. */
void devstat_remove_entry(struct devstat *ds);

void devstat_start_transaction(struct devstat *ds);
void devstat_end_transaction(struct devstat *ds, u_int32_t bytes, devstat_tag_type tag_type,
                             devstat_trans_flags flags);
/* Takes everything from a bio that is ready for biodone(). */
void devstat_end_transaction_bio(struct devstat *ds, struct bio *bp);

#define DEVSTAT_NO_START UINT64_MAX /* as THEN: not known; adds no duration */

/* The same at the time NOW. THEN is when this transaction started; a THEN after NOW is a duration
 * of 0. */
void devstat_start_transaction_at(struct devstat *ds, uint64_t now);
void devstat_end_transaction_at(struct devstat *ds, u_int32_t bytes, devstat_tag_type tag_type,
                                devstat_trans_flags flags, uint64_t now, uint64_t then);
/* For callers that hold a lock of their own around all calls for DS. */
void devstat_start_transaction_held(struct devstat *ds, uint64_t now);
void devstat_end_transaction_held(struct devstat *ds, u_int32_t bytes, devstat_tag_type tag_type,
                                  devstat_trans_flags flags, uint64_t now, uint64_t then);

/*
 * A copy of DS, which may change meanwhile: 0, or -EAGAIN if it changed at every try; then OUT is
 * torn, and its sequences differ. Any context.
 */
int devstat_copy(struct devstat *out, const struct devstat *ds);
/* Whether a copy was torn. */
static __inline int devstat_torn(const struct devstat *copy)
{
    return copy->sequence0 != copy->sequence1;
}
/* Adds to a copy's busy_time what a busy device has been busy for by NOW. */
void devstat_extend(struct devstat *copy, uint64_t now);

/* kern.devstat.generation: 0 at first, one more for each device that comes or goes; .numdevs. */
long devstat_generation(void);
unsigned devstat_count(void);

/*
 * kern.devstat.quipu.all: the generation (a long), then a struct devstat for each device, in the
 * order of the list. Sets *size to the bytes it takes. -ENOMEM if they are more than CAPACITY (a
 * NULL buffer asks for the size: 0), -EBUSY if a device came or went meanwhile. Without devices it
 * is the generation alone. Thread context.
 */
int devstat_export(void *buffer, size_t capacity, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
