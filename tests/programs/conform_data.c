/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of files: offsets, holes, vectors, truncation, limits, times, permissions; pipes. */
#include "conform.h"
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>

static char big[70000];

static void offsets(void)
{
    int fd = open("f", O_RDWR | O_CREAT, 0644), other, null = open("/dev/null", O_RDWR);
    struct stat st;

    TEST(write(fd, "0123456789", 10));
    TEST(lseek(fd, 100000, SEEK_SET));
    TEST(read(fd, big, 10));
    TEST(write(fd, "x", 1));
    TEST(fstat(fd, &st));
    SAY("size %ld\n", (long)st.st_size);
    TEST(lseek(fd, 0, SEEK_DATA));
    TEST(lseek(fd, 0, SEEK_HOLE) % 4096);
    TEST(lseek(fd, 50000, SEEK_HOLE));
    TEST(lseek(fd, 100001, SEEK_DATA));
    TEST(lseek(fd, 100001, SEEK_HOLE));
    TEST(lseek(fd, 100000, SEEK_HOLE));
    TEST(lseek(fd, -1, SEEK_DATA));
    TEST(lseek(fd, LONG_MAX, SEEK_CUR));
    TEST(lseek(fd, -1, SEEK_SET));
    TEST(lseek(fd, 0, 5));
    TEST(lseek(fd, 0, -1));
    TEST(lseek(99, 0, SEEK_SET));
    TEST(pread(fd, big, 10, -1));
    TEST(pwrite(fd, big, 10, -1));
    TEST(pread(fd, big, 10, 200000));
    TEST(pread(fd, (void *)8, 10, 0));
    TEST(pread(fd, (void *)8, 0, 0));
    TEST(read(fd, big, 0));
    TEST(read(99, big, 0));
    TEST(write(fd, (void *)8, 10));
    TEST(write(fd, (void *)8, 0));
    TEST(lseek(fd, 5, SEEK_SET));
    other = dup(fd);
    TEST(lseek(other, 0, SEEK_CUR));
    TEST(read(other, big, 2));
    TEST(lseek(fd, 0, SEEK_CUR));
    CHILD(lseek(fd, 42, SEEK_SET));
    TEST(lseek(fd, 0, SEEK_CUR));
    TEST(fcntl(other, F_SETFL, O_APPEND | O_NONBLOCK));
    TEST(fcntl(fd, F_GETFL) & (O_APPEND | O_NONBLOCK) ? 1 : 0);
    TEST(fcntl(fd, F_SETFL, O_WRONLY));
    TEST(fcntl(fd, F_GETFL) & O_ACCMODE);
    close(other);
    other = open("f", O_RDONLY);
    TEST(lseek(other, 0, SEEK_CUR));
    TEST(write(other, "x", 1));
    TEST(ftruncate(other, 0));
    TEST(ftruncate(fd, -1));
    TEST(truncate("f", -1));
    TEST(truncate("absent", 0));
    TEST(truncate(".", 0));
    TEST(truncate("f/x", 0));
    TEST(ftruncate(99, 0));
    TEST(ftruncate(null, 0));
    TEST(lseek(null, 10, SEEK_SET));
    TEST(write(null, big, 100));
    TEST(read(null, big, 100));
    TEST(ftruncate(fd, 4));
    TEST(ftruncate(fd, 8));
    memset(big, 'z', 10);
    TEST(pread(fd, big, 10, 0));
    SAY("%d %d %d\n", big[3], big[4], big[7]);
    TEST(fsync(fd));
    TEST(fsync(99));
    TEST(fdatasync(fd));
    close(fd), close(other), close(null);
    fd = open("f", O_WRONLY);
    TEST(read(fd, big, 1));
    close(fd);
    TEST(unlink("f"));
}

