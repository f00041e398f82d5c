/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every name of devstat(9) of 1998 and kstat(3K) of SunOS 5.6, with its value or its type: a
 * program written against those pages compiles. What the calls do is tested elsewhere.
 */
#include <devstat.h>
#include <kstat.h>
#include <sys/bio.h>
#include <sys/devicestat.h>
#include <sys/kstat.h>

#include "tests/host/test.h"

#include <stddef.h>

#define VALUE(name, value) _Static_assert((name) == (value), #name)

VALUE(DEVSTAT_TYPE_DIRECT, 0x000);
VALUE(DEVSTAT_TYPE_SEQUENTIAL, 0x001);
VALUE(DEVSTAT_TYPE_PRINTER, 0x002);
VALUE(DEVSTAT_TYPE_PROCESSOR, 0x003);
VALUE(DEVSTAT_TYPE_WORM, 0x004);
VALUE(DEVSTAT_TYPE_CDROM, 0x005);
VALUE(DEVSTAT_TYPE_SCANNER, 0x006);
VALUE(DEVSTAT_TYPE_OPTICAL, 0x007);
VALUE(DEVSTAT_TYPE_CHANGER, 0x008);
VALUE(DEVSTAT_TYPE_COMM, 0x009);
VALUE(DEVSTAT_TYPE_ASC0, 0x00a);
VALUE(DEVSTAT_TYPE_ASC1, 0x00b);
VALUE(DEVSTAT_TYPE_STORARRAY, 0x00c);
VALUE(DEVSTAT_TYPE_ENCLOSURE, 0x00d);
VALUE(DEVSTAT_TYPE_FLOPPY, 0x00e);
VALUE(DEVSTAT_TYPE_MASK, 0x00f);
VALUE(DEVSTAT_TYPE_IF_SCSI, 0x010);
VALUE(DEVSTAT_TYPE_IF_IDE, 0x020);
VALUE(DEVSTAT_TYPE_IF_OTHER, 0x030);
VALUE(DEVSTAT_TYPE_IF_MASK, 0x0f0);
VALUE(DEVSTAT_TYPE_PASS, 0x100);
VALUE(DEVSTAT_PRIORITY_MIN, 0x000);
VALUE(DEVSTAT_PRIORITY_OTHER, 0x020);
VALUE(DEVSTAT_PRIORITY_PASS, 0x030);
VALUE(DEVSTAT_PRIORITY_FD, 0x040);
VALUE(DEVSTAT_PRIORITY_WFD, 0x050);
VALUE(DEVSTAT_PRIORITY_TAPE, 0x060);
VALUE(DEVSTAT_PRIORITY_CD, 0x090);
VALUE(DEVSTAT_PRIORITY_DISK, 0x110);
VALUE(DEVSTAT_PRIORITY_ARRAY, 0x120);
VALUE(DEVSTAT_PRIORITY_MAX, 0xfff);
VALUE(DEVSTAT_NO_DATA, 0);
VALUE(DEVSTAT_READ, 1);
VALUE(DEVSTAT_WRITE, 2);
VALUE(DEVSTAT_FREE, 3);
VALUE(DEVSTAT_TAG_SIMPLE, 0);
VALUE(DEVSTAT_TAG_HEAD, 1);
VALUE(DEVSTAT_TAG_ORDERED, 2);
VALUE(DEVSTAT_TAG_NONE, 3);
VALUE(DEVSTAT_ALL_SUPPORTED, 0);
VALUE(DEVSTAT_NO_BLOCKSIZE, 1);
VALUE(DEVSTAT_NO_ORDERED_TAGS, 2);
VALUE(DEVSTAT_BS_UNAVAILABLE, 4);
VALUE(DEVSTAT_VERSION, 6);

VALUE(KSTAT_TYPE_RAW, 0);
VALUE(KSTAT_TYPE_NAMED, 1);
VALUE(KSTAT_TYPE_INTR, 2);
VALUE(KSTAT_TYPE_IO, 3);
VALUE(KSTAT_TYPE_TIMER, 4);
VALUE(KSTAT_DATA_CHAR, 0);
VALUE(KSTAT_DATA_INT32, 1);
VALUE(KSTAT_DATA_UINT32, 2);
VALUE(KSTAT_DATA_INT64, 3);
VALUE(KSTAT_DATA_UINT64, 4);
VALUE(KSTAT_DATA_LONG, 1);
VALUE(KSTAT_DATA_ULONG, 2);
VALUE(KSTAT_DATA_LONGLONG, 3);
VALUE(KSTAT_DATA_ULONGLONG, 4);
VALUE(KSTAT_DATA_FLOAT, 5);
VALUE(KSTAT_DATA_DOUBLE, 6);
VALUE(KSTAT_DATA_STRING, 9);
VALUE(KSTAT_INTR_HARD, 0);
VALUE(KSTAT_INTR_SOFT, 1);
VALUE(KSTAT_INTR_WATCHDOG, 2);
VALUE(KSTAT_INTR_SPURIOUS, 3);
VALUE(KSTAT_INTR_MULTSVC, 4);
VALUE(KSTAT_NUM_INTRS, 5);
VALUE(KSTAT_FLAG_VIRTUAL, 0x01);
VALUE(KSTAT_FLAG_VAR_SIZE, 0x02);
VALUE(KSTAT_FLAG_WRITABLE, 0x04);
VALUE(KSTAT_FLAG_PERSISTENT, 0x08);
VALUE(KSTAT_FLAG_DORMANT, 0x10);
VALUE(KSTAT_FLAG_INVALID, 0x20);

