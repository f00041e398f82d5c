/* SPDX-License-Identifier: BSD-2-Clause */
/* Names: paths, links, renames, permissions, and directories with many entries. */
#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"
#include "tests/kernel/fs_walk.h"
#include "tests/kernel/selftest.h"

#define LOOPS 41u

static int check_paths(struct fs_walk *t)
{
    static char name[NAME_LENGTH + 2], path[PATH_LENGTH + 1];
    struct file_stat stat;

    memset(name, 'n', NAME_LENGTH + 1);
    memset(path, '/', PATH_LENGTH);
    SELFTEST_EQUAL(fs_walk_error(t, name, O_RDONLY), ENAMETOOLONG);
    name[NAME_LENGTH] = '\0';
    SELFTEST_EQUAL(fs_walk_error(t, name, O_RDONLY), ENOENT);
    SELFTEST_EQUAL(fs_walk_error(t, path, O_RDONLY), ENAMETOOLONG);
    path[PATH_LENGTH - 1] = '\0'; /* 4095 slashes are the root */
    SELFTEST_EQUAL(fs_walk_error(t, path, O_RDONLY), 0);
    SELFTEST_EQUAL(fs_walk_error(t, "", O_RDONLY), ENOENT);
    SELFTEST_EQUAL(fs_walk_error(t, "file/x", O_RDONLY), ENOTDIR);
    SELFTEST_EQUAL(fs_walk_error(t, "file/", O_RDONLY), ENOTDIR);
    SELFTEST_EQUAL(fs_walk_error(t, "file/.", O_RDONLY), ENOTDIR);
    SELFTEST_EQUAL(fs_walk_error(t, "none/", O_WRONLY | O_CREAT), EISDIR);
    SELFTEST_EQUAL(fs_walk_error(t, "dir", O_WRONLY), EISDIR);
    SELFTEST_EQUAL(fs_walk_error(t, "dir//.././dir/../file", O_RDONLY), 0);
    SELFTEST_EQUAL(fs_walk_error(t, "/../../tmp/../tmp/test/file", O_RDONLY), 0);
    SELFTEST_EQUAL(fs_walk_error(t, "file", O_RDONLY | O_DIRECTORY), ENOTDIR);
    SELFTEST_EQUAL(fs_walk_error(t, "file", O_WRONLY | O_CREAT | O_EXCL), EEXIST);
    SELFTEST_EQUAL(fs_walk_error(t, "/new", O_WRONLY | O_CREAT), EROFS);
    SELFTEST_EQUAL(-fs_mkdir(&t->walk, "/new", 0755), EROFS);
    SELFTEST_EQUAL(-fs_rmdir(&t->walk, "/tmp"), EROFS);
    SELFTEST_EQUAL(-fs_mkdir(&t->walk, "dir/", 0755), EEXIST);
    SELFTEST_EQUAL(-fs_stat(&t->walk, "dir", 0, &stat), 0);
    SELFTEST_EQUAL(stat.mode, S_IFDIR | 0755);
    SELFTEST_EQUAL(stat.links, 2);
    return 0;
}

/* l1 -> l0 -> file, and so on: 40 are followed, 41 are not. */
static int check_links(struct fs_walk *t)
{
    char name[8] = "file", before[8], text[8];

    for (unsigned i = 0; i < LOOPS; i++) {
        strlcpy(before, name, sizeof before);
        format(name, sizeof name, "l%u", i);
        SELFTEST_EQUAL(-fs_symlink(&t->walk, before, name), 0);
    }
    SELFTEST_EQUAL(fs_walk_error(t, "l39", O_RDONLY), 0);
    SELFTEST_EQUAL(fs_walk_error(t, "l40", O_RDONLY), ELOOP);
    SELFTEST_EQUAL(fs_walk_error(t, "l0", O_RDONLY | O_NOFOLLOW), ELOOP);
    SELFTEST_EQUAL(fs_walk_error(t, "l0", O_RDONLY | O_NOFOLLOW | O_PATH), 0);
    SELFTEST_EQUAL(fs_readlink(&t->walk, "l1", text, sizeof text), 2);
    SELFTEST_CHECK(memcmp(text, "l0", 2) == 0);
    SELFTEST_EQUAL(-fs_readlink(&t->walk, "file", text, sizeof text), EINVAL);
    SELFTEST_EQUAL(-fs_symlink(&t->walk, "made", "dangling"), 0);
    SELFTEST_EQUAL(fs_walk_error(t, "dangling", O_WRONLY | O_CREAT | O_EXCL), EEXIST);
    SELFTEST_EQUAL(fs_walk_error(t, "dangling", O_WRONLY | O_CREAT), 0); /* makes `made` */
    SELFTEST_EQUAL(-fs_unlink(&t->walk, "made"), 0);
    SELFTEST_EQUAL(-fs_unlink(&t->walk, "dangling"), 0);
    for (unsigned i = 0; i < LOOPS; i++) {
        format(name, sizeof name, "l%u", i);
        SELFTEST_EQUAL(-fs_unlink(&t->walk, name), 0);
    }
    return 0;
}

