/* SPDX-License-Identifier: BSD-2-Clause */
/* Names for the same thing, slashes behind names, flags of the calls that take paths, times before
 * 1970; and limits of files, kinds of children, and terminals that are not there. */
#include "conform.h"
#include <limits.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static long rename2(const char *old, const char *new, unsigned flags)
{
    return syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, flags);
}

static void same(void)
{
    conform_make("a", "a");
    conform_make("b", "b");
    TEST(link("a", "a2"));
    TEST(mkdir("d", 0755));
    TEST(mkdir("d/in", 0755));
    TEST(rename("d", "d"));
    TEST(rename("d/", "./d"));
    TEST(rename("a", "a"));
    TEST(rename("a", "a2"));
    TEST(access("a", F_OK));
    TEST(rename2("a", "a", 2 /* RENAME_EXCHANGE */));
    TEST(rename2("a", "a2", 2));
    TEST(rename2("d", "d", 2));
    TEST(rename2("a", "a", 1 /* RENAME_NOREPLACE */));
    TEST(access("d/in", F_OK));
}

static void slashes(void)
{
    TEST(symlink("a", "link"));
    TEST(rename("b", "link/"));
    TEST(rename("b", "a/"));
    TEST(rename("b", "d/"));
    TEST(rename("b", "new/"));
    TEST(rename2("b", "d/", 2));
    TEST(rename2("d/", "b", 2));
    TEST(rename2("a/", "b/", 2));
    TEST(rename2("b", "d", 2));
    TEST(open("a/", O_RDWR | O_CREAT, 0600));
    TEST(open("b/", O_RDWR | O_CREAT, 0600));
    TEST(open("d/", O_RDWR | O_CREAT, 0600));
    TEST(open("new/", O_RDWR | O_CREAT, 0600));
    TEST(open("link/", O_RDWR | O_CREAT, 0600));
    TEST(open("a/", O_RDONLY));
    TEST(rename2("b", "d", 2));
    TEST(rename("d", "dir"));
    TEST(rename("dir/", "d"));
}

static void flags(void)
{
    char text[10];

    TEST(readlink("", text, 5));
    TEST(readlink("link", text, 0));
    TEST(readlink("a", text, 5));
    TEST(readlink(".", text, 5));
    TEST(readlinkat(open("link", O_PATH | O_NOFOLLOW), "", text, 5));
    TEST(syscall(SYS_faccessat2, AT_FDCWD, "a", R_OK, 1));
    TEST(syscall(SYS_faccessat2, AT_FDCWD, "a", R_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW));
    TEST(fchownat(AT_FDCWD, "link", -1, -1, 1));
    TEST(fchownat(AT_FDCWD, "link", -1, -1, AT_SYMLINK_NOFOLLOW));
}

static void times(void)
{
    struct timespec omitted[2] = {{1, UTIME_OMIT}, {1, UTIME_OMIT}};
    struct timespec old[2] = {{-5, 7}, {-1, 999999999}};
    struct stat stat_of;

    TEST(utimensat(AT_FDCWD, "nosuch", omitted, 0));
    TEST(utimensat(99, "nosuch", omitted, 0));
    TEST(utimensat(AT_FDCWD, "a", old, 0));
    TEST(stat("a", &stat_of));
    TEST(stat_of.st_atim.tv_sec);
    TEST(stat_of.st_atim.tv_nsec);
}

static void limits(void)
{
    struct rlimit few = {100, 200};
    int fd = open("big", O_RDWR | O_CREAT, 0600);

    TEST(ftruncate(fd, 1000));
    /* What is said goes through a pipe or to a file that was longer already; so nothing is said
     * here. */
    CHILD(setrlimit(RLIMIT_FSIZE, &few); signal(SIGXFSZ, SIG_IGN); int result = 0;
          result |= truncate("big", 1001) == -1 && errno == EFBIG ? 1 : 0;
          result |= truncate("big", 500) == 0 ? 2 : 0; result |= ftruncate(fd, 400) == 0 ? 4 : 0;
          result |= ftruncate(fd, 401) == -1 && errno == EFBIG ? 8 : 0; _exit(result));
    CHILD(setrlimit(RLIMIT_FSIZE, &few); truncate("big", 1001));
    close(fd);
    TEST(unlink("big"));
}

