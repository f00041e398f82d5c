/* SPDX-License-Identifier: BSD-2-Clause */
/* Two names change what they stand for: links of the directories that they are in. */
#include "tests/kernel/fs_walk.h"
#include "tests/kernel/selftest.h"

static int fs_exchange_links(struct fs_walk *t, const char *path, uint32_t links)
{
    struct file_stat stat;

    SELFTEST_EQUAL(-fs_stat(&t->walk, path, 0, &stat), 0);
    SELFTEST_EQUAL(stat.links, links);
    return 0;
}

/* A directory of one stands for a file of the other. */
static int fs_exchange_of_kinds(struct fs_walk *t)
{
    for (unsigned round = 0; round < 4; round++) {
        SELFTEST_EQUAL(-fs_rename(&t->walk, "a/x", &t->walk, "b/x", RENAME_EXCHANGE), 0);
        if (fs_exchange_links(t, round % 2 ? "a" : "b", 3) != 0 ||
            fs_exchange_links(t, round % 2 ? "b" : "a", 2) != 0 ||
            fs_exchange_links(t, round % 2 ? "a/x" : "b/x", 2) != 0)
            return 1;
    }
    return 0;
}

SELFTEST(fs_exchange, "fs-exchange", "a directory and a file, or two of them, change places")
{
    struct fs_walk t;

    if (fs_walk_begin(&t) != 0)
        return 1;
    SELFTEST_EQUAL(-fs_mkdir(&t.walk, "a", 0755), 0);
    SELFTEST_EQUAL(-fs_mkdir(&t.walk, "b", 0755), 0);
    SELFTEST_EQUAL(-fs_mkdir(&t.walk, "a/x", 0755), 0);
    SELFTEST_EQUAL(fs_walk_make(&t, "b/x", "x"), 0);
    if (fs_exchange_of_kinds(&t) != 0)
        return 1;
    SELFTEST_EQUAL(-fs_unlink(&t.walk, "b/x"), 0);
    SELFTEST_EQUAL(-fs_mkdir(&t.walk, "b/x", 0755), 0);
    SELFTEST_EQUAL(-fs_rename(&t.walk, "a/x", &t.walk, "b/x", RENAME_EXCHANGE), 0);
    if (fs_exchange_links(&t, "a", 3) != 0 || fs_exchange_links(&t, "b", 3) != 0)
        return 1;
    SELFTEST_EQUAL(-fs_rmdir(&t.walk, "a/x"), 0);
    SELFTEST_EQUAL(-fs_rmdir(&t.walk, "b/x"), 0);
    if (fs_exchange_links(&t, "a", 2) != 0 || fs_exchange_links(&t, "b", 2) != 0)
        return 1;
    SELFTEST_EQUAL(-fs_rmdir(&t.walk, "a"), 0);
    SELFTEST_EQUAL(-fs_rmdir(&t.walk, "b"), 0);
    return fs_walk_end(&t);
}