static void vectors(void)
{
    int fd = open("v", O_RDWR | O_CREAT | O_TRUNC, 0644);
    struct iovec parts[3] = {{"one", 3}, {(void *)8, 0}, {"two", 3}}, many[1025];
    char text[8] = "", more[8] = "";

    TEST(writev(fd, parts, 3));
    parts[1].iov_len = 1;
    TEST(writev(fd, parts, 3));
    TEST(writev(fd, parts + 1, 2));
    TEST(writev(fd, parts, -1));
    TEST(writev(fd, parts, 0));
    TEST(writev(fd, NULL, 1));
    for (int i = 0; i < 1025; i++)
        many[i] = (struct iovec){"m", 1};
    TEST(writev(fd, many, 1025));
    TEST(writev(fd, many, 1024));
    parts[0].iov_len = (size_t)-1;
    parts[1] = (struct iovec){"x", 1};
    TEST(writev(fd, parts, 2));
    parts[0] = (struct iovec){text, 2};
    parts[1] = (struct iovec){more, 4};
    TEST(preadv(fd, parts, 2, 0));
    SAY("%s %s\n", text, more);
    TEST(preadv(fd, parts, 2, -1));
    TEST(syscall(SYS_preadv2, fd, parts, 2, 0, 0, 0));
    TEST(syscall(SYS_pwritev2, fd, parts, 1, 1, 0, 0x10)); /* RWF_APPEND */
    TEST(lseek(fd, 0, SEEK_END));
    TEST(lseek(fd, 0, SEEK_SET));
    TEST(syscall(SYS_preadv2, fd, parts, 2, -1l, -1l, 0));
    TEST(lseek(fd, 0, SEEK_CUR));
    TEST(syscall(SYS_preadv2, fd, parts, 2, 0, 0, 0x10000));
    close(fd);
    unlink("v");
}

static void holes(void)
{
    int fd = open("h", O_RDWR | O_CREAT | O_TRUNC, 0644), ends[2];
    struct stat st;

    pipe(ends);
    TEST(fallocate(fd, 0, 0, 10000));
    TEST(fstat(fd, &st));
    SAY("size %ld\n", (long)st.st_size);
    TEST(fallocate(fd, 1, 0, 100000)); /* keep the size */
    TEST(fstat(fd, &st));
    SAY("size %ld\n", (long)st.st_size);
    TEST(fallocate(fd, 0, -1, 10));
    TEST(fallocate(fd, 0, 0, 0));
    TEST(fallocate(fd, 0, 0, -1));
    TEST(fallocate(99, 0, 0, 1));
    TEST(fallocate(ends[1], 0, 0, 1));
    memset(big, 'x', 12288);
    TEST(pwrite(fd, big, 12288, 0));
    TEST(fallocate(fd, 3, 4096, 4096)); /* a hole */
    TEST(pread(fd, big, 12288, 0));
    SAY("%d %d %d %d\n", big[4095], big[4096], big[8191], big[8192]);
    TEST(fallocate(fd, 3, 10, 20));
    TEST(pread(fd, big, 40, 0));
    SAY("%d %d %d %d\n", big[9], big[10], big[29], big[30]);
    TEST(fallocate(fd, 2, 0, 4096));
    TEST(posix_fallocate(fd, 0, 20000));
    TEST(fstat(fd, &st));
    SAY("size %ld\n", (long)st.st_size);
    close(fd);
    fd = open("h", O_RDONLY);
    TEST(fallocate(fd, 0, 0, 1));
    close(fd), close(ends[0]), close(ends[1]);
    unlink("h");
}

