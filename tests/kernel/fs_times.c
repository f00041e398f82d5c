/* SPDX-License-Identifier: BSD-2-Clause */
/* The times of a file in /tmp: which of them each call sets, and to what. */
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "tests/kernel/fs_walk.h"
#include "tests/kernel/selftest.h"

#define SECOND 1000000000ull

/* What is set is between the moments before and after the call. */
static struct file_stat is, was;
static uint64_t call_begin, call_end;

static void begin_call(void)
{
    uint64_t now = clock_wall();

    do
        call_begin = clock_wall();
    while (call_begin == now);
}

static int end_call(struct file *file)
{
    call_end = clock_wall();
    was = is;
    return -file_stat(file, &is);
}

static bool in_call(uint64_t time)
{
    return call_begin <= time && time <= call_end;
}

static int check_data(struct file *file)
{
    char byte;

    begin_call();
    SELFTEST_EQUAL(fs_walk_pwrite(file, "abc", 3, 0), 3);
    SELFTEST_EQUAL(end_call(file), 0);
    SELFTEST_CHECK(in_call(is.modified) && is.changed == is.modified);
    SELFTEST_CHECK(is.accessed < call_begin);
    begin_call();
    SELFTEST_EQUAL(file_read_kernel(file, &byte, 1, 0), 1); /* the first since it was written */
    SELFTEST_EQUAL(end_call(file), 0);
    SELFTEST_CHECK(in_call(is.accessed));
    SELFTEST_CHECK(is.modified == was.modified && is.changed == was.changed);
    begin_call();
    SELFTEST_EQUAL(file_read_kernel(file, &byte, 1, 0), 1); /* relatime: the second is not told */
    SELFTEST_EQUAL(end_call(file), 0);
    SELFTEST_EQUAL(is.accessed, was.accessed);
    return 0;
}

/* A read is told that comes after a change, or after data, of which the other is older. */
static int check_reads(struct file *file)
{
    char byte;

    begin_call();
    SELFTEST_EQUAL(-fs_fchmod(&credentials_root, file, 0600), 0);
    SELFTEST_EQUAL(end_call(file), 0);
    SELFTEST_CHECK(in_call(is.changed));
    SELFTEST_CHECK(is.accessed == was.accessed && is.modified == was.modified);
    begin_call();
    SELFTEST_EQUAL(file_read_kernel(file, &byte, 1, 0), 1);
    SELFTEST_EQUAL(end_call(file), 0);
    SELFTEST_CHECK(in_call(is.accessed));
    SELFTEST_EQUAL(-fs_futimens(&credentials_root, file, FILE_TIME_NOW, clock_wall() + SECOND), 0);
    begin_call();
    SELFTEST_EQUAL(file_read_kernel(file, &byte, 1, 0), 1); /* makes it later than its change */
    SELFTEST_EQUAL(end_call(file), 0);
    begin_call();
    SELFTEST_EQUAL(file_read_kernel(file, &byte, 1, 0), 1);
    SELFTEST_EQUAL(end_call(file), 0);
    SELFTEST_CHECK(in_call(is.accessed));
    return 0;
}

static int check_given(struct file *file)
{
    begin_call();
    SELFTEST_EQUAL(-fs_futimens(&credentials_root, file, 5 * SECOND, FILE_TIME_OMIT), 0);
    SELFTEST_EQUAL(end_call(file), 0);
    SELFTEST_EQUAL(is.accessed, 5 * SECOND);
    SELFTEST_EQUAL(is.modified, was.modified);
    SELFTEST_CHECK(in_call(is.changed));
    begin_call();
    SELFTEST_EQUAL(-fs_futimens(&credentials_root, file, FILE_TIME_OMIT, 7 * SECOND), 0);
    SELFTEST_EQUAL(end_call(file), 0);
    SELFTEST_EQUAL(is.accessed, 5 * SECOND);
    SELFTEST_EQUAL(is.modified, 7 * SECOND);
    begin_call();
    SELFTEST_EQUAL(-fs_futimens(&credentials_root, file, FILE_TIME_OMIT, FILE_TIME_NOW), 0);
    SELFTEST_EQUAL(end_call(file), 0);
    SELFTEST_CHECK(in_call(is.modified) && is.accessed == 5 * SECOND);
    SELFTEST_EQUAL(is.born, was.born);
    return 0;
}

/* One of a tree that nobody writes to is as it was made. There is one where there are programs. */
static int check_read_only(struct fs_walk *t)
{
    struct file *file = fs_walk_open(t, "/etc/perfex.costs", O_RDONLY);
    char byte;

    if (file == NULL)
        return 0;
    SELFTEST_EQUAL(end_call(file), 0);
    SELFTEST_EQUAL(fs_walk_read(file, &byte, 1), 1);
    SELFTEST_EQUAL(end_call(file), 0);
    SELFTEST_EQUAL(is.accessed, was.accessed);
    file_release(file);
    return 0;
}

SELFTEST(fs_times, "fs-times", "times of a file: made, written, read, changed, given")
{
    struct fs_walk t;
    struct file *file;

    if (fs_walk_begin(&t) != 0)
        return 1;
    begin_call();
    file = fs_walk_open(&t, "f", O_RDWR | O_CREAT);
    SELFTEST_CHECK(file != NULL);
    SELFTEST_EQUAL(end_call(file), 0);
    SELFTEST_CHECK(in_call(is.born) && is.accessed == is.born && is.modified == is.born &&
                   is.changed == is.born);
    if (check_data(file) != 0 || check_reads(file) != 0 || check_given(file) != 0 ||
        check_read_only(&t) != 0)
        return 1;
    SELFTEST_EQUAL(-fs_unlink(&t.walk, "f"), 0);
    file_release(file);
    return fs_walk_end(&t);
}
