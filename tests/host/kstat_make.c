/* SPDX-License-Identifier: BSD-2-Clause */
/* Creating, installing and deleting kstats: what is refused, KIDs and the chain id. */
#include <kstat.h>

#include "tests/host/kstat_check.h"

#include <errno.h>
#include <quipu_host.h>
#include <stdio.h>
#include <string.h>

#include "stats/kstat/kstat_values.h"
#include "stats/port.h"

static kid_t chain_id(void)
{
    return kstat_ioctl(KSTAT_IOC_CHAIN_ID, NULL);
}

static kstat_t *named(const char *name, uchar_t flags)
{
    return kstat_create("test", 0, name, "misc", KSTAT_TYPE_NAMED, 2, flags);
}

static void check_refused(uchar_t type, uint_t ndata, uchar_t flags, const char *why)
{
    kid_t before = chain_id();

    CHECK(kstat_create("test", 3, "refused", "misc", type, ndata, flags) == NULL);
    CHECK(strstr(host_log_last(), why) != NULL);
    CHECK(strstr(host_log_last(), "kstat_create(\"test\", 3, \"refused\")") != NULL);
    CHECK_IS(chain_id(), before);
}

TEST(kstat_sizes_are_those_of_sunos)
{
    CHECK_IS(sizeof(kid_t), 4);
    CHECK_IS(sizeof(kstat_named_t), 48);
    CHECK_IS(sizeof(kstat_intr_t), 20);
    CHECK_IS(sizeof(kstat_io_t), 80);
    CHECK_IS(sizeof(kstat_timer_t), 80);
    CHECK_IS(offsetof(kstat_t, ks_kid), 16);
    CHECK_IS(offsetof(kstat_t, ks_module), 20);
    CHECK_IS(offsetof(kstat_t, ks_instance), 52);
    CHECK_IS(offsetof(kstat_t, ks_name), 56);
    CHECK_IS(offsetof(kstat_t, ks_type), 87);
    CHECK_IS(offsetof(kstat_t, ks_flags), 119);
    CHECK_IS(offsetof(kstat_t, ks_data), 120);
    CHECK_IS(offsetof(kstat_t, ks_ndata), 128);
    CHECK_IS(offsetof(kstat_t, ks_snaptime), 144);
}

TEST(kstat_begins_with_headers_and_types)
{
    kstat_ctl_t *kc = kstat_open();
    kstat_t *ksp = kc->kc_chain;
    static const char *const names[] = {"raw", "name=value", "interrupt", "i/o", "event_timer"};

    CHECK_IS(kc->kc_chain_id, 2);
    CHECK_IS(ksp->ks_kid, 0);
    CHECK_TEXT(ksp->ks_module, "unix");
    CHECK_TEXT(ksp->ks_name, "kstat_headers");
    CHECK_TEXT(ksp->ks_class, "kstat");
    CHECK_IS(ksp->ks_type, KSTAT_TYPE_RAW);
    CHECK_IS(ksp->ks_flags, KSTAT_FLAG_VIRTUAL | KSTAT_FLAG_VAR_SIZE);
    ksp = ksp->ks_next;
    CHECK_IS(ksp->ks_kid, 1);
    CHECK_TEXT(ksp->ks_name, "kstat_types");
    CHECK(ksp->ks_next == NULL);
    CHECK_IS(kstat_read(kc, ksp, NULL), 2);
    CHECK_IS(ksp->ks_ndata, 5);
    for (unsigned i = 0; i < 5; i++) {
        CHECK_TEXT(KSTAT_NAMED_PTR(ksp)[i].name, names[i]);
        CHECK_IS(KSTAT_NAMED_PTR(ksp)[i].data_type, KSTAT_DATA_ULONG);
        CHECK_IS(KSTAT_NAMED_PTR(ksp)[i].value.ul, i);
    }
    CHECK_IS(kstat_close(kc), 0);
}

TEST(kstat_headers_say_when)
{
    kstat_ctl_t *kc = kstat_open();

    host_clock_set(4711);
    CHECK(kstat_read(kc, kc->kc_chain, NULL) != -1);
    CHECK_IS(kc->kc_chain->ks_snaptime, 4711);
    host_clock_set(4712);
    CHECK(kstat_read(kc, kc->kc_chain, NULL) != -1);
    CHECK_IS(kc->kc_chain->ks_snaptime, 4712);
    CHECK_IS(kstat_close(kc), 0);
}