static void limits(void)
{
    struct rlimit size = {1 << 20, RLIM_INFINITY}, files = {5, 10};
    int fd = open("l", O_RDWR | O_CREAT | O_TRUNC, 0644);

    CHILD(setrlimit(RLIMIT_FSIZE, &size); signal(SIGXFSZ, SIG_IGN);
          lseek(fd, (1 << 20) - 1000, SEEK_SET); TEST(write(fd, big, 2000));
          TEST(write(fd, big, 1)); TEST(ftruncate(fd, (1 << 20) + 1));
          TEST(pwrite(fd, big, 10, (1 << 20) - 5)); TEST(fallocate(fd, 0, 0, 2 << 20)));
    CHILD(setrlimit(RLIMIT_FSIZE, &size); lseek(fd, 1 << 20, SEEK_SET); write(fd, big, 1));
    CHILD(setrlimit(RLIMIT_NOFILE, &files); TEST(dup(fd)); TEST(dup(fd)); TEST(dup2(fd, 5));
          TEST(fcntl(fd, F_DUPFD, 5)); TEST(fcntl(fd, F_DUPFD, -1)); TEST(open("l", O_RDONLY));
          TEST(pipe((int[2]){0})); TEST(dup2(fd, 4)); TEST(dup2(99, 4)); TEST(dup2(fd, -1)));
    TEST(dup3(fd, fd, 0));
    TEST(dup2(fd, fd) == fd);
    TEST(dup3(fd, 20, 1));
    TEST(dup(99));
    close(fd);
    unlink("l");
}

static void pipes(void)
{
    struct pollfd polled;
    int ends[2], avail;
    long total = 0, got;

    TEST(pipe((int *)8));
    TEST(pipe2(ends, 1));
    pipe2(ends, O_NONBLOCK);
    TEST(fcntl(ends[1], F_GETPIPE_SZ));
    while ((got = write(ends[1], big, 4096)) > 0)
        total += got;
    TEST(total);
    TEST(write(ends[1], big, 1));
    TEST(ioctl(ends[0], FIONREAD, &avail));
    SAY("%d\n", avail);
    polled = (struct pollfd){ends[1], POLLOUT, 0};
    TEST(poll(&polled, 1, 0));
    TEST(read(ends[0], big, 4096));
    TEST(poll(&polled, 1, 0));
    TEST(fcntl(ends[1], F_SETPIPE_SZ, 4096)); /* more is in it */
    TEST(fcntl(ends[1], F_SETPIPE_SZ, 100000));
    TEST(fcntl(ends[1], F_SETPIPE_SZ, 0x80000001u));
    while (read(ends[0], big, sizeof big) > 0)
        ;
    TEST(read(ends[0], big, 1));
    TEST(fcntl(ends[1], F_SETPIPE_SZ, 1));
    TEST(write(ends[1], big, 4097)); /* more than PIPE_BUF: a part */
    TEST(write(ends[1], big, 10));
    TEST(read(ends[0], big, 10000));
    TEST(lseek(ends[0], 0, SEEK_SET));
    TEST(pread(ends[0], big, 1, 0));
    TEST(write(ends[0], "x", 1));
    TEST(read(ends[1], big, 1));
    TEST(fcntl(ends[0], F_GETFL) & O_ACCMODE);
    TEST(fcntl(ends[1], F_GETFL) & O_ACCMODE);
    TEST(ftruncate(ends[1], 0));
    close(ends[1]);
    polled = (struct pollfd){ends[0], POLLIN, 0};
    TEST(poll(&polled, 1, 0));
    SAY("revents %x\n", polled.revents);
    TEST(read(ends[0], big, 1));
    close(ends[0]);
    pipe(ends);
    close(ends[0]);
    polled = (struct pollfd){ends[1], POLLOUT, 0};
    TEST(poll(&polled, 1, 0));
    SAY("revents %x\n", polled.revents);
    CHILD(write(ends[1], "x", 1));
    signal(SIGPIPE, SIG_IGN);
    TEST(write(ends[1], "x", 1));
    TEST(write(ends[1], "x", 0));
    close(ends[1]);
    TEST(mkfifo("p", 0600));
    TEST(open("p", O_WRONLY | O_NONBLOCK));
    WORKS(ends[0] = open("p", O_RDONLY | O_NONBLOCK));
    TEST(read(ends[0], big, 1));
    WORKS(ends[1] = open("p", O_WRONLY | O_NONBLOCK));
    TEST(read(ends[0], big, 1));
    TEST(write(ends[1], "abc", 3));
    TEST(read(ends[0], big, 10));
    close(ends[0]), close(ends[1]);
    unlink("p");
}

