/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of files: open's flags, links, renames, removal, directories, permissions. */
#include "conform.h"
#include <dirent.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/statfs.h>

static char longest[300], path_max[PATH_MAX + 10];

static void open_flags(void)
{
    char text[8] = "";
    int fd;

    conform_make("f", "hello");
    mkdir("d", 0755);
    TEST(symlink("f", "to_f"));
    TEST(symlink("d", "to_d"));
    TEST(symlink("nothing", "to_nothing"));
    TEST(symlink("loop", "loop"));
    TEST(open("to_f", O_RDONLY | O_NOFOLLOW));
    TEST(open("loop", O_RDONLY));
    TEST(open("loop/x", O_RDONLY));
    TEST(open("f", O_RDONLY | O_DIRECTORY));
    TEST(open("to_f", O_RDONLY | O_DIRECTORY));
    TEST(open("to_d", O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    TEST(open("d", O_RDWR));
    TEST(open("d", O_WRONLY | O_TRUNC));
    TEST(open("d", O_RDONLY | O_CREAT, 0600));
    TEST(open("d/", O_RDONLY | O_CREAT, 0600));
    TEST(open("new/", O_WRONLY | O_CREAT, 0600));
    TEST(open("f/", O_RDONLY));
    TEST(open("f/.", O_RDONLY));
    TEST(open("f/..", O_RDONLY));
    TEST(open("", O_RDONLY));
    TEST(open("to_nothing", O_RDONLY));
    TEST(open("to_nothing", O_WRONLY | O_CREAT | O_EXCL, 0600));
    TEST(open("to_f", O_WRONLY | O_CREAT | O_EXCL, 0600));
    WORKS(fd = open("to_nothing", O_WRONLY | O_CREAT, 0600));
    TEST(close(fd));
    TEST(access("nothing", F_OK));
    TEST(unlink("nothing"));
    TEST(open("absent", O_WRONLY | O_TRUNC));
    TEST(open("absent/x", O_WRONLY | O_CREAT, 0600));
    TEST(open(longest, O_RDONLY));
    TEST(open(longest, O_RDWR | O_CREAT, 0600));
    TEST(open(path_max, O_RDONLY));
    TEST(open((char *)8, O_RDONLY));
    TEST(open(NULL, O_RDONLY));
    WORKS(fd = open("f", O_PATH));
    TEST(read(fd, text, 1));
    TEST(write(fd, text, 1));
    TEST(lseek(fd, 0, SEEK_SET));
    TEST(fchmod(fd, 0600));
    TEST(ftruncate(fd, 0));
    TEST((long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0));
    TEST(fcntl(fd, F_GETFD));
    TEST(fcntl(fd, F_SETFL, 0));
    TEST(close(fd));
    WORKS(fd = open("to_f", O_PATH | O_NOFOLLOW));
    TEST(readlinkat(fd, "", text, 8));
    TEST(close(fd));
    WORKS(fd = open("f", O_WRONLY | O_APPEND));
    TEST(write(fd, "++", 2));
    TEST(pwrite(fd, "!", 1, 0)); /* appends all the same */
    TEST(lseek(fd, 0, SEEK_CUR));
    TEST(read(fd, text, 1));
    TEST(close(fd));
    WORKS(fd = open("f", O_RDONLY | O_TRUNC));
    TEST(read(fd, text, 8));
    TEST(close(fd));
    WORKS(fd = creat("f", 0));
    TEST(close(fd));
    unlink("to_f"), unlink("to_d"), unlink("to_nothing"), unlink("loop"), unlink("f"), rmdir("d");
}

static void renames(void)
{
    conform_make("a", "a");
    conform_make("b", "bb");
    mkdir("d", 0755);
    mkdir("e", 0755);
    mkdir("e/full", 0755);
    TEST(rename("a", "absent/x"));
    TEST(rename("absent", "x"));
    TEST(rename("a", "d"));
    TEST(rename("d", "a"));
    TEST(rename("d", "e"));
    TEST(rename("e", "e/full/deep"));
    TEST(rename("e", "e/x"));
    TEST(rename("e/full", "e"));
    TEST(rename("e", "d"));
    TEST(rename("d/full", "full"));
    TEST(rename("full", "d"));
    TEST(rename("a", "a"));
    TEST(rename("a", "./a"));
    TEST(rename("d", "d/."));
    TEST(rename("d/.", "x"));
    TEST(rename("d/..", "x"));
    TEST(rename(".", "x"));
    TEST(rename("a", ".."));
    TEST(rename("a/", "x"));
    TEST(rename("a", "x/"));
    TEST(rename("d/", "x/"));
    TEST(rename("x", "d"));
    TEST(rename("", "x"));
    TEST(rename("a", ""));
    TEST(rename("a", longest));
    TEST(rename("a/x", "b"));
    TEST(link("a", "same"));
    TEST(rename("a", "same"));
    TEST(access("a", F_OK)); /* both stay */
    TEST(unlink("same"));
    TEST(rename("a", "b"));
    TEST(access("a", F_OK));
    TEST(symlink("b", "s"));
    TEST(rename("s", "t"));
    TEST(rename("t", "b"));
    TEST(readlink("b", path_max, 10));
    TEST(syscall(SYS_renameat2, AT_FDCWD, "b", AT_FDCWD, "d", 1));
    TEST(syscall(SYS_renameat2, AT_FDCWD, "b", AT_FDCWD, "n", 1));
    TEST(syscall(SYS_renameat2, AT_FDCWD, "n", AT_FDCWD, "d", 2));
    struct stat st;
    TEST(lstat("d", &st));
    SAY("link %d\n", S_ISLNK(st.st_mode));
    TEST(syscall(SYS_renameat2, AT_FDCWD, "n", AT_FDCWD, "absent", 2));
    TEST(syscall(SYS_renameat2, AT_FDCWD, "n", AT_FDCWD, "d", 3));
    TEST(syscall(SYS_renameat2, AT_FDCWD, "n", AT_FDCWD, "d", 64));
    TEST(syscall(SYS_renameat2, AT_FDCWD, "n", AT_FDCWD, "n/x", 2));
    TEST(unlink("d"));
    TEST(rmdir("n"));
    TEST(unlink("e"));
    rmdir("e"), unlink("b"), rmdir("x");
}

static void links(void)
{
    struct stat st;
    char text[16];

    conform_make("f", "12345");
    mkdir("d", 0755);
    TEST(link("f", "g"));
    TEST(link("f", "g"));
    TEST(link("absent", "h"));
    TEST(link("d", "h"));
    TEST(link("f", "d"));
    TEST(link("f", "d/"));
    TEST(link("f", "h/"));
    TEST(link("f/x", "h"));
    TEST(link("f", longest));
    TEST(link("", "h"));
    TEST(link("f", ""));
    TEST(stat("f", &st));
    SAY("links %d\n", (int)st.st_nlink);
    TEST(symlink("f", "s"));
    TEST(symlink("f", "s"));
    TEST(symlink("", "empty"));
    TEST(symlink("f", ""));
    TEST(symlink("f", "d/"));
    TEST(symlink("f", "absent/s"));
    TEST(link("s", "t"));
    TEST(lstat("t", &st));
    SAY("link %d size %d\n", S_ISLNK(st.st_mode), (int)st.st_size);
    TEST(linkat(AT_FDCWD, "s", AT_FDCWD, "u", AT_SYMLINK_FOLLOW));
    TEST(lstat("u", &st));
    SAY("link %d links %d\n", S_ISLNK(st.st_mode), (int)st.st_nlink);
    TEST(linkat(AT_FDCWD, "s", AT_FDCWD, "v", 1));
    TEST(readlink("s", text, sizeof text));
    TEST(readlink("f", text, sizeof text));
    TEST(readlink("d", text, sizeof text));
    TEST(readlink("absent", text, sizeof text));
    TEST(readlink("s", text, 0));
    TEST(readlink("s", (char *)8, 10));
    TEST(readlink("s/", text, sizeof text));
    TEST(unlink("d"));
    TEST(unlink("d/"));
    TEST(unlink("s/"));
    TEST(unlink("f/"));
    TEST(unlink("."));
    TEST(unlink(""));
    TEST(unlink("absent/f"));
    TEST(unlinkat(AT_FDCWD, "d", 0));
    TEST(unlinkat(AT_FDCWD, "f", AT_REMOVEDIR));
    TEST(unlinkat(AT_FDCWD, "f", 1));
    TEST(unlinkat(99, "f", 0));
    TEST(unlinkat(99, "/absent", 0));
    TEST(rmdir("f"));
    TEST(rmdir("d/."));
    TEST(rmdir("d/.."));
    TEST(rmdir("."));
    TEST(rmdir("/"));
    TEST(rmdir("absent"));
    TEST(mkdir("d", 0755));
    TEST(mkdir("f", 0755));
    TEST(mkdir("f/x", 0755));
    TEST(mkdir("d/x/y", 0755));
    TEST(mkdir("d/x/", 0755));
    TEST(rmdir("d"));
    TEST(rmdir("d/x/"));
    TEST(mkdir("", 0755));
    TEST(mkdir(longest, 0755));
    TEST(mkdir("/", 0755));
    TEST(mkdir(".", 0755));
    TEST(mkdir("d/..", 0755));
    unlink("f"), unlink("g"), unlink("s"), unlink("t"), unlink("u");
    rmdir("d");
}

static void at_calls(void)
{
    struct stat st;
    int d, f;

    mkdir("d", 0755);
    conform_make("d/f", "x");
    WORKS(d = open("d", O_RDONLY));
    WORKS(f = open("d/f", O_RDONLY));
    TEST(openat(f, "x", O_RDONLY));
    TEST(openat(99, "x", O_RDONLY));
    TEST(openat(d, "x", O_RDONLY));
    TEST(fstatat(d, "f", &st, 0));
    TEST(fstatat(d, "", &st, 0));
    TEST(fstatat(d, "", &st, AT_EMPTY_PATH));
    TEST(fstatat(f, "", &st, AT_EMPTY_PATH));
    TEST(fstatat(d, "f", &st, 0x8000000));
    TEST(mkdirat(d, "g", 0700));
    TEST(mkdirat(f, "g", 0700));
    TEST(symlinkat("f", d, "s"));
    TEST(renameat(d, "s", AT_FDCWD, "s"));
    TEST(renameat(AT_FDCWD, "s", d, "s"));
    TEST(unlinkat(d, "s", 0));
    TEST(unlinkat(d, "g", AT_REMOVEDIR));
    TEST(faccessat(d, "f", R_OK, 0));
    TEST(faccessat(d, "f", 8, 0));
    TEST(fchmodat(d, "f", 0600, 0));
    TEST(fchownat(d, "f", -1, -1, 0));
    TEST(mknodat(d, "p", S_IFIFO | 0600, 0));
    TEST(mknodat(d, "r", S_IFREG | 0600, 0));
    TEST(mknodat(d, "r", S_IFREG | 0600, 0));
    TEST(mknodat(d, "q", S_IFDIR | 0600, 0));
    TEST(unlinkat(d, "p", 0));
    TEST(unlinkat(d, "r", 0));
    TEST(fchdir(f));
    TEST(fchdir(99));
    TEST(chdir("d/f"));
    TEST(chdir("absent"));
    TEST(fchdir(d));
    TEST(access("f", F_OK));
    TEST(chdir(".."));
    TEST(linkat(d, "f", AT_FDCWD, "hard", 0));
    TEST(linkat(f, "", AT_FDCWD, "hard2", AT_EMPTY_PATH));
    unlink("hard"), unlink("hard2");
    TEST(unlinkat(d, "f", 0));
    TEST(rmdir("d"));
    TEST(mkdirat(d, "late", 0700));
    TEST(openat(d, "late", O_CREAT | O_WRONLY, 0600));
    TEST(openat(d, ".", O_RDONLY) >= 0);
    TEST(fstat(d, &st));
    SAY("links %d\n", (int)st.st_nlink);
    TEST(fstat(f, &st));
    SAY("links %d size %d\n", (int)st.st_nlink, (int)st.st_size);
    TEST(getdents64(d, path_max, sizeof path_max));
    TEST(getdents64(f, path_max, sizeof path_max));
    close(d), close(f);
}

#define MANY 3000

/* All entries are seen once, though those that were seen are removed meanwhile. */
static void many(void)
{
    static char seen[MANY];
    struct dirent *entry;
    int count = 0, twice = 0;
    char name[32];
    DIR *dir;

    mkdir("many", 0755);
    for (int i = 0; i < MANY; i++) {
        sprintf(name, "many/%d", i);
        close(open(name, O_CREAT | O_WRONLY, 0600));
    }
    dir = opendir("many");
    while ((entry = readdir(dir)))
        if (entry->d_name[0] != '.') {
            int i = atoi(entry->d_name);

            twice += seen[i];
            seen[i] = 1;
            count++;
            sprintf(name, "many/%d", i);
            if (unlink(name) != 0)
                SAY("unlink %s\n", name);
        }
    closedir(dir);
    SAY("seen %d twice %d\n", count, twice);
    TEST(rmdir("many"));
    int fd = open(".", O_RDONLY);
    TEST(getdents64(fd, path_max, 1));
    TEST(getdents64(fd, (void *)8, 100));
    close(fd);
}

int main(void)
{
    memset(longest, 'n', sizeof longest - 1);
    memset(path_max, 'p', sizeof path_max - 1);
    conform_begin();
    open_flags();
    renames();
    links();
    at_calls();
    many();
    return conform_end(0);
}
