/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands in the trees that are made: an archive, /dev, /proc. And radix trees. */
#include "fs/dev/dev.h"
#include "fs/tree/radix.h"
#include "fs/tree/tree.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"
#include "linux/proc/proc.h"
#include "tests/kernel/fs_walk.h"
#include "tests/kernel/selftest.h"

SELFTEST(fs_radix, "fs-radix", "pointers by 64-bit indices: found, in order, and given back")
{
    static const uint64_t indices[] = {0, 1, 63, 64, 4095, 4096, 1ull << 40, UINT64_MAX};
    enum { COUNT = sizeof indices / sizeof indices[0] };
    struct radix radix = {.root = NULL};
    uint64_t at = 0;

    for (unsigned i = COUNT; i-- > 0;)
        SELFTEST_EQUAL(-radix_set(&radix, indices[i], (void *)(uintptr_t)&indices[i]), 0);
    for (unsigned i = 0; i < COUNT; i++, at++) {
        SELFTEST_CHECK(radix_next(&radix, &at) == &indices[i]);
        SELFTEST_EQUAL(at, indices[i]);
        SELFTEST_CHECK(radix_get(&radix, at) == &indices[i]);
    }
    SELFTEST_CHECK(radix_get(&radix, 2) == NULL);
    at = (1ull << 40) + 1;
    SELFTEST_CHECK(radix_next(&radix, &at) == &indices[COUNT - 1]);
    for (unsigned i = 0; i < COUNT; i++)
        SELFTEST_CHECK(radix_remove(&radix, indices[i]) == &indices[i]);
    SELFTEST_CHECK(radix.root == NULL && radix_remove(&radix, 0) == NULL);
    return 0;
}

/* An archive, made by hand. */
static char archive[2048];
static size_t used;

static void fs_trees_add(const char *name, unsigned number, unsigned mode, unsigned links,
                         const char *data)
{
    size_t length = strlen(data);

    used += format(archive + used, sizeof archive - used,
                   "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s", number, mode, 3u,
                   4u, links, 100u, (unsigned)length, 0u, 1u, 0u, 0u, (unsigned)strlen(name) + 1,
                   0u, name) +
            1;
    used = (used + 3) & ~(size_t)3;
    memcpy(archive + used, data, length);
    used = (used + length + 3) & ~(size_t)3;
}

static struct tree_node *at(struct tree *tree, const char *directory, const char *name)
{
    struct tree_node *node;
    struct tree_entry *entry;

    if (tree_make_path(tree->root, (struct name){directory, strlen(directory)}, &node) != 0)
        return NULL;
    entry = tree_find(node, (struct name){name, strlen(name)});
    return entry == NULL ? NULL : entry->node;
}

/* The mapping's page of data that lies anywhere. */
static int check_page(struct tree_node *node)
{
    bool slept = false;
    char *page;

    SELFTEST_EQUAL(-tree_op_page(&node->vnode, 0, false, (void **)&page, &slept), 0);
    SELFTEST_CHECK(memcmp(page, "hello\0", 6) == 0);
    SELFTEST_EQUAL(page_references(page), 2);
    page_release(page);
    SELFTEST_EQUAL(-tree_op_page(&node->vnode, 1, false, (void **)&page, &slept), ENXIO);
    return 0;
}

SELFTEST(fs_archive, "fs-archive", "an archive's files, links and modes; data in place")
{
    static struct tree tree;
    struct tree_node *hello;
    uint64_t before = fs_count_value(FS_VNODES);

    memset(archive, 0, sizeof archive);
    used = 0;
    fs_trees_add(".", 1, S_IFDIR | 0711, 2, "");
    fs_trees_add("./bin/hello", 2, S_IFREG | 0755, 2, "");
    fs_trees_add("bin/also", 2, S_IFREG | 0755, 2, "hello");
    fs_trees_add("dev/sda", 3, S_IFBLK | 0600, 1, "");
    fs_trees_add("link", 4, S_IFLNK | 0777, 1, "bin/hello");
    fs_trees_add("../up", 5, S_IFREG | 0644, 1, "bad");
    fs_trees_add("TRAILER!!!", 0, 0, 1, "");
    SELFTEST_EQUAL(-tree_create(&tree, "test", 99, 0, 0755), 0);
    SELFTEST_EQUAL(-root_unpack(&tree, archive, used), 0);
    hello = at(&tree, "bin", "hello");
    SELFTEST_CHECK(hello != NULL && hello == at(&tree, "bin", "also"));
    SELFTEST_EQUAL(hello->links, 2);
    SELFTEST_EQUAL(hello->uid * 10 + hello->gid, 34);
    SELFTEST_EQUAL(hello->modified, 100000000000);
    SELFTEST_EQUAL(tree.root->mode, S_IFDIR | 0711);
    SELFTEST_EQUAL(tree_data_size(hello), 5);
    SELFTEST_CHECK(hello->data.archive >= archive && hello->data.archive < archive + used);
    SELFTEST_CHECK(at(&tree, "", "link")->symlink.in_place);
    SELFTEST_EQUAL(at(&tree, "", "link")->symlink.length, 9);
    SELFTEST_CHECK(at(&tree, "dev", "sda") == NULL);
    if (check_page(hello) != 0)
        return 1;
    SELFTEST_EQUAL(-root_unpack(&tree, archive, used / 2), EINVAL); /* cut off */
    tree_destroy(&tree);
    SELFTEST_EQUAL(fs_count_value(FS_VNODES) - before, 0);
    SELFTEST_EQUAL(tree.nodes + tree.pages, 0);
    return 0;
}

