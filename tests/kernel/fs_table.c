/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors. */
#include "fs/file/file_table.h"
#include "lib/errno.h"
#include "tests/kernel/fs_walk.h"
#include "tests/kernel/selftest.h"

#define LIMIT 5000

static int check_numbers(struct file_table *table, struct file *file)
{
    for (int i = 0; i < LIMIT; i++)
        SELFTEST_EQUAL(file_table_add(table, file_hold(file), 0, i % 2 == 1, LIMIT), i);
    SELFTEST_EQUAL(-file_table_add(table, file_hold(file), 0, false, LIMIT), EMFILE);
    SELFTEST_EQUAL(-file_table_add(table, file_hold(file), LIMIT, false, LIMIT), EINVAL);
    SELFTEST_EQUAL(-file_table_set(table, file_hold(file), LIMIT, false, LIMIT), EBADF);
    SELFTEST_EQUAL(file->references, LIMIT + 1);
    SELFTEST_EQUAL(-file_table_close(table, 4242), 0);
    SELFTEST_EQUAL(-file_table_close(table, 4242), EBADF);
    SELFTEST_EQUAL(-file_table_close(table, 70), 0);
    SELFTEST_EQUAL(file_table_add(table, file_hold(file), 71, false, LIMIT), 4242);
    SELFTEST_EQUAL(file_table_add(table, file_hold(file), 3, false, LIMIT), 70);
    SELFTEST_EQUAL(file_table_set(table, file_hold(file), 7, false, LIMIT), 7);
    SELFTEST_EQUAL(file->references, LIMIT + 1);
    return 0;
}

/* Of the odd numbers, which are marked, 7 is not any more: 2,499 go. */
static int check_exec(struct file_table *table, struct file *file)
{
    struct file_table *copy = file_table_copy(table);

    SELFTEST_CHECK(copy != NULL);
    SELFTEST_EQUAL(file->references, 2 * LIMIT + 1);
    SELFTEST_EQUAL(file_table_close_on_exec(copy, 9), 1);
    SELFTEST_EQUAL(file_table_close_on_exec(copy, 7), 0);
    SELFTEST_EQUAL(-file_table_close_on_exec(copy, LIMIT), EBADF);
    file_table_exec(copy);
    SELFTEST_EQUAL(file->references, 2 * LIMIT + 1 - 2499);
    SELFTEST_EQUAL(file_table_next(copy, 1), 2);
    SELFTEST_EQUAL(file_table_add(copy, file_hold(file), 0, false, LIMIT), 1);
    file_table_close_range(copy, 100, 199, false); /* 50 of them are there */
    SELFTEST_EQUAL(file->references, 2 * LIMIT + 2 - 2499 - 50);
    file_table_release(copy);
    SELFTEST_EQUAL(file->references, LIMIT + 1);
    return 0;
}

SELFTEST(fs_table, "fs-table", "descriptors: the lowest free one, limits, fork and exec")
{
    struct fs_walk t;
    struct file_table *table;
    struct file *file;

    if (fs_walk_begin(&t) != 0)
        return 1;
    table = file_table_create();
    file = fs_walk_open(&t, "/dev/null", O_RDWR);
    SELFTEST_CHECK(table != NULL && file != NULL);
    if (check_numbers(table, file) != 0 || check_exec(table, file) != 0)
        return 1;
    file_table_release(table);
    SELFTEST_EQUAL(file->references, 1);
    file_release(file);
    return fs_walk_end(&t);
}
