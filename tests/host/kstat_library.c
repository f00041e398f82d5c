/* SPDX-License-Identifier: BSD-2-Clause */
/* libkstat: the chain and its updates, lookups, reading and writing, error numbers. */
#include <kstat.h>

#include "tests/host/kstat_check.h"

#include <errno.h>
#include <quipu_host.h>
#include <stdio.h>
#include <string.h>

static kstat_t *add(const char *module, int instance, const char *name, uchar_t type)
{
    kstat_t *ksp = kstat_create(module, instance, name, "misc", type, 1, KSTAT_FLAG_WRITABLE);

    kstat_install(ksp);
    return ksp;
}

static unsigned displayed;

static void my_io_display(kstat_io_t kio)
{
    CHECK_IS(kio.nread, 512 * ++displayed);
}

/* The loop of the manual page, to the letter. */
TEST(kstat_example_of_the_manual)
{
    kstat_ctl_t *kc;
    kstat_t *ksp;
    kstat_io_t kio;

    KSTAT_IO_PTR(add("ramd", 0, "ramd0", KSTAT_TYPE_IO))->nread = 512;
    add("other", 0, "other", KSTAT_TYPE_INTR);
    KSTAT_IO_PTR(add("ramd", 1, "ramd1", KSTAT_TYPE_IO))->nread = 1024;
    displayed = 0;

    kc = kstat_open();
    for (ksp = kc->kc_chain; ksp != NULL; ksp = ksp->ks_next) {
        if (ksp->ks_type == KSTAT_TYPE_IO) {
            kstat_read(kc, ksp, &kio);
            my_io_display(kio);
        }
    }
    CHECK_IS(displayed, 2);
    kstat_close(kc);
}

TEST(kstat_chain_update_keeps_nodes)
{
    kstat_t *a = add("m", 0, "a", KSTAT_TYPE_INTR);
    kstat_t *b = add("m", 0, "b", KSTAT_TYPE_INTR);
    kstat_ctl_t *kc = kstat_open();
    kstat_t *mine = kstat_lookup(kc, "m", 0, "b");
    void *data;

    CHECK_IS(kstat_chain_update(kc), 0);
    CHECK(mine->ks_data == NULL);
    CHECK_IS(kstat_read(kc, mine, NULL), kc->kc_chain_id);
    data = mine->ks_data;
    KSTAT_INTR_PTR(mine)->intrs[0] = 123;
    kstat_delete(a);
    add("m", 0, "c", KSTAT_TYPE_IO);
    CHECK_IS(kstat_read(kc, mine, NULL), kc->kc_chain_id + 2); /* an update is due */
    KSTAT_INTR_PTR(mine)->intrs[0] = 123;
    CHECK_IS(kstat_chain_update(kc), 6);
    CHECK_IS(kc->kc_chain_id, 6);
    CHECK(kstat_lookup(kc, "m", 0, "b") == mine);
    CHECK(mine->ks_data == data);
    CHECK_IS(KSTAT_INTR_PTR(mine)->intrs[0], 123);
    CHECK(kstat_lookup(kc, "m", 0, "a") == NULL);
    CHECK(mine->ks_next == kstat_lookup(kc, "m", 0, "c"));
    CHECK(mine->ks_next->ks_data == NULL && mine->ks_next->ks_next == NULL);
    kstat_delete(b);
    CHECK_IS(kstat_chain_update(kc), 7);
    CHECK_TEXT(kc->kc_chain->ks_next->ks_next->ks_name, "c");
    kstat_close(kc);
    CHECK_IS(kstat_close(NULL), 0);
}

/* What the manuals do not say: the chain id tells of creation, not of installation. */
TEST(kstat_refresh_before_install_misses_it)
{
    kstat_t *ksp = kstat_create("m", 0, "late", "misc", KSTAT_TYPE_INTR, 1, 0);
    kstat_ctl_t *kc = kstat_open();

    CHECK(kstat_lookup(kc, "m", 0, "late") == NULL);
    kstat_install(ksp);
    CHECK_IS(kstat_chain_update(kc), 0);
    CHECK(kstat_lookup(kc, "m", 0, "late") == NULL);
    add("m", 0, "other", KSTAT_TYPE_INTR);
    CHECK(kstat_chain_update(kc) > 0);
    CHECK(kstat_lookup(kc, "m", 0, "late") != NULL);
    kstat_close(kc);
}