static long read_path(struct fs_walk *t, const char *path, char *bytes, size_t size)
{
    struct file *file = fs_walk_open(t, path, O_RDONLY);
    long moved = file == NULL ? -ENOENT : fs_walk_read(file, bytes, size);

    file_release(file);
    return moved;
}

static long write_path(struct fs_walk *t, const char *path, const char *bytes)
{
    struct file *file = fs_walk_open(t, path, O_WRONLY);
    long moved = file == NULL ? -ENOENT : fs_walk_write(file, bytes, strlen(bytes));

    file_release(file);
    return moved;
}

SELFTEST(fs_dev, "fs-dev", "/dev/null, zero, full and random")
{
    struct fs_walk t;
    struct file_stat stat;
    char bytes[16], more[16];

    if (fs_walk_begin(&t) != 0)
        return 1;
    memset(bytes, 'x', sizeof bytes);
    SELFTEST_EQUAL(read_path(&t, "/dev/null", bytes, sizeof bytes), 0);
    SELFTEST_EQUAL(write_path(&t, "/dev/null", "four"), 4);
    SELFTEST_EQUAL(-write_path(&t, "/dev/full", "four"), ENOSPC);
    SELFTEST_EQUAL(read_path(&t, "/dev/zero", bytes, 15), 15);
    SELFTEST_CHECK(bytes[0] == 0 && bytes[14] == 0 && bytes[15] == 'x');
    SELFTEST_EQUAL(read_path(&t, "/dev/urandom", bytes, sizeof bytes), 16);
    SELFTEST_EQUAL(read_path(&t, "/dev/random", more, sizeof more), 16);
    SELFTEST_CHECK(memcmp(bytes, more, 16) != 0 && memcmp(bytes, bytes + 8, 8) != 0);
    SELFTEST_EQUAL(-fs_stat(&t.walk, "/dev/null", 0, &stat), 0);
    SELFTEST_EQUAL(stat.special, 0x103);
    SELFTEST_EQUAL(stat.mode, S_IFCHR | 0666);
    SELFTEST_EQUAL(-fs_mknod(&t.walk, "n", S_IFCHR | 0600, file_device(1, 3)), 0);
    SELFTEST_EQUAL(write_path(&t, "n", "four"), 4);
    SELFTEST_EQUAL(-fs_unlink(&t.walk, "n"), 0);
    SELFTEST_EQUAL(-fs_mknod(&t.walk, "n", S_IFCHR | 0600, file_device(77, 3)), 0);
    SELFTEST_EQUAL(fs_walk_error(&t, "n", O_RDONLY), ENXIO);
    SELFTEST_EQUAL(-fs_unlink(&t.walk, "n"), 0);
    return fs_walk_end(&t);
}

static uint32_t links_of(const struct fs_walk *t, const char *path)
{
    struct file_stat stat;

    return fs_stat(&t->walk, path, 0, &stat) == 0 ? stat.links : 0;
}

/* What the paths of the registered files make. */
SELFTEST(fs_proc_directories, "fs-proc-directories",
         "/proc/sys: directories have as many links as directories below, and nothing stays")
{
    struct fs_walk t;

    proc_register_programs();
    if (fs_walk_begin(&t) != 0)
        return 1;
    SELFTEST_EQUAL(links_of(&t, "/proc"), 2 + 1);               /* sys */
    SELFTEST_EQUAL(links_of(&t, "/proc/sys"), 2 + 3);           /* kernel, vm, fs */
    SELFTEST_EQUAL(links_of(&t, "/proc/sys/kernel"), 2 + 1);    /* random */
    SELFTEST_EQUAL(links_of(&t, "/proc/sys/kernel/random"), 2); /* of uuid, boot_id and so on */
    SELFTEST_EQUAL(links_of(&t, "/proc/sys/kernel/random/uuid"), 1);
    SELFTEST_EQUAL(links_of(&t, "/proc/sys/random"), 0);
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_VNODES), 1); /* the test's own directory */
    return fs_walk_end(&t);
}

