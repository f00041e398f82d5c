/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of files in /tmp: holes, ends, appending, limits, pages for mappings. */
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/fs_walk.h"
#include "tests/kernel/selftest.h"

static int check_stat(struct file *file, uint64_t size, uint64_t blocks)
{
    struct file_stat stat;

    SELFTEST_EQUAL(-file_stat(file, &stat), 0);
    SELFTEST_EQUAL(stat.size, size);
    SELFTEST_EQUAL(stat.blocks, blocks);
    return 0;
}

/* "abc" at 10,000: two pages are not there, the third is. */
static int check_holes(struct file *file)
{
    char bytes[8];

    SELFTEST_EQUAL(fs_walk_pwrite(file, "abc", 3, 10000), 3);
    if (check_stat(file, 10003, 8) != 0)
        return 1;
    SELFTEST_EQUAL(file_read_kernel(file, bytes, 8, 9998), 5);
    SELFTEST_CHECK(memcmp(bytes, "\0\0abc", 5) == 0);
    SELFTEST_EQUAL(file_read_kernel(file, bytes, 8, 10003), 0);
    SELFTEST_EQUAL(file_seek(file, 5, SEEK_DATA), 8192);
    SELFTEST_EQUAL(file_seek(file, 5, SEEK_HOLE), 5);
    SELFTEST_EQUAL(file_seek(file, 9000, SEEK_HOLE), 10003);
    SELFTEST_EQUAL(-file_seek(file, 10003, SEEK_DATA), ENXIO);
    SELFTEST_EQUAL(file_seek(file, -3, SEEK_END), 10000);
    SELFTEST_EQUAL(fs_walk_read(file, bytes, 8), 3);
    SELFTEST_EQUAL(file_seek(file, 0, SEEK_CUR), 10003);
    SELFTEST_EQUAL(-file_seek(file, -1, SEEK_SET), EINVAL);
    return 0;
}

static int check_truncation(struct file *file)
{
    char bytes[8];

    SELFTEST_EQUAL(-fs_ftruncate(&credentials_root, file, 10001, UINT64_MAX), 0); /* "a" */
    SELFTEST_EQUAL(-fs_ftruncate(&credentials_root, file, 10004, UINT64_MAX),
                   0); /* and zeroes where "bc" was */
    SELFTEST_EQUAL(file_read_kernel(file, bytes, 8, 10000), 4);
    SELFTEST_CHECK(memcmp(bytes, "a\0\0\0", 4) == 0);
    SELFTEST_EQUAL(-fs_ftruncate(&credentials_root, file, 8192, UINT64_MAX), 0);
    if (check_stat(file, 8192, 0) != 0)
        return 1;
    SELFTEST_EQUAL(-fs_ftruncate(&credentials_root, file, UINT64_MAX, UINT64_MAX), EINVAL);
    SELFTEST_EQUAL(-fs_ftruncate(&credentials_root, file, 1ull << 50, UINT64_MAX),
                   0); /* nothing but a number */
    SELFTEST_EQUAL(fs_walk_pwrite(file, "z", 1, (1ull << 50) - 1), 1);
    if (check_stat(file, 1ull << 50, 8) != 0)
        return 1;
    return -fs_ftruncate(&credentials_root, file, 0, UINT64_MAX);
}

static int check_limit(struct file *file)
{
    struct io_vector vector[2] = {{(void *)(uintptr_t)"12345", 5}, {(void *)(uintptr_t)"678", 3}};
    struct uio uio;

    SELFTEST_EQUAL(-uio_init(&uio, vector, 2, false), 0);
    uio.file_limit = 7;
    SELFTEST_EQUAL(file_pwrite(file, &uio, 1), 6);
    SELFTEST_EQUAL(-file_pwrite(file, &uio, 7), EFBIG);
    return check_stat(file, 7, 8);
}

