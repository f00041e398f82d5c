/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstat(9): statistics of the kernel under one name space, module:instance:name. The structures are
 * those of SunOS 5.6, with strings (KSTAT_DATA_STRING) beside them; all times are nanoseconds.
 * Below the structures are the calls of whoever keeps statistics; <kstat.h> is for who reads them.
 *
 * Everything but the queue and timer calls is for thread context, and may sleep.
 */
#ifndef _SYS_KSTAT_H_
#define _SYS_KSTAT_H_

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned char uchar_t;
typedef unsigned int uint_t;
typedef unsigned long ulong_t;
typedef long long longlong_t;
typedef unsigned long long u_longlong_t;
typedef longlong_t hrtime_t; /* nanoseconds */

typedef int kid_t; /* unique kstat id */

#define KSTAT_STRLEN 31 /* 30 characters and a NUL */

typedef struct kstat {
    /* for both kernel and readers */
    hrtime_t ks_crtime;           /* creation time: when what it counts began */
    struct kstat *ks_next;        /* kstat chain linkage */
    kid_t ks_kid;                 /* unique kstat ID */
    char ks_module[KSTAT_STRLEN]; /* module name */
    uchar_t ks_resv;              /* reserved */
    int ks_instance;              /* module's instance */
    char ks_name[KSTAT_STRLEN];   /* kstat name */
    uchar_t ks_type;              /* kstat data type */
    char ks_class[KSTAT_STRLEN];  /* kstat class */
    uchar_t ks_flags;             /* kstat flags */
    void *ks_data;                /* kstat type-specific data */
    uint_t ks_ndata;              /* number of data records */
    size_t ks_data_size;          /* size of kstat data section */
    hrtime_t ks_snaptime;         /* time of last data snapshot */
    /* for the kernel only */
    int (*ks_update)(struct kstat *, int);
    void *ks_private;
    int (*ks_snapshot)(struct kstat *, void *, int);
    void *ks_lock; /* a kmutex_t, held around ks_update and ks_snapshot */
} kstat_t;

/* ks_type */
#define KSTAT_TYPE_RAW   0 /* can be anything */
#define KSTAT_TYPE_NAMED 1 /* name/value pairs */
#define KSTAT_TYPE_INTR  2 /* interrupt statistics */
#define KSTAT_TYPE_IO    3 /* I/O statistics */
#define KSTAT_TYPE_TIMER 4 /* event timers */
#define KSTAT_NUM_TYPES  5

/* ks_flags */
#define KSTAT_FLAG_VIRTUAL  0x01 /* ks_data is its maker's business */
#define KSTAT_FLAG_VAR_SIZE 0x02 /* ks_ndata and ks_data_size change */
#define KSTAT_FLAG_WRITABLE 0x04
#define KSTAT_FLAG_PERSISTENT                                                                      \
    0x08 /* outlives kstat_delete, and is taken up again by kstat_create */
#define KSTAT_FLAG_DORMANT     0x10 /* it is between the two */
#define KSTAT_FLAG_INVALID     0x20 /* created, not installed */
#define KSTAT_FLAG_LONGSTRINGS 0x40 /* holds KSTAT_DATA_STRING: the strings follow the records */

/* What ks_update and ks_snapshot are asked to do. */
#define KSTAT_READ  0
#define KSTAT_WRITE 1

typedef struct kstat_named {
    char name[KSTAT_STRLEN]; /* name of counter */
    uchar_t data_type;       /* data type */
    union {
        char c[16]; /* not NUL-terminated if it has 16 characters */
        int32_t i32;
        uint32_t ui32;
        struct {
            union {
                char *ptr;
                char __pad[8];
            } addr;
            uint32_t len; /* with its NUL; 0 where ptr is NULL */
        } str;
        int64_t i64;
        uint64_t ui64;
        /* obsolete */
        int32_t l;
        uint32_t ul;
        int64_t ll;
        uint64_t ull;
        float f; /* nobody here makes one */
        double d;
    } value;
} kstat_named_t;

#define KSTAT_DATA_CHAR   0
#define KSTAT_DATA_INT32  1
#define KSTAT_DATA_UINT32 2
#define KSTAT_DATA_INT64  3
#define KSTAT_DATA_UINT64 4
#define KSTAT_DATA_STRING 9

/* obsolete */
#define KSTAT_DATA_LONG      1
#define KSTAT_DATA_ULONG     2
#define KSTAT_DATA_LONGLONG  3
#define KSTAT_DATA_ULONGLONG 4
#define KSTAT_DATA_FLOAT     5
#define KSTAT_DATA_DOUBLE    6

#define KSTAT_INTR_HARD     0 /* from the device itself */
#define KSTAT_INTR_SOFT     1 /* from the system */
#define KSTAT_INTR_WATCHDOG 2 /* from a periodic timer call */
#define KSTAT_INTR_SPURIOUS 3 /* entered, and there was nothing to do */
#define KSTAT_INTR_MULTSVC  4 /* found and served just before returning from another */
#define KSTAT_NUM_INTRS     5

typedef struct kstat_intr {
    uint_t intrs[KSTAT_NUM_INTRS]; /* interrupt counters */
} kstat_intr_t;

typedef struct kstat_timer {
    char name[KSTAT_STRLEN];
    uchar_t resv;
    u_longlong_t num_events;
    hrtime_t elapsed_time; /* cumulative elapsed time */
    hrtime_t min_time;     /* shortest event duration */
    hrtime_t max_time;     /* longest event duration */
    hrtime_t start_time;   /* previous event start time */
    hrtime_t stop_time;    /* previous event stop time */
} kstat_timer_t;