TEST(kstat_create_refuses)
{
    check_refused(5, 1, 0, "invalid type");
    check_refused(255, 1, 0, "invalid type");
    check_refused(KSTAT_TYPE_NAMED, 1, KSTAT_FLAG_PERSISTENT | KSTAT_FLAG_VIRTUAL, "both");
    check_refused(KSTAT_TYPE_RAW, 1, KSTAT_FLAG_VAR_SIZE, "must be virtual");
    check_refused(KSTAT_TYPE_INTR, 0, 0, "exactly one");
    check_refused(KSTAT_TYPE_INTR, 2, KSTAT_FLAG_VIRTUAL, "exactly one");
    check_refused(KSTAT_TYPE_IO, 0, 0, "exactly one");
    check_refused(KSTAT_TYPE_IO, 2, 0, "exactly one");
    check_refused(KSTAT_TYPE_RAW, 0x80000000u, 0, "too many");
    check_refused(KSTAT_TYPE_NAMED, 0xffffffffu, KSTAT_FLAG_VIRTUAL, "too many");
    CHECK(kstat_create("t", 0, "empty", "misc", KSTAT_TYPE_NAMED, 0, 0) != NULL);
    CHECK(kstat_create("t", 0, "large", "misc", KSTAT_TYPE_TIMER, INT32_MAX, KSTAT_FLAG_VIRTUAL) !=
          NULL);
}

TEST(kstat_names_collide)
{
    kstat_t *one = named("same", 0);

    CHECK(one != NULL);
    CHECK(named("same", 0) == NULL);
    CHECK(strstr(host_log_last(), "namespace collision") != NULL);
    CHECK(kstat_create("test", 1, "same", "misc", KSTAT_TYPE_NAMED, 2, 0) != NULL);
    CHECK(kstat_create("tset", 0, "same", "misc", KSTAT_TYPE_NAMED, 2, 0) != NULL);
    kstat_install(one);
    CHECK(named("same", 0) == NULL);
    kstat_delete(one);
    CHECK(named("same", 0) != NULL);
}

TEST(kstat_strings_are_cut)
{
    char longest[] = "123456789012345678901234567890";
    char longer[] = "123456789012345678901234567890X";
    kstat_t *ksp = kstat_create(longer, -7, longer, longer, KSTAT_TYPE_RAW, 1, 0);

    CHECK_TEXT(ksp->ks_module, longest);
    CHECK_TEXT(ksp->ks_name, longest);
    CHECK_TEXT(ksp->ks_class, longest);
    CHECK(kstat_create(longest, -7, longest, "c", KSTAT_TYPE_RAW, 1, 0) == NULL);
    CHECK_TEXT(kstat_create("disk", 12, NULL, "disk", KSTAT_TYPE_IO, 1, 0)->ks_name, "disk12");
    CHECK_TEXT(kstat_create("disk", -12, NULL, "disk", KSTAT_TYPE_IO, 1, 0)->ks_name, "disk-12");
    CHECK_TEXT(kstat_create("12345678901234567890123456789", 345, NULL, "c", 0, 1, 0)->ks_name,
               "123456789012345678901234567893");
}

TEST(kstat_create_gives_zeroes_and_times)
{
    kstat_t *ksp;

    host_clock_set(1234);
    ksp = named("fresh", KSTAT_FLAG_WRITABLE | KSTAT_FLAG_DORMANT);
    CHECK_IS(ksp->ks_crtime, 1234);
    CHECK_IS(ksp->ks_snaptime, 1234);
    CHECK_IS(ksp->ks_flags, KSTAT_FLAG_WRITABLE | KSTAT_FLAG_INVALID);
    CHECK_IS(ksp->ks_data_size, 96);
    for (unsigned i = 0; i < 96; i++)
        CHECK_IS(((char *)ksp->ks_data)[i], 0);
    ksp = kstat_create("t", 0, "virtual", "misc", KSTAT_TYPE_IO, 1, KSTAT_FLAG_VIRTUAL);
    CHECK(ksp->ks_data == NULL);
    CHECK_IS(ksp->ks_data_size, sizeof(kstat_io_t));
}