#define TYPE(structure, field, type)                                                               \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((structure *)0)->field), type), #field)

TYPE(struct devstat, device_number, u_int32_t);
TYPE(struct devstat, device_name, char[DEVSTAT_NAME_LEN]);
TYPE(struct devstat, unit_number, int);
TYPE(struct devstat, bytes_written, u_int64_t);
TYPE(struct devstat, bytes_read, u_int64_t);
TYPE(struct devstat, bytes_freed, u_int64_t);
TYPE(struct devstat, num_reads, u_int64_t);
TYPE(struct devstat, num_writes, u_int64_t);
TYPE(struct devstat, num_frees, u_int64_t);
TYPE(struct devstat, num_other, u_int64_t);
TYPE(struct devstat, busy_count, int32_t);
TYPE(struct devstat, block_size, u_int32_t);
TYPE(struct devstat, tag_types, u_int64_t[3]);
TYPE(struct devstat, dev_creation_time, struct timeval);
TYPE(struct devstat, busy_time, struct timeval);
TYPE(struct devstat, start_time, struct timeval);
TYPE(struct devstat, last_comp_time, struct timeval);
TYPE(struct devstat, flags, devstat_support_flags);
TYPE(struct devstat, device_type, devstat_type_flags);
TYPE(struct devstat, priority, devstat_priority);

TYPE(kstat_t, ks_crtime, hrtime_t);
TYPE(kstat_t, ks_next, struct kstat *);
TYPE(kstat_t, ks_kid, kid_t);
TYPE(kstat_t, ks_module, char[KSTAT_STRLEN]);
TYPE(kstat_t, ks_resv, uchar_t);
TYPE(kstat_t, ks_instance, int);
TYPE(kstat_t, ks_name, char[KSTAT_STRLEN]);
TYPE(kstat_t, ks_type, uchar_t);
TYPE(kstat_t, ks_class, char[KSTAT_STRLEN]);
TYPE(kstat_t, ks_flags, uchar_t);
TYPE(kstat_t, ks_data, void *);
TYPE(kstat_t, ks_ndata, uint_t);
TYPE(kstat_t, ks_data_size, size_t);
TYPE(kstat_t, ks_snaptime, hrtime_t);
TYPE(kstat_t, ks_private, void *);
TYPE(kstat_t, ks_lock, void *);
TYPE(kstat_named_t, value.c, char[16]);
TYPE(kstat_named_t, value.i32, int32_t);
TYPE(kstat_named_t, value.ui32, uint32_t);
TYPE(kstat_named_t, value.i64, int64_t);
TYPE(kstat_named_t, value.ui64, uint64_t);
TYPE(kstat_named_t, value.l, int32_t);
TYPE(kstat_named_t, value.ul, uint32_t);
TYPE(kstat_named_t, value.ll, int64_t);
TYPE(kstat_named_t, value.ull, uint64_t);
TYPE(kstat_intr_t, intrs, uint_t[KSTAT_NUM_INTRS]);
TYPE(kstat_timer_t, resv, uchar_t);
TYPE(kstat_timer_t, num_events, u_longlong_t);
TYPE(kstat_timer_t, stop_time, hrtime_t);
TYPE(kstat_io_t, nread, u_longlong_t);
TYPE(kstat_io_t, nwritten, u_longlong_t);
TYPE(kstat_io_t, reads, uint_t);
TYPE(kstat_io_t, writes, uint_t);
TYPE(kstat_io_t, wlastupdate, hrtime_t);
TYPE(kstat_io_t, rlastupdate, hrtime_t);
TYPE(kstat_io_t, wcnt, uint_t);
TYPE(kstat_io_t, rcnt, uint_t);
TYPE(kstat_ctl_t, kc_chain_id, kid_t);
TYPE(kstat_ctl_t, kc_chain, kstat_t *);
TYPE(kstat_ctl_t, kc_kd, int);
_Static_assert(__builtin_types_compatible_p(kid_t, int), "as in SunOS 5.6");

TEST(classic_signatures)
{
    void (*add)(struct devstat *, const char *, int, u_int32_t, devstat_support_flags,
                devstat_type_flags, devstat_priority) = devstat_add_entry;
    void (*gone)(struct devstat *) = devstat_remove_entry;
    void (*start)(struct devstat *) = devstat_start_transaction;
    void (*end)(struct devstat *, u_int32_t, devstat_tag_type, devstat_trans_flags) =
        devstat_end_transaction;
    void (*end_bio)(struct devstat *, struct bio *) = devstat_end_transaction_bio;
    kstat_ctl_t *(*open)(void) = kstat_open;
    kid_t (*update)(kstat_ctl_t *) = kstat_chain_update;
    kid_t (*read)(kstat_ctl_t *, kstat_t *, void *) = kstat_read;

    CHECK(add != NULL && gone != NULL && start != NULL && end != NULL && end_bio != NULL);
    CHECK(open != NULL && update != NULL && read != NULL);
    CHECK(offsetof(kstat_t, ks_crtime) == 0);
    CHECK(offsetof(kstat_t, ks_crtime) < offsetof(kstat_t, ks_next));
    CHECK(offsetof(kstat_t, ks_name) < offsetof(kstat_t, ks_type));
    CHECK(offsetof(kstat_t, ks_data_size) < offsetof(kstat_t, ks_snaptime));
}