static int check_removals(struct fs_walk *t)
{
    char buffer[32];

    SELFTEST_EQUAL(-fs_unlink(&t->walk, "dir"), EISDIR);
    SELFTEST_EQUAL(-fs_unlink(&t->walk, "file/"), ENOTDIR);
    SELFTEST_EQUAL(-fs_rmdir(&t->walk, "file"), ENOTDIR);
    SELFTEST_EQUAL(-fs_rmdir(&t->walk, "dir/."), EINVAL);
    SELFTEST_EQUAL(-fs_rmdir(&t->walk, "dir/.."), ENOTEMPTY);
    SELFTEST_EQUAL(-fs_rmdir(&t->walk, "/"), EBUSY);
    SELFTEST_EQUAL(-fs_mkdir(&t->walk, "dir/sub", 0700), 0);
    SELFTEST_EQUAL(-fs_rmdir(&t->walk, "dir"), ENOTEMPTY);
    SELFTEST_EQUAL(-fs_chdir(&t->walk, "dir/sub"), 0);
    SELFTEST_EQUAL(fs_getcwd(t->walk.base, buffer, sizeof buffer), sizeof "/tmp/test/dir/sub");
    SELFTEST_CHECK(strcmp(buffer, "/tmp/test/dir/sub") == 0);
    SELFTEST_EQUAL(-fs_getcwd(t->walk.base, buffer, 17), ERANGE);
    SELFTEST_EQUAL(-fs_rmdir(&t->walk, "../sub"), 0);
    SELFTEST_EQUAL(-fs_getcwd(t->walk.base, buffer, sizeof buffer), ENOENT);
    SELFTEST_EQUAL(fs_walk_error(t, "new", O_WRONLY | O_CREAT), ENOENT);
    SELFTEST_EQUAL(-fs_chdir(&t->walk, ".."), 0); /* what is gone has still a parent */
    SELFTEST_EQUAL(-fs_chdir(&t->walk, ".."), 0);
    return 0;
}

SELFTEST(fs_paths, "fs-paths", "paths, links and removals fail as Linux' manual has it")
{
    struct fs_walk t;

    if (fs_walk_begin(&t) != 0)
        return 1;
    SELFTEST_EQUAL(fs_walk_make(&t, "file", "x"), 0);
    SELFTEST_EQUAL(-fs_mkdir(&t.walk, "dir", 0755), 0);
    if (check_paths(&t) != 0 || check_links(&t) != 0 || check_removals(&t) != 0)
        return 1;
    SELFTEST_EQUAL(-fs_rmdir(&t.walk, "dir"), 0);
    SELFTEST_EQUAL(-fs_unlink(&t.walk, "file"), 0);
    return fs_walk_end(&t);
}

static int rename_error(struct fs_walk *t, const char *old, const char *new)
{
    return -fs_rename(&t->walk, old, &t->walk, new, 0);
}

static uint32_t links_of(struct fs_walk *t, const char *path)
{
    struct file_stat stat = {.links = 99};

    fs_stat(&t->walk, path, 0, &stat);
    return stat.links;
}