TEST(kstat_lookup_finds_the_first)
{
    kstat_ctl_t *kc;

    add("x", 3, "p", KSTAT_TYPE_INTR);
    add("x", 4, "q", KSTAT_TYPE_INTR);
    add("y", 3, "q", KSTAT_TYPE_INTR);
    kc = kstat_open();
    CHECK(kstat_lookup(kc, NULL, -1, NULL) == kc->kc_chain);
    CHECK_IS(kstat_lookup(kc, "x", -1, NULL)->ks_instance, 3);
    CHECK_IS(kstat_lookup(kc, NULL, -1, "q")->ks_instance, 4);
    CHECK_TEXT(kstat_lookup(kc, NULL, 3, "q")->ks_module, "y");
    CHECK_TEXT(kstat_lookup(kc, "x", 4, "q")->ks_name, "q");
    errno = 0;
    CHECK(kstat_lookup(kc, "x", 3, "q") == NULL);
    CHECK_IS(errno, ENOENT);
    errno = 0;
    CHECK(kstat_lookup(kc, "z", -1, NULL) == NULL);
    CHECK_IS(kstat_errno, ENOENT);
    kstat_close(kc);
}

TEST(kstat_data_lookup_by_name)
{
    kstat_t *named = kstat_create("m", 0, "named", "misc", KSTAT_TYPE_NAMED, 2, 0);
    kstat_t *timers = kstat_create("m", 0, "timers", "misc", KSTAT_TYPE_TIMER, 2, 0);
    kstat_ctl_t *kc;
    kstat_t *ksp;

    kstat_named_init(KSTAT_NAMED_PTR(named) + 1, "second", KSTAT_DATA_INT64);
    KSTAT_NAMED_PTR(named)[1].value.i64 = -5;
    kstat_timer_init(KSTAT_TIMER_PTR(timers) + 1, "two");
    KSTAT_TIMER_PTR(timers)[1].num_events = 8;
    kstat_install(named);
    kstat_install(timers);
    add("m", 0, "io", KSTAT_TYPE_IO);
    kc = kstat_open();
    ksp = kstat_lookup(kc, "m", 0, "named");
    CHECK(kstat_data_lookup(ksp, "second") == NULL); /* not read yet */
    CHECK_IS(errno, ENOENT);
    CHECK(kstat_read(kc, ksp, NULL) > 0);
    CHECK_IS(((kstat_named_t *)kstat_data_lookup(ksp, "second"))->value.i64, -5);
    CHECK(kstat_data_lookup(ksp, "third") == NULL);
    CHECK_IS(errno, ENOENT);
    ksp = kstat_lookup(kc, "m", 0, "timers");
    CHECK(kstat_read(kc, ksp, NULL) > 0);
    CHECK_IS(((kstat_timer_t *)kstat_data_lookup(ksp, "two"))->num_events, 8);
    ksp = kstat_lookup(kc, "m", 0, "io");
    CHECK(kstat_read(kc, ksp, NULL) > 0);
    errno = 0;
    CHECK(kstat_data_lookup(ksp, "reads") == NULL);
    CHECK_IS(errno, EINVAL);
    kstat_close(kc);
}

static int error;
static unsigned sleeps;

static int fail_with(kstat_t *ksp, int rw)
{
    (void)ksp;
    (void)rw;
    return error;
}

static int third_sleep_heals(uint64_t ns)
{
    CHECK_IS(ns, 100000000);
    if (++sleeps == 3)
        error = 0;
    return 0;
}

static int interrupted(uint64_t ns)
{
    (void)ns;
    return 1;
}