TEST(kstat_chain_id_counts)
{
    kstat_t *a, *b;

    CHECK_IS(chain_id(), 2);
    a = named("a", 0);
    CHECK_IS(a->ks_kid, 2);
    CHECK_IS(chain_id(), 3);
    kstat_install(a);
    CHECK_IS(chain_id(), 3);
    kstat_delete(a);
    CHECK_IS(chain_id(), 4);
    b = named("b", 0);
    CHECK_IS(b->ks_kid, 4); /* KIDs are not used again */
    kstat_delete(b);
    kstat_delete_byname("test", 0, "b"); /* there is none: nothing */
    CHECK_IS(chain_id(), 6);
    b = named("c", 0);
    kstat_delete_byname("test", 0, "c");
    CHECK_IS(chain_id(), 8);
    kstat_delete(NULL);
    kstat_install(NULL);
    CHECK_IS(chain_id(), 8);
    host_reset();
    CHECK_IS(chain_id(), 2);
}

TEST(kstat_install_of_a_copy_is_logged)
{
    kstat_t *ksp = named("a", 0);
    kstat_t copy = *ksp;

    kstat_install(&copy);
    CHECK(strstr(host_log_last(), "kstat_install(") != NULL);
    CHECK(strstr(host_log_last(), "does not exist") != NULL);
    CHECK(ksp->ks_flags & KSTAT_FLAG_INVALID);
    kstat_delete(&copy);
    CHECK(strstr(host_log_last(), "kstat_delete(") != NULL);
    kstat_delete(ksp);
}

static void install(void *ksp)
{
    kstat_install(ksp);
}

static void delete(void *ksp)
{
    kstat_delete(ksp);
}

static void delete_byname(void *argument)
{
    const kstat_t *ksp = argument;

    kstat_delete_byname(ksp->ks_module, ksp->ks_instance, ksp->ks_name);
}

static int no_snapshot(kstat_t *ksp, void *buffer, int rw)
{
    (void)ksp;
    (void)buffer;
    (void)rw;
    return EIO;
}

TEST(kstat_install_panics)
{
    static host_mutex_t lock;
    kstat_t *ksp = kstat_create("test", 0, "var", "misc", KSTAT_TYPE_RAW, 0,
                                KSTAT_FLAG_VIRTUAL | KSTAT_FLAG_VAR_SIZE);

    CHECK_PANIC(install, ksp, "\"test\" 0 \"var\"): of variable size, so it needs ks_lock");
    ksp->ks_lock = &lock;
    kstat_install(ksp);
    CHECK_IS(ksp->ks_flags & KSTAT_FLAG_INVALID, 0);

    ksp = named("strings", KSTAT_FLAG_WRITABLE);
    kstat_named_init(ksp->ks_data, "s", KSTAT_DATA_STRING);
    CHECK_PANIC(install, ksp, "writable strings need ks_snapshot");
    ksp->ks_snapshot = no_snapshot;
    kstat_install(ksp);
    CHECK(ksp->ks_flags & KSTAT_FLAG_LONGSTRINGS);
}

TEST(kstat_delete_panics_with_its_lock_held)
{
    host_mutex_t lock = {NULL};
    kstat_t *ksp = named("locked", 0);

    ksp->ks_lock = &lock;
    kstat_install(ksp);
    host_mutex_enter(&lock);
    CHECK_PANIC(delete, ksp, "kstat_delete(\"test\" 0 \"locked\"): caller holds its ks_lock");
    CHECK_PANIC(delete_byname, ksp,
                "kstat_delete_byname(\"test\" 0 \"locked\"): caller holds its ks_lock");
    CHECK(!stats_port_mutex_owned(stats_port_chain_mutex()));
    host_mutex_exit(&lock);
    kstat_delete(ksp);
}

static int updates[2]; /* by rw */

static int count_updates(kstat_t *ksp, int rw)
{
    (void)ksp;
    updates[rw]++;
    return 0;
}