/* What takes the set-id bits away: root's writes and truncations do not, anybody else's do. */
static unsigned bits_after(unsigned mode, uid_t user, int how)
{
    struct stat st;
    pid_t child;

    conform_make("bits", "text");
    chown("bits", 0, 0);
    chmod("bits", mode);
    child = fork();
    if (child == 0) {
        int fd = open("bits", O_RDWR);

        setgroups(0, NULL);
        setgid(user);
        setuid(user);
        if (how == 0)
            pwrite(fd, "t", 1, 0);
        else if (how == 1)
            ftruncate(fd, 4);
        else if (how == 2)
            truncate("bits", 2);
        else if (how == 3)
            open("bits", O_WRONLY | O_TRUNC);
        else
            pwrite(fd, "", 0, 0);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    stat("bits", &st);
    unlink("bits");
    return st.st_mode & 07777;
}

static void set_id(void)
{
    chmod(".", 0755);
    for (int how = 0; how < 5; how++)
        for (int user = 0; user < 2; user++)
            SAY("%d by %d: %o %o %o\n", how, user, bits_after(06777, user, how),
                bits_after(04767, user, how), bits_after(0767, user, how));
}

static void permissions(void)
{
    struct timespec times[2] = {{5, 6}, {7, UTIME_OMIT}};
    struct stat st;

    conform_make("o", "x");
    mkdir("sticky", 01777);
    chmod("sticky", 01777);
    conform_make("sticky/root", "x");
    TEST(chmod("o", 04755));
    TEST(chown("o", 1, 2));
    stat("o", &st);
    SAY("%o %d %d\n", st.st_mode, st.st_uid, st.st_gid);
    TEST(chmod("o", 0640));
    TEST(chown("o", -1, -1));
    chmod(".", 0755);
    CHILD(setgroups(0, NULL); setgid(5); setuid(5); TEST(open("o", O_RDONLY));
          TEST(access("o", F_OK)); TEST(access("o", R_OK)); TEST(chmod("o", 0777));
          TEST(chown("o", 5, 5)); TEST(unlink("o")); TEST(mkdir("no", 0755));
          TEST(unlink("sticky/root")); TEST(rename("sticky/root", "sticky/mine"));
          conform_make("sticky/mine", "y"); TEST(unlink("sticky/mine"));
          TEST(utimensat(AT_FDCWD, "o", NULL, 0)); TEST(utimensat(AT_FDCWD, "o", times, 0));
          TEST(truncate("o", 0)); TEST(chroot(".")); TEST(mknod("dev", S_IFCHR | 0600, 0x103));
          TEST(setuid(0)); TEST(setgid(0)); TEST(setgroups(0, NULL)));
    CHILD(setegid(2); seteuid(5); TEST(open("o", O_RDONLY) >= 0); TEST(open("o", O_WRONLY));
          TEST(access("o", W_OK)); TEST(faccessat(AT_FDCWD, "o", W_OK, AT_EACCESS));
          TEST(seteuid(0)); TEST(open("o", O_WRONLY) >= 0));
    TEST(utimensat(AT_FDCWD, "o", times, 0));
    stat("o", &st);
    SAY("%ld %ld %d\n", (long)st.st_atim.tv_sec, (long)st.st_atim.tv_nsec, st.st_mtim.tv_sec == 7);
    times[0].tv_nsec = 1000000000;
    TEST(utimensat(AT_FDCWD, "o", times, 0));
    times[0].tv_nsec = times[1].tv_nsec = UTIME_OMIT;
    TEST(utimensat(AT_FDCWD, "o", times, 0));
    TEST(utimensat(AT_FDCWD, "absent", NULL, 0));
    TEST(utimensat(AT_FDCWD, "o", NULL, 1));
    TEST(umask(077));
    conform_make("m", "x");
    stat("m", &st);
    SAY("%o\n", st.st_mode);
    TEST(umask(01777));
    TEST(umask(022));
    unlink("m"), unlink("o"), unlink("sticky/root"), rmdir("sticky");
}

int main(void)
{
    conform_begin();
    offsets();
    vectors();
    holes();
    limits();
    pipes();
    set_id();
    permissions();
    return conform_end(0);
}