TEST(kstat_read_errors)
{
    kstat_t *kernel = add("m", 0, "a", KSTAT_TYPE_INTR);
    kstat_ctl_t *kc = kstat_open();
    kstat_t *ksp = kstat_lookup(kc, "m", 0, "a");
    kstat_intr_t copy;

    kernel->ks_update = fail_with;
    error = EIO;
    CHECK_IS(kstat_read(kc, ksp, &copy), -1);
    CHECK_IS(errno, EIO);
    sleeps = 0;
    error = EAGAIN;
    host_on_sleep(third_sleep_heals);
    host_clock_set(0);
    CHECK_IS(kstat_read(kc, ksp, &copy), kc->kc_chain_id);
    CHECK_IS(sleeps, 3);
    CHECK_IS(ksp->ks_snaptime, 300000000);
    sleeps = 0;
    error = EAGAIN;
    CHECK_IS(kstat_write(kc, ksp, &copy), kc->kc_chain_id);
    CHECK_IS(sleeps, 3);
    error = EAGAIN;
    host_on_sleep(interrupted);
    CHECK_IS(kstat_read(kc, ksp, &copy), -1);
    CHECK_IS(errno, EINTR);
    kstat_delete(kernel);
    CHECK_IS(kstat_read(kc, ksp, NULL), -1);
    CHECK_IS(errno, ENXIO);
    CHECK_IS(kstat_write(kc, ksp, NULL), -1);
    CHECK_IS(errno, ENXIO);
    kstat_close(kc);
}

TEST(kstat_write_changes_the_kernels_data)
{
    kstat_t *kernel = add("m", 0, "a", KSTAT_TYPE_INTR);
    kstat_t *fixed = kstat_create("m", 0, "fixed", "misc", KSTAT_TYPE_INTR, 1, 0);
    kstat_intr_t value = {{1, 2, 3, 4, 5}};
    kstat_ctl_t *kc;
    kstat_t *ksp;

    kstat_install(fixed);
    kc = kstat_open();
    ksp = kstat_lookup(kc, "m", 0, "a");
    CHECK_IS(kstat_write(kc, ksp, &value), kc->kc_chain_id);
    CHECK_IS(KSTAT_INTR_PTR(kernel)->intrs[4], 5);
    KSTAT_INTR_PTR(ksp)->intrs[4] = 6;
    CHECK_IS(kstat_write(kc, ksp, NULL), kc->kc_chain_id);
    CHECK_IS(KSTAT_INTR_PTR(kernel)->intrs[4], 6);
    host_privileged_set(0);
    CHECK_IS(kstat_write(kc, ksp, NULL), -1);
    CHECK_IS(errno, EPERM);
    host_privileged_set(1);
    CHECK_IS(kstat_write(kc, kstat_lookup(kc, "m", 0, "fixed"), &value), -1);
    CHECK_IS(errno, EACCES);
    kstat_close(kc);
}

static uint_t size_now;

static int resize(kstat_t *ksp, int rw)
{
    (void)rw;
    ksp->ks_ndata = size_now;
    ksp->ks_data_size = size_now;
    return 0;
}

static int fill(kstat_t *ksp, void *data, int rw)
{
    (void)rw;
    for (size_t i = 0; i < ksp->ks_data_size; i++)
        ((char *)data)[i] = 'x';
    return 0;
}

TEST(kstat_read_grows_for_variable_size)
{
    static host_mutex_t lock;
    kstat_t *kernel = kstat_create("m", 0, "v", "misc", KSTAT_TYPE_RAW, 0,
                                   KSTAT_FLAG_VIRTUAL | KSTAT_FLAG_VAR_SIZE);
    kstat_ctl_t *kc;
    kstat_t *ksp;

    kernel->ks_lock = &lock;
    kernel->ks_update = resize;
    kernel->ks_snapshot = fill;
    kstat_install(kernel);
    kc = kstat_open();
    ksp = kstat_lookup(kc, "m", 0, "v");
    for (unsigned i = 0; i < 50; i++) {
        size_now = (i * 37) % 100;
        CHECK_IS(kstat_read(kc, ksp, NULL), kc->kc_chain_id);
        CHECK_IS(ksp->ks_data_size, size_now);
        CHECK_IS(ksp->ks_ndata, size_now);
        if (size_now > 0)
            CHECK_IS(((char *)ksp->ks_data)[size_now - 1], 'x');
    }
    kstat_close(kc);
}