SELFTEST(fs_rename, "fs-rename", "renames over, into and out of directories; links are counted")
{
    struct fs_walk t;

    if (fs_walk_begin(&t) != 0)
        return 1;
    SELFTEST_EQUAL(-fs_mkdir(&t.walk, "a", 0755), 0);
    SELFTEST_EQUAL(-fs_mkdir(&t.walk, "a/b", 0755), 0);
    SELFTEST_EQUAL(-fs_mkdir(&t.walk, "c", 0755), 0);
    SELFTEST_EQUAL(fs_walk_make(&t, "f", "f"), 0);
    SELFTEST_EQUAL(rename_error(&t, "a", "a/b/x"), EINVAL);
    SELFTEST_EQUAL(rename_error(&t, "c", "a"), ENOTEMPTY);
    SELFTEST_EQUAL(rename_error(&t, "a/b", "a"), ENOTEMPTY);
    SELFTEST_EQUAL(rename_error(&t, "f", "a"), EISDIR);
    SELFTEST_EQUAL(rename_error(&t, "a", "f"), ENOTDIR);
    SELFTEST_EQUAL(rename_error(&t, "f", "g/"), ENOTDIR);
    SELFTEST_EQUAL(rename_error(&t, "none", "g"), ENOENT);
    SELFTEST_EQUAL(rename_error(&t, "f", "/dev/f"), EXDEV);
    SELFTEST_EQUAL(rename_error(&t, "a/.", "g"), EBUSY);
    SELFTEST_EQUAL(-fs_rename(&t.walk, "f", &t.walk, "c", RENAME_NOREPLACE), EEXIST);
    SELFTEST_EQUAL(links_of(&t, "."), 4);
    SELFTEST_EQUAL(rename_error(&t, "a/b", "c"), 0); /* an empty directory goes under it */
    SELFTEST_EQUAL(links_of(&t, "."), 4);
    SELFTEST_EQUAL(links_of(&t, "a"), 2);
    SELFTEST_EQUAL(rename_error(&t, "c", "a/c"), 0);
    SELFTEST_EQUAL(links_of(&t, "."), 3);
    SELFTEST_EQUAL(links_of(&t, "a"), 3);
    SELFTEST_EQUAL(-fs_link(&t.walk, "f", &t.walk, "a/g", 0), 0);
    SELFTEST_EQUAL(links_of(&t, "f"), 2);
    SELFTEST_EQUAL(rename_error(&t, "f", "a/g"), 0); /* two names of one file: both stay */
    SELFTEST_EQUAL(links_of(&t, "f"), 2);
    SELFTEST_EQUAL(-fs_unlink(&t.walk, "f"), 0);
    SELFTEST_EQUAL(links_of(&t, "a/g"), 1);
    SELFTEST_EQUAL(-fs_link(&t.walk, "a", &t.walk, "h", 0), EPERM);
    SELFTEST_EQUAL(-fs_unlink(&t.walk, "a/g"), 0);
    SELFTEST_EQUAL(-fs_rmdir(&t.walk, "a/c"), 0);
    SELFTEST_EQUAL(-fs_rmdir(&t.walk, "a"), 0);
    return fs_walk_end(&t);
}

SELFTEST(fs_permissions, "fs-permissions", "who may do what, by user, group and mode")
{
    struct fs_walk t;
    struct path_walk root;
    const uint32_t groups[] = {20, 30};

    if (fs_walk_begin(&t) != 0)
        return 1;
    root = t.walk;
    SELFTEST_EQUAL(fs_walk_make(&t, "f", "f"), 0);
    SELFTEST_EQUAL(-fs_chown(&t.walk, "f", 0, 7, 30), 0);
    SELFTEST_EQUAL(-fs_chmod(&t.walk, "f", 0, 0640), 0);
    SELFTEST_EQUAL(-fs_access(&t.walk, "f", 0, PERMIT_EXECUTE), EACCES); /* not even root */
    t.walk.who = (struct credentials){.uid = 8, .gid = 8};
    SELFTEST_EQUAL(fs_walk_error(&t, "f", O_RDONLY), EACCES);
    SELFTEST_EQUAL(-fs_chmod(&t.walk, "f", 0, 0777), EPERM);
    SELFTEST_EQUAL(fs_walk_error(&t, "mine", O_WRONLY | O_CREAT), EACCES); /* 0755, root's */
    t.walk.who.groups = groups;
    t.walk.who.group_count = 2;
    SELFTEST_EQUAL(fs_walk_error(&t, "f", O_RDONLY), 0);
    SELFTEST_EQUAL(fs_walk_error(&t, "f", O_RDWR), EACCES);
    t.walk.who.uid = 7;
    SELFTEST_EQUAL(fs_walk_error(&t, "f", O_RDWR), 0);
    SELFTEST_EQUAL(-fs_chown(&t.walk, "f", 0, 8, UINT32_MAX), EPERM);
    SELFTEST_EQUAL(-fs_chown(&t.walk, "f", 0, UINT32_MAX, 20), 0);
    SELFTEST_EQUAL(-fs_chmod(&t.walk, "f", 0, 0), 0);
    SELFTEST_EQUAL(fs_walk_error(&t, "f", O_RDONLY), EACCES);
    SELFTEST_EQUAL(-fs_chmod(&root, ".", 0, S_ISVTX | 0777), 0);
    t.walk.who.uid = 9;
    SELFTEST_EQUAL(-fs_unlink(&t.walk, "f"), EPERM); /* sticky */
    t.walk.who.uid = 7;
    SELFTEST_EQUAL(-fs_unlink(&t.walk, "f"), 0);
    SELFTEST_EQUAL(-fs_chmod(&root, ".", 0, 0600), 0);
    SELFTEST_EQUAL(-fs_mkdir(&t.walk, "d", 0755), EACCES); /* not to be searched */
    t.walk = root;
    return fs_walk_end(&t);
}