SELFTEST(fs_proc, "fs-proc", "/proc: texts made for the reader, and the link to oneself")
{
    struct fs_walk t;
    struct file *file;
    char bytes[64], again[64];
    long length;

    if (fs_walk_begin(&t) != 0)
        return 1;
    SELFTEST_EQUAL(fs_readlink(&t.walk, "/proc/self", bytes, sizeof bytes), 1); /* process 0 */
    SELFTEST_CHECK(bytes[0] == '0');
    SELFTEST_EQUAL(fs_walk_error(&t, "/proc/uptime", O_WRONLY), EACCES);
    SELFTEST_EQUAL(fs_walk_error(&t, "/proc/none", O_RDONLY), ENOENT);
    SELFTEST_EQUAL(fs_walk_error(&t, "/proc/32767", O_RDONLY), ENOENT);
    SELFTEST_EQUAL(-fs_mkdir(&t.walk, "/proc/new", 0755), ENOENT);
    length = read_path(&t, "/proc/version", bytes, sizeof bytes);
    SELFTEST_CHECK(length > 14 && memcmp(bytes, "Quipu version ", 14) == 0);
    file = fs_walk_open(&t, "/proc/version", O_RDONLY);
    SELFTEST_CHECK(file != NULL);
    SELFTEST_EQUAL(fs_walk_read(file, again, 3), 3);
    SELFTEST_EQUAL(fs_walk_read(file, again + 3, 61), length - 3);
    SELFTEST_CHECK(memcmp(bytes, again, (size_t)length) == 0);
    SELFTEST_EQUAL(fs_walk_read(file, again, 1), 0);
    file_release(file);
    return fs_walk_end(&t);
}

static int check_hello(struct fs_walk *t)
{
    struct file *file = fs_walk_open(t, "/bin/same", O_RDONLY);
    struct file_stat stat;
    unsigned char bytes[3];

    SELFTEST_CHECK(file != NULL);
    SELFTEST_EQUAL(-file_stat(file, &stat), 0);
    SELFTEST_EQUAL(stat.size, 10001);
    SELFTEST_EQUAL(stat.links, 2);
    SELFTEST_EQUAL(stat.mode, S_IFREG | 0755);
    SELFTEST_EQUAL(file_read_kernel(file, bytes, 3, 9999), 2);
    SELFTEST_EQUAL(bytes[0] << 8 | bytes[1], 0x0f10); /* 9999 and 10000, modulo 256 */
    file_release(file);
    return 0;
}

/* What tests/qemu/test_files.py has put into its archive. */
SELFTEST_ONLY_NAMED(fs_root_files, "fs-root", "the files of the boot archive of a test")
{
    struct fs_walk t;
    struct file_stat stat;
    char bytes[8];

    if (fs_walk_begin(&t) != 0)
        return 1;
    SELFTEST_EQUAL(read_path(&t, "/m", bytes, sizeof bytes), 6);
    SELFTEST_CHECK(memcmp(bytes, "hello\n", 6) == 0);
    if (check_hello(&t) != 0)
        return 1;
    SELFTEST_EQUAL(-fs_stat(&t.walk, "/etc/motd", 0, &stat), 0);
    SELFTEST_EQUAL(stat.mode, S_IFREG | 0640);
    SELFTEST_EQUAL(-fs_stat(&t.walk, "/etc", 0, &stat), 0);
    SELFTEST_EQUAL(stat.mode, S_IFDIR | 0711);
    SELFTEST_EQUAL(-fs_stat(&t.walk, "/many", 0, &stat), 0);
    SELFTEST_EQUAL(stat.size, 20 * 3002);
    SELFTEST_EQUAL(fs_walk_error(&t, "/many/2999", O_RDONLY), 0);
    SELFTEST_EQUAL(fs_walk_error(&t, "/many/3000", O_RDONLY), ENOENT);
    SELFTEST_EQUAL(fs_walk_error(&t, "/etc/motd", O_RDWR), EROFS);
    SELFTEST_EQUAL(-fs_unlink(&t.walk, "/etc/motd"), EROFS);
    return fs_walk_end(&t);
}