/* One that says it does not change its size, and does, is an error and no overrun. */
TEST(kstat_read_does_not_grow_otherwise)
{
    kstat_t *kernel = kstat_create("m", 0, "f", "misc", KSTAT_TYPE_RAW, 8, KSTAT_FLAG_VIRTUAL);
    kstat_ctl_t *kc;
    kstat_t *ksp;

    kernel->ks_update = resize;
    kernel->ks_snapshot = fill;
    kstat_install(kernel);
    kc = kstat_open();
    ksp = kstat_lookup(kc, "m", 0, "f");
    size_now = 20;
    for (unsigned i = 0; i < 2; i++) {
        CHECK_IS(kstat_read(kc, ksp, NULL), -1);
        CHECK_IS(errno, ENOMEM);
    }
    size_now = 8;
    CHECK_IS(kstat_read(kc, ksp, NULL), kc->kc_chain_id);
    kstat_close(kc);
}

TEST(kstat_strings_are_read_whole)
{
    kstat_t *kernel = kstat_create("m", 0, "s", "misc", KSTAT_TYPE_NAMED, 3, 0);
    kstat_named_t *named = KSTAT_NAMED_PTR(kernel);
    kstat_ctl_t *kc;
    kstat_t *ksp;

    kstat_named_init(&named[0], "s0", KSTAT_DATA_STRING);
    kstat_named_init(&named[1], "n", KSTAT_DATA_UINT32);
    kstat_named_init(&named[2], "s2", KSTAT_DATA_STRING);
    kstat_named_setstr(&named[0], "short");
    kstat_install(kernel);
    kc = kstat_open();
    ksp = kstat_lookup(kc, "m", 0, "s");
    CHECK(kstat_read(kc, ksp, NULL) > 0);
    CHECK_TEXT(KSTAT_NAMED_STR_PTR(KSTAT_NAMED_PTR(ksp)), "short");
    CHECK(KSTAT_NAMED_STR_PTR(KSTAT_NAMED_PTR(ksp)) != KSTAT_NAMED_STR_PTR(named));
    CHECK(KSTAT_NAMED_STR_PTR(KSTAT_NAMED_PTR(ksp) + 2) == NULL);
    kstat_named_setstr(&named[0], "a string that is a little longer");
    kstat_named_setstr(&named[2], "another");
    CHECK(kstat_read(kc, ksp, NULL) > 0); /* grows */
    CHECK_IS(ksp->ks_data_size, 3 * 48 + 33 + 8);
    CHECK_TEXT(KSTAT_NAMED_STR_PTR(KSTAT_NAMED_PTR(ksp)), "a string that is a little longer");
    CHECK_TEXT(KSTAT_NAMED_STR_PTR(KSTAT_NAMED_PTR(ksp) + 2), "another");
    kstat_close(kc);
}

TEST(kstat_ten_thousand)
{
    kstat_ctl_t *kc;
    kid_t id;
    char name[32];

    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "name%d", i);
        add("many", i % 7, name, KSTAT_TYPE_INTR);
    }
    kc = kstat_open();
    for (int i = 0; i < 10000; i++) {
        kstat_t *ksp;

        snprintf(name, sizeof name, "name%d", i);
        ksp = kstat_lookup(kc, "many", i % 7, name);
        CHECK(ksp != NULL && ksp->ks_kid == i + 2);
        CHECK_IS(kstat_read(kc, ksp, NULL), 10002);
    }
    for (int i = 0; i < 10000; i += 2) {
        snprintf(name, sizeof name, "name%d", i);
        kstat_delete_byname("many", i % 7, name);
    }
    id = kstat_chain_update(kc);
    CHECK_IS(id, 15002);
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "name%d", i);
        CHECK_IS(kstat_lookup(kc, "many", i % 7, name) != NULL, i % 2);
    }
    kstat_close(kc);
}