TEST(kstat_persistent_outlives_delete)
{
    kstat_t *ksp = named("keeps", KSTAT_FLAG_PERSISTENT);
    kstat_ctl_t *kc;
    kid_t kid = ksp->ks_kid;
    kid_t id;
    hrtime_t created = ksp->ks_crtime;
    kstat_named_t data[2];

    memset(updates, 0, sizeof updates);
    kstat_named_init(ksp->ks_data, "n", KSTAT_DATA_UINT64);
    KSTAT_NAMED_PTR(ksp)->value.ui64 = 42;
    ksp->ks_update = count_updates;
    ksp->ks_private = updates;
    kstat_install(ksp);
    CHECK_IS(updates[KSTAT_WRITE], 0);
    id = chain_id();
    host_clock_set(99);
    kstat_delete(ksp);
    CHECK_IS(updates[KSTAT_READ], 1);
    CHECK_IS(chain_id(), id);
    CHECK(ksp->ks_flags & KSTAT_FLAG_DORMANT);
    CHECK(ksp->ks_private == NULL && ksp->ks_lock == NULL && ksp->ks_update != count_updates);
    kc = kstat_open(); /* still there, and readable */
    CHECK(kstat_read(kc, kstat_lookup(kc, "test", 0, "keeps"), data) == id);
    CHECK_IS(data[0].value.ui64, 42);
    kstat_close(kc);

    CHECK(kstat_create("test", 0, "keeps", "other", KSTAT_TYPE_NAMED, 2, 0) == NULL);
    CHECK(strstr(host_log_last(), "dormant") != NULL);
    CHECK(kstat_create("test", 0, "keeps", "misc", KSTAT_TYPE_RAW, 2, 0) == NULL);
    CHECK(kstat_create("test", 0, "keeps", "misc", KSTAT_TYPE_NAMED, 3, 0) == NULL);
    CHECK(named("keeps", KSTAT_FLAG_VIRTUAL) == NULL);
    CHECK(named("keeps", KSTAT_FLAG_PERSISTENT) == ksp);
    CHECK_IS(chain_id(), id);
    CHECK_IS(ksp->ks_kid, kid);
    CHECK_IS(ksp->ks_crtime, created);
    ksp->ks_update = count_updates;
    kstat_install(ksp);
    CHECK_IS(updates[KSTAT_WRITE], 1);
    CHECK_IS(ksp->ks_flags, KSTAT_FLAG_PERSISTENT);
    CHECK_IS(KSTAT_NAMED_PTR(ksp)->value.ui64, 42);
}

static void set_string_of_number(void *record)
{
    kstat_named_setstr(record, "text");
}

TEST(kstat_helpers)
{
    kstat_named_t record;
    kstat_timer_t timer;
    char field[KSTAT_STRLEN];

    memset(&record, 0xee, sizeof record);
    kstat_named_init(&record, "a name that has over thirty characters", KSTAT_DATA_INT32);
    CHECK_TEXT(record.name, "a name that has over thirty ch");
    CHECK_IS(record.value.ui64, 0);
    CHECK_PANIC(set_string_of_number, &record, "not a string, type 1");
    kstat_named_init(&record, "s", KSTAT_DATA_STRING);
    kstat_named_setstr(&record, "text");
    CHECK_IS(KSTAT_NAMED_STR_BUFLEN(&record), 5);
    CHECK_TEXT(KSTAT_NAMED_STR_PTR(&record), "text");
    kstat_named_setstr(&record, NULL);
    CHECK_IS(KSTAT_NAMED_STR_BUFLEN(&record), 0);
    memset(field, 0xee, sizeof field);
    kstat_set_string(field, "x");
    CHECK_TEXT(field, "x");
    CHECK_IS(field[30], 0);
    memset(&timer, 0xee, sizeof timer);
    kstat_timer_init(&timer, "event");
    CHECK_TEXT(timer.name, "event");
    CHECK_IS(timer.num_events, 0);
    CHECK_IS(timer.max_time, 0);
}

static int two_numbers(kstat_t *ksp, int rw)
{
    static const uint64_t numbers[] = {7, UINT64_C(1) << 40};

    CHECK_IS(rw, KSTAT_READ);
    return kstat_values_set(ksp, numbers);
}

TEST(kstat_values_are_named_and_count_since)
{
    static const struct kstat_value values[] = {{"narrow", KSTAT_DATA_UINT32},
                                                {"wide", KSTAT_DATA_UINT64}};
    kstat_t *ksp =
        kstat_values_create("test", 1, "values", "misc", values, 2, two_numbers, NULL, 12345);
    kstat_named_t *records = KSTAT_NAMED_PTR(ksp);

    CHECK_IS(ksp->ks_crtime, 12345);
    CHECK_IS(ksp->ks_ndata, 2);
    CHECK_TEXT(records[0].name, "narrow");
    CHECK_IS(records[0].value.ui32, 0);
    CHECK_IS(ksp->ks_update(ksp, KSTAT_READ), 0);
    CHECK_IS(records[0].value.ui32, 7);
    CHECK_TEXT(records[1].name, "wide");
    CHECK_IS(records[1].value.ui64, UINT64_C(1) << 40);
    CHECK(kstat_values_create("test", 1, "values", "misc", values, 2, two_numbers, NULL, 0) ==
          NULL);
    kstat_delete(ksp);
}