/* What a mapping is shown is what is read; what lies behind the end is 0 again when it grows. */
static int check_object(struct file *file)
{
    struct vm_object *object;
    bool slept = false;
    char *page, bytes[4];

    SELFTEST_EQUAL(-file_object(file, true, &object), 0);
    SELFTEST_EQUAL(object->ops->size(object), 7);
    SELFTEST_EQUAL(-object->ops->page(object, 1, false, (void **)&page, &slept), ENXIO);
    SELFTEST_EQUAL(-object->ops->page(object, 0, true, (void **)&page, &slept), 0);
    SELFTEST_EQUAL(page_references(page), 2);
    SELFTEST_CHECK(memcmp(page, "\000123456\0", 8) == 0);
    page[1] = 'x';
    page[8] = 'y'; /* behind the end */
    SELFTEST_EQUAL(fs_walk_pwrite(file, "9", 1, 10), 1);
    SELFTEST_EQUAL(file_read_kernel(file, bytes, 4, 7), 4);
    SELFTEST_CHECK(memcmp(bytes,
                          "\0\0\0"
                          "9",
                          4) == 0);
    SELFTEST_EQUAL(file_read_kernel(file, bytes, 1, 1), 1);
    SELFTEST_EQUAL(bytes[0], 'x');
    page[12] = 'z';
    SELFTEST_EQUAL(-fs_ftruncate(&credentials_root, file, 14, UINT64_MAX), 0);
    SELFTEST_EQUAL(file_read_kernel(file, bytes, 4, 11), 3);
    SELFTEST_CHECK(memcmp(bytes, "\0\0\0", 3) == 0);
    SELFTEST_EQUAL(page[10], '9');
    SELFTEST_EQUAL(-fs_ftruncate(&credentials_root, file, 10, UINT64_MAX), 0);
    SELFTEST_EQUAL(page[10], 0); /* at once, for those who have it mapped */
    page_release(page);
    object->ops->release(object);
    return 0;
}

SELFTEST(fs_data, "fs-data", "holes, truncation, limits and mappings of a file in /tmp")
{
    struct fs_walk t;
    struct file *file;

    if (fs_walk_begin(&t) != 0)
        return 1;
    file = fs_walk_open(&t, "f", O_RDWR | O_CREAT);
    SELFTEST_CHECK(file != NULL);
    if (check_holes(file) != 0 || check_truncation(file) != 0 || check_limit(file) != 0 ||
        check_object(file) != 0)
        return 1;
    SELFTEST_EQUAL(-fs_unlink(&t.walk, "f"), 0); /* an open file lives on */
    SELFTEST_EQUAL(fs_walk_pwrite(file, "w", 1, 4096), 1);
    if (check_stat(file, 4097, 16) != 0)
        return 1;
    file_release(file);
    return fs_walk_end(&t);
}

/* Each number by hand: 2 opens of which one makes it, 3 writes with 10 bytes, 4 reads with 9. */
static int count_work(struct fs_walk *t)
{
    struct file *a = fs_walk_open(t, "f", O_RDWR | O_CREAT | O_EXCL), *b;
    char bytes[8];

    b = fs_walk_open(t, "./f", O_RDWR | O_APPEND);
    SELFTEST_CHECK(a != NULL && b != NULL);
    SELFTEST_EQUAL(fs_walk_write(a, "abcd", 4), 4);
    SELFTEST_EQUAL(fs_walk_write(b, "efg", 3), 3); /* at the end, which is 4 */
    SELFTEST_EQUAL(fs_walk_write(a, "HIJ", 3), 3); /* at 4 */
    SELFTEST_EQUAL(fs_walk_read(a, bytes, 8), 0);
    SELFTEST_EQUAL(file_read_kernel(a, bytes, 7, 0), 7);
    SELFTEST_CHECK(memcmp(bytes, "abcdHIJ", 7) == 0);
    SELFTEST_EQUAL(file_read_kernel(b, bytes, 2, 5), 2);
    SELFTEST_EQUAL(-fs_walk_read(b, bytes, 0), 0);
    file_release(b);
    file_release(a);
    return 0;
}

SELFTEST_ONE_CPU(fs_counts, "fs-counts", "opens, lookups, reads, writes and bytes are counted once")
{
    struct fs_walk t;

    if (fs_walk_begin(&t) != 0)
        return 1;
    for (unsigned i = 0; i < FS_COUNTS; i++) /* its own making is not counted here */
        t.counts[i] = fs_count_value((enum fs_count)i);
    if (count_work(&t) != 0)
        return 1;
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_OPENS), 2);
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_LOOKUPS), 2); /* "." is none */
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_MISSES), 1);
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_WRITES), 3);
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_WRITE_BYTES), 10);
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_READS), 4);
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_READ_BYTES), 9);
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_PIPE_WRITES), 0);
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_VNODES), 1); /* the file, still named */
    SELFTEST_EQUAL(-fs_unlink(&t.walk, "f"), 0);
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_VNODES), 0);
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_FILES), 0);
    for (unsigned i = FS_FILES; i < FS_COUNTS; i++)
        t.counts[i] -= i == FS_VNODES; /* the directory goes */
    return fs_walk_end(&t);
}
