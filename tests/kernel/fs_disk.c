/* SPDX-License-Identifier: BSD-2-Clause */
/* A disk as a file. */
#include "kernel/block/block.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/fs_walk.h"
#include "tests/kernel/selftest.h"

#define BYTES 1048576u

/* 1,000 bytes at 300: parts of two blocks of 512 bytes, and one whole between them. */
static int check_disk(struct file *file, struct block_device *disk)
{
    static unsigned char bytes[1000], back[1000], block[512];

    memset(bytes, 'd', sizeof bytes);
    SELFTEST_EQUAL(file_seek(file, 0, SEEK_END), BYTES);
    SELFTEST_EQUAL(-fs_walk_write(file, bytes, 1), ENOSPC);
    SELFTEST_EQUAL(fs_walk_read(file, back, 1), 0);
    SELFTEST_EQUAL(fs_walk_pwrite(file, bytes, 1000, 300), 1000);
    SELFTEST_EQUAL(file_read_kernel(file, back, 1000, 300), 1000);
    SELFTEST_CHECK(memcmp(bytes, back, 1000) == 0);
    SELFTEST_EQUAL(-block_io(disk, BLOCK_READ, 0, 1, block), 0);
    SELFTEST_EQUAL(block[299] << 8 | block[300], 'd');
    SELFTEST_EQUAL(-block_io(disk, BLOCK_READ, 2, 1, block), 0);
    SELFTEST_EQUAL(block[275] << 8 | block[276], 'd' << 8);
    SELFTEST_EQUAL(fs_walk_pwrite(file, bytes, 1000, BYTES - 10), 10);
    return 0;
}

/* Disks come into /dev when somebody looks, and stay. */
static const char *look(void)
{
    struct fs_walk t;
    int error;

    if (fs_walk_begin(&t) != 0)
        return selftest_reason();
    error = fs_walk_error(&t, "/dev/md0", O_RDONLY);
    t.counts[FS_VNODES] = fs_count_value(FS_VNODES) - 1;
    if (fs_walk_end(&t) != 0)
        return selftest_reason();
    return error != 0 ? "there is no md0 of 1 MiB" : NULL;
}

static void leave(void)
{
}

static const struct selftest_guard disk_there = {look, leave};

SELFTEST_MEMBER(fs_disk, "fs-disk", "md0, of 1 MiB, is read and written as a file", true, false,
                &disk_there)
{
    struct fs_walk t;
    struct file *file;

    if (fs_walk_begin(&t) != 0)
        return 1;
    file = fs_walk_open(&t, "/dev/md0", O_RDWR);
    SELFTEST_CHECK(file != NULL);
    if (check_disk(file, block_find("md0")) != 0)
        return 1;
    file_release(file);
    return fs_walk_end(&t);
}