/*
 * Two queues: of what waits to be served and of what is being served. At each change the time since
 * the last change is added to the active time if the queue was not empty, and that time multiplied
 * by the length that the queue had is added to the length-time sum.
 */
typedef struct kstat_io {
    u_longlong_t nread;    /* bytes */
    u_longlong_t nwritten; /* bytes */
    uint_t reads;          /* operations */
    uint_t writes;         /* operations */
    hrtime_t wtime;        /* cumulative wait (pre-service) time */
    hrtime_t wlentime;     /* cumulative wait length*time product */
    hrtime_t wlastupdate;  /* last time wait queue changed */
    hrtime_t rtime;        /* cumulative run (service) time */
    hrtime_t rlentime;     /* cumulative run length*time product */
    hrtime_t rlastupdate;  /* last time run queue changed */
    uint_t wcnt;           /* elements in wait state */
    uint_t rcnt;           /* elements in run state */
} kstat_io_t;

#define KSTAT_NAMED_PTR(ksp)          ((kstat_named_t *)(ksp)->ks_data)
#define KSTAT_INTR_PTR(ksp)           ((kstat_intr_t *)(ksp)->ks_data)
#define KSTAT_IO_PTR(ksp)             ((kstat_io_t *)(ksp)->ks_data)
#define KSTAT_TIMER_PTR(ksp)          ((kstat_timer_t *)(ksp)->ks_data)
#define KSTAT_NAMED_STR_PTR(knptr)    ((knptr)->value.str.addr.ptr)
#define KSTAT_NAMED_STR_BUFLEN(knptr) ((knptr)->value.str.len)

/* --- keeping statistics ------------------------------------------------------------------------
 */

/* The chain id is 0 and unix:0:kstat_headers and unix:0:kstat_types exist. The first call of any
 * other function does it where nobody has; a second time changes nothing. */
void kstat_init(void);

/*
 * NULL, and a line in the log, if it is refused; else a kstat that readers do not see before
 * kstat_install. Its ks_data is zeroed memory for NDATA records, unless it is virtual, and may be
 * changed before that, and so may ks_update, ks_snapshot, ks_private, ks_lock, and ks_crtime where
 * counting began before this call. NAME NULL is
 * "<module><instance>". Strings are cut at 30 characters. A dormant kstat of that name is taken up
 * again, with the data that it had.
 */
kstat_t *kstat_create(const char *module, int instance, const char *name, const char *ks_class,
                      uchar_t type, uint_t ndata, uchar_t flags);
void kstat_install(kstat_t *ksp);
/*
 * No reader is in its ks_update or ks_snapshot any more when this returns. Not with ks_lock held,
 * and not from these two functions of its own. A persistent kstat becomes dormant.
 */
void kstat_delete(kstat_t *ksp);
void kstat_delete_byname(const char *module, int instance, const char *name);

void kstat_named_init(kstat_named_t *knp, const char *name, uchar_t data_type);
/* Refers to SRC, which must stay as it is, or NULL. Panics unless it is a KSTAT_DATA_STRING. */
void kstat_named_setstr(kstat_named_t *knp, const char *src);
/* Copies SRC into a field of KSTAT_STRLEN bytes: cut, and zeroes after it. */
void kstat_set_string(char *dst, const char *src);
void kstat_timer_init(kstat_timer_t *ktp, const char *name);

/* --- counting: any context; who has several callers at once holds a lock of his own ------------
 */

void kstat_timer_start(kstat_timer_t *ktp);
void kstat_timer_stop(kstat_timer_t *ktp);

/* Leaving an empty queue panics. With times that the caller took: "stats/kstat/kstat_queue.h". */
void kstat_waitq_enter(kstat_io_t *kiop);
void kstat_waitq_exit(kstat_io_t *kiop);
void kstat_runq_enter(kstat_io_t *kiop);
void kstat_runq_exit(kstat_io_t *kiop);
void kstat_waitq_to_runq(kstat_io_t *kiop);
void kstat_runq_back_to_waitq(kstat_io_t *kiop);

/* --- one interface for readers, inside the kernel and outside ----------------------------------
 */

#define KSTAT_IOC_BASE     ('K' << 8)
#define KSTAT_IOC_CHAIN_ID (KSTAT_IOC_BASE | 1)
#define KSTAT_IOC_READ     (KSTAT_IOC_BASE | 2)
#define KSTAT_IOC_WRITE    (KSTAT_IOC_BASE | 3)

/*
 * The current chain id, 0 or more, or a negative error number. Which kstat is meant is said by
 * KS's ks_kid; its data is ks_data_size bytes at ks_data.
 *
 * CHAIN_ID: only that; KS may be NULL.
 * READ: sets ks_ndata, ks_data_size, ks_flags and ks_snaptime, also if it fails after the kstat was
 *   found. -ENXIO: there is none; -EAGAIN: not installed, or memory is short; -ENOMEM: ks_data_size
 *   was too small; or what ks_update or ks_snapshot returned, as a positive number or a negative.
 * WRITE: -EPERM, -EFAULT (no data), -ENXIO, -EAGAIN, -EACCES (not writable), -EINVAL (ks_ndata,
 *   ks_data_size or a record's type differ, or a string is not within the data), or what ks_update
 * or ks_snapshot returned.
 */
int kstat_ioctl(int cmd, kstat_t *ks);

#ifdef __cplusplus
}
#endif

#endif