static void pieces(void)
{
    char bytes[8] = "";
    int fd = open("a", O_RDWR);
    struct iovec v[2] = {{bytes, 3}, {bytes, -1}};

    TEST(writev(fd, v, 2));
    v[1].iov_len = LONG_MAX;
    TEST(writev(fd, v, 2));
    v[1] = (struct iovec){(void *)1, 4};
    TEST(writev(fd, v, 2));
    close(fd);
}

static int seven(void *argument)
{
    (void)argument;
    return 7;
}

/* A child that does not end with SIGCHLD is waited for only by who asks for it. */
static void kinds(void)
{
    static char stack[65536] __attribute__((aligned(16)));
    pid_t child;
    int status;

    child = clone(seven, stack + sizeof stack, 0, NULL);
    TEST(child > 0);
    TEST(waitpid(child, &status, 0));
    TEST(waitpid(-1, &status, 0));
    TEST(waitpid(child, &status, __WALL) == child);
    TEST(WEXITSTATUS(status));
    signal(SIGUSR1, SIG_IGN);
    child = clone(seven, stack + sizeof stack, SIGUSR1, NULL);
    TEST(waitpid(-1, &status, __WCLONE) == child);
    child = fork();
    if (child == 0)
        _exit(3);
    TEST(waitpid(child, &status, __WCLONE));
    TEST(waitpid(child, &status, __WALL | __WNOTHREAD) == child);
}

/* Where nothing can be made there is nothing to link to; a file is born once. */
static void births(void)
{
    struct statx first, second;
    struct timespec now;

    TEST(link("a", "/proc/quipu_link"));
    TEST(mkdir("/proc/quipu_link", 0755));
    TEST(open("/proc/quipu_file", O_CREAT | O_WRONLY, 0644));
    TEST(symlink("a", "/proc/self/quipu_link"));
    TEST(rename("/proc/self/stat", "/proc/self/quipu_stat"));
    TEST(rename("/proc/self/stat", "/proc/self/maps"));
    TEST(unlink("/proc/self/stat"));
    clock_gettime(CLOCK_REALTIME, &now);
    TEST(close(open("born", O_CREAT | O_WRONLY, 0644)));
    TEST(statx(AT_FDCWD, "born", 0, STATX_BTIME | STATX_BASIC_STATS, &first));
    SAY("%d %d\n", (first.stx_mask & STATX_BTIME) != 0,
        first.stx_btime.tv_sec - now.tv_sec + 1 < 3);
    usleep(20000);
    conform_make("born", "more");
    TEST(rename("born", "born2"));
    TEST(statx(AT_FDCWD, "born2", 0, STATX_BTIME, &second));
    SAY("%d %d\n",
        first.stx_btime.tv_sec == second.stx_btime.tv_sec &&
            first.stx_btime.tv_nsec == second.stx_btime.tv_nsec,
        second.stx_mtime.tv_sec != first.stx_btime.tv_sec ||
            second.stx_mtime.tv_nsec != first.stx_btime.tv_nsec);
    TEST(statx(AT_FDCWD, "born2", 0, STATX_BASIC_STATS, &second));
    SAY("%d\n", (second.stx_mask & STATX_BTIME) != 0);
    TEST(unlink("born2"));
}

int main(void)
{
    conform_begin();
    same();
    slashes();
    flags();
    times();
    limits();
    pieces();
    kinds();
    births();
    CHILD(setsid(); TEST(open("/dev/tty", O_RDWR)));
    TEST(unlink("a"));
    TEST(unlink("a2"));
    TEST(unlink("dir"));
    TEST(unlink("link"));
    TEST(rmdir("b/in"));
    TEST(rmdir("b"));
    return conform_end(0);
}