#define MANY 10000u

struct seen {
    unsigned entries, room;
    uint64_t *bits; /* of MANY */
    bool twice;
};

static bool see(void *argument, const char *name, size_t length, uint64_t number, uint32_t type,
                uint64_t cookie)
{
    struct seen *seen = argument;
    unsigned n = 0;

    (void)number;
    (void)type;
    (void)cookie;
    if (seen->room-- == 0)
        return false;
    if (name[0] == '.')
        return true;
    for (size_t i = 1; i < length; i++)
        n = n * 10 + (unsigned)(name[i] - '0');
    seen->twice |= (seen->bits[n / 64] >> n % 64 & 1) != 0;
    seen->bits[n / 64] |= 1ull << n % 64;
    seen->entries++;
    return true;
}

static int fill(struct fs_walk *t, int (*call)(const struct path_walk *, const char *),
                unsigned first, unsigned step)
{
    char name[16];
    struct file *file;

    for (unsigned i = first; i < MANY; i += step) {
        format(name, sizeof name, "e%u", i);
        if (call != NULL) {
            SELFTEST_EQUAL(-call(&t->walk, name), 0);
            continue;
        }
        file = fs_walk_open(t, name, O_WRONLY | O_CREAT | O_EXCL);
        SELFTEST_CHECK(file != NULL);
        file_release(file);
    }
    return 0;
}

static int read_all(struct fs_walk *t, struct file *file, struct seen *seen)
{
    unsigned before;

    (void)t;
    do { /* 100 entries at a time */
        before = seen->entries;
        seen->room = 100;
        SELFTEST_EQUAL(-file_readdir(file, see, seen), 0);
    } while (seen->entries != before);
    return 0;
}

SELFTEST(fs_directory, "fs-directory",
         "10,000 names: all are listed once, also while others are removed")
{
    struct fs_walk t;
    struct seen seen = {.bits = kmem_zalloc(MANY / 8 + 8)};
    struct file *file;
    int result;

    if (seen.bits == NULL || fs_walk_begin(&t) != 0 || fill(&t, NULL, 0, 1) != 0)
        return 1;
    file = fs_walk_open(&t, ".", O_RDONLY | O_DIRECTORY);
    SELFTEST_CHECK(file != NULL);
    seen.room = 5002; /* with the dots half of them */
    SELFTEST_EQUAL(-file_readdir(file, see, &seen), 0);
    SELFTEST_EQUAL(seen.entries, 5000);
    if (fill(&t, fs_unlink, 0, 2) != 0) /* 2,500 that were seen and 2,500 that were not */
        return 1;
    result = read_all(&t, file, &seen);
    SELFTEST_EQUAL(seen.entries, 7500);
    SELFTEST_CHECK(!seen.twice);
    for (unsigned n = 1; n < MANY; n += 2)
        SELFTEST_CHECK((seen.bits[n / 64] >> n % 64 & 1) != 0);
    file_release(file);
    kmem_free(seen.bits);
    if (result != 0 || fill(&t, fs_unlink, 1, 2) != 0)
        return 1;
    return fs_walk_end(&t);
}
