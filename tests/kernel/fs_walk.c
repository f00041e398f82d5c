/* SPDX-License-Identifier: BSD-2-Clause */
/* A directory for tests of files: see fs_walk.h. */
#include "tests/kernel/fs_walk.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/selftest.h"

static uint64_t file_pages(void)
{
    struct page_owner *owner = NULL;
    uint64_t pages = 0;

    while ((owner = page_owner_next(owner)) != NULL)
        if (strcmp(owner->name, "files") == 0 || strcmp(owner->name, "pipes") == 0)
            pages += owner->pages;
    return pages;
}

int fs_walk_begin(struct fs_walk *test)
{
    struct vnode *root = fs_root(); /* what it makes at its first use is not the test's */

    SELFTEST_CHECK(root != NULL);
    vnode_release(root);
    for (unsigned i = 0; i < FS_COUNTS; i++)
        test->counts[i] = fs_count_value((enum fs_count)i);
    test->pages = file_pages();
    test->walk = (struct path_walk){.base = path_base_create()};
    SELFTEST_CHECK(test->walk.base != NULL);
    path_base_set_umask(test->walk.base, 0);
    SELFTEST_EQUAL(-fs_mkdir(&test->walk, "/tmp/test", 0755), 0);
    SELFTEST_EQUAL(-fs_chdir(&test->walk, "/tmp/test"), 0);
    return 0;
}

int fs_walk_end(struct fs_walk *test)
{
    SELFTEST_EQUAL(-fs_rmdir(&test->walk, "/tmp/test"), 0);
    path_base_release(test->walk.base);
    for (unsigned i = FS_FILES; i < FS_COUNTS; i++)
        SELFTEST_EQUAL(fs_walk_counted(test, (enum fs_count)i), 0);
    SELFTEST_EQUAL(file_pages() - test->pages, 0);
    return 0;
}

uint64_t fs_walk_counted(const struct fs_walk *test, enum fs_count count)
{
    return fs_count_value(count) - test->counts[count];
}

struct file *fs_walk_open(const struct fs_walk *test, const char *path, uint32_t flags)
{
    struct file *file = NULL;

    return fs_open(&test->walk, path, flags, 0644, &file) == 0 ? file : NULL;
}

int fs_walk_error(const struct fs_walk *test, const char *path, uint32_t flags)
{
    struct file *file = NULL;
    int error = fs_open(&test->walk, path, flags, 0644, &file);

    file_release(file);
    return -error;
}

static struct uio *uio_of(struct uio *uio, struct io_vector *vector, const void *bytes, size_t size)
{
    uio_single(uio, vector, (void *)(uintptr_t)bytes, size, false);
    return uio;
}

long fs_walk_write(struct file *file, const void *bytes, size_t size)
{
    struct io_vector vector;
    struct uio uio;

    return file_write(file, uio_of(&uio, &vector, bytes, size));
}

long fs_walk_read(struct file *file, void *bytes, size_t size)
{
    struct io_vector vector;
    struct uio uio;

    return file_read(file, uio_of(&uio, &vector, bytes, size));
}

long fs_walk_pwrite(struct file *file, const void *bytes, size_t size, uint64_t offset)
{
    struct io_vector vector;
    struct uio uio;

    return file_pwrite(file, uio_of(&uio, &vector, bytes, size), offset);
}

int fs_walk_make(const struct fs_walk *test, const char *path, const char *content)
{
    struct file *file = fs_walk_open(test, path, O_WRONLY | O_CREAT | O_EXCL);
    long size = (long)strlen(content), written;

    if (file == NULL)
        return -1;
    written = fs_walk_write(file, content, (size_t)size);
    file_release(file);
    return written == size ? 0 : -1;
}
