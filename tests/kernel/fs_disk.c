/* SPDX-License-Identifier: BSD-2-Clause */
/* A disk as a file. */
#include "kernel/block/block_maker.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"
#include "tests/kernel/fs_walk.h"
#include "tests/kernel/selftest.h"

#define BYTES 65536u

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

SELFTEST_ONLY_NAMED(fs_disk, "fs-disk", "a memory disk, which stays, is read and written as a file")
{
    const struct block_maker *maker = block_maker_find("md");
    struct block_device *disk;
    struct fs_walk t;
    struct file *file;
    char path[24];

    if (maker == NULL || maker->make(BYTES, &disk) != 0 || fs_walk_begin(&t) != 0)
        return selftest_fail("no disk");
    format(path, sizeof path, "/dev/%s", disk->name);
    file = fs_walk_open(&t, path, O_RDWR);
    SELFTEST_CHECK(file != NULL);
    if (check_disk(file, disk) != 0)
        return 1;
    file_release(file);
    t.counts[FS_VNODES] = fs_count_value(FS_VNODES) - 1; /* disks stay in /dev */
    return fs_walk_end(&t);
}
