/* SPDX-License-Identifier: BSD-2-Clause */
/* A file in /tmp grows while there is no memory: it does not, and nothing of its share is used. */
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include "tests/kernel/fs_walk.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/taken.h"

static uint64_t fs_nomem_free(const struct fs_walk *t)
{
    struct fs_stat stat = {.blocks_free = 0};

    (void)fs_statfs(&t->walk, ".", &stat);
    return stat.blocks_free;
}

/* Page I of FILE while all memory is taken, so many times. */
static long fs_nomem_write(struct file *file, unsigned i, unsigned times)
{
    struct taken *all = NULL;
    long result = 0;

    for (unsigned order = PAGE_ORDERS; order-- > 0;)
        while (taken_push(&all, page_alloc(order)))
            continue;
    while (times-- > 0 && (result == 0 || result == -ENOMEM))
        result = fs_walk_pwrite(file, "x", 1, i * PAGE_SIZE);
    taken_give_back(&all, page_free);
    return result;
}

SELFTEST(fs_nomem, "fs-nomem", "what a file could not get for want of memory is not used")
{
    struct fs_walk t;
    struct file *file;
    uint64_t free;

    if (fs_walk_begin(&t) != 0)
        return 1;
    file = fs_walk_open(&t, "f", O_RDWR | O_CREAT);
    SELFTEST_CHECK(file != NULL);
    SELFTEST_EQUAL(fs_walk_pwrite(file, "a", 1, 0), 1);
    free = fs_nomem_free(&t);
    SELFTEST_CHECK(free > 0);
    SELFTEST_EQUAL(-fs_nomem_write(file, 1, 5), ENOMEM);
    SELFTEST_EQUAL(fs_nomem_free(&t), free);
    SELFTEST_EQUAL(fs_walk_pwrite(file, "b", 1, PAGE_SIZE), 1);
    SELFTEST_EQUAL(fs_nomem_free(&t), free - 1);
    SELFTEST_EQUAL(-fs_ftruncate(&credentials_root, file, 1, UINT64_MAX), 0);
    SELFTEST_EQUAL(fs_nomem_free(&t), free);
    SELFTEST_EQUAL(-fs_unlink(&t.walk, "f"), 0);
    file_release(file);
    return fs_walk_end(&t);
}
