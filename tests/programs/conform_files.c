/* SPDX-License-Identifier: BSD-2-Clause */
/* Files, pipes, descriptors, memory: the same lines on Linux and on Quipu. */
#include "conform.h"
#include <dirent.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/time.h>
#include <sys/uio.h>

static void plain(void)
{
    char text[64] = {0};
    struct stat st;
    int fd = open("file", O_RDWR | O_CREAT | O_EXCL, 0640);
    struct iovec parts[2] = {{"one ", 4}, {"two", 3}};

    SAY("opened %d\n", fd >= 0);
    TEST(open("file", O_RDWR | O_CREAT | O_EXCL, 0640));
    TEST(open("no/such", O_RDONLY));
    TEST(open("file/below", O_RDONLY));
    TEST(open(".", O_WRONLY));
    TEST(writev(fd, parts, 2));
    TEST(lseek(fd, 0, SEEK_CUR));
    TEST(lseek(fd, -3, SEEK_END));
    TEST(read(fd, text, 10));
    SAY("'%s'\n", text);
    TEST(pread(fd, text, 3, 0));
    TEST(pwrite(fd, "X", 1, 10));
    TEST(fstat(fd, &st));
    SAY("size %ld mode %o links %ld type %d\n", (long)st.st_size, st.st_mode & 07777,
        (long)st.st_nlink, S_ISREG(st.st_mode));
    TEST(ftruncate(fd, 5));
    TEST(lseek(fd, 0, SEEK_END));
    TEST(lseek(fd, -10, SEEK_SET));
    TEST(lseek(fd, 0, 99));
    TEST(truncate("file", 2));
    TEST(stat("file", &st));
    SAY("size %ld\n", (long)st.st_size);
    TEST(access("file", X_OK));
    TEST(chmod("file", 0755));
    TEST(access("file", X_OK));
    TEST(fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND));
    TEST(fcntl(fd, F_SETFL, O_APPEND));
    TEST((fcntl(fd, F_GETFL) & O_APPEND) != 0);
    TEST(write(fd, "end", 3));
    TEST(lseek(fd, 0, SEEK_CUR));
    TEST(fcntl(fd, F_GETFD));
    TEST(fcntl(fd, F_SETFD, FD_CLOEXEC));
    TEST(fcntl(fd, F_GETFD));
    TEST(close(fd));
    TEST(close(fd));
    TEST(read(-1, text, 1));
    TEST(write(1000, text, 1));
    fd = open("file", O_RDONLY);
    TEST(write(fd, "x", 1));
    TEST(read(fd, (void *)8, 1));
    TEST(read(fd, (void *)-8l, 1));
    close(fd);
}

static void names(void)
{
    char buffer[64];
    struct stat st;
    DIR *directory;
    struct dirent *entry;
    int count = 0;

    TEST(mkdir("dir", 0700));
    TEST(mkdir("dir", 0700));
    TEST(rmdir("no"));
    TEST(symlink("file", "sym"));
    TEST(readlink("sym", buffer, sizeof buffer));
    TEST(readlink("file", buffer, sizeof buffer));
    TEST(link("file", "dir/hard"));
    TEST(stat("dir/hard", &st));
    SAY("links %ld\n", (long)st.st_nlink);
    TEST(rename("dir/hard", "dir/soft"));
    TEST(rename("file", "dir"));
    TEST(rename("dir", "file"));
    TEST(rmdir("dir"));
    TEST(unlink("dir"));
    TEST(symlink("loop", "loop"));
    TEST(open("loop", O_RDONLY));
    TEST(open("sym", O_RDONLY | O_NOFOLLOW));
    TEST(lstat("sym", &st));
    SAY("link %d size %ld\n", S_ISLNK(st.st_mode), (long)st.st_size);
    for (int i = 0; i < 500; i++) {
        snprintf(buffer, sizeof buffer, "dir/entry%d", i);
        close(open(buffer, O_CREAT | O_WRONLY, 0600));
    }
    directory = opendir("dir");
    while ((entry = readdir(directory)) != NULL)
        count++;
    closedir(directory);
    SAY("entries %d\n", count);
    for (int i = 0; i < 500; i++) {
        snprintf(buffer, sizeof buffer, "dir/entry%d", i);
        count -= unlink(buffer) == 0;
    }
    SAY("left %d\n", count);
    TEST(chdir("dir"));
    TEST(access("soft", R_OK));
    TEST(chdir(".."));
    TEST(chdir("file"));
    TEST(unlink("dir/soft"));
    TEST(rmdir("dir"));
    TEST(umask(0));
    TEST(umask(022));
    TEST(utimensat(AT_FDCWD, "file", (struct timespec[2]){{1000000000, 5}, {1000000001, 7}}, 0));
    TEST(stat("file", &st));
    SAY("times %ld %ld.%ld\n", (long)st.st_atime, (long)st.st_mtime, (long)st.st_mtim.tv_nsec);
}

static void pipes(void)
{
    struct timeval none = {0, 0};
    struct pollfd entry;
    char byte, big[5000];
    int fds[2], other, waiting = 0;
    fd_set set;

    memset(big, 'x', sizeof big);
    TEST(pipe2(fds, O_NONBLOCK));
    TEST(read(fds[0], &byte, 1));
    entry = (struct pollfd){fds[0], POLLIN, 0};
    TEST(poll(&entry, 1, 0));
    TEST(poll(&entry, 1, 10));
    TEST(write(fds[1], "abc", 3));
    TEST(poll(&entry, 1, -1));
    SAY("events %x\n", entry.revents);
    TEST(ioctl(fds[0], FIONREAD, &waiting));
    SAY("waiting %d\n", waiting);
    FD_ZERO(&set);
    FD_SET(fds[0], &set);
    TEST(select(fds[0] + 1, &set, NULL, NULL, &none));
    TEST(FD_ISSET(fds[0], &set) != 0);
    TEST(read(fds[0], big, 10));
    for (int i = 0; i < 100; i++)
        if (write(fds[1], big, 4096) != 4096) {
            SAY("full after %d %s\n", i, strerrorname_np(errno));
            break;
        }
    TEST(lseek(fds[0], 0, SEEK_SET));
    other = dup(fds[0]);
    close(fds[0]);
    TEST(read(other, big, 5000));
    close(fds[1]);
    while (read(other, big, 5000) > 0)
        ;
    TEST(read(other, big, 1));
    entry = (struct pollfd){other, POLLIN, 0};
    TEST(poll(&entry, 1, -1));
    SAY("events %x\n", entry.revents);
    close(other);
    entry = (struct pollfd){other, POLLIN, 0};
    TEST(poll(&entry, 1, -1));
    SAY("events %x\n", entry.revents);
    TEST(select(1 << 12, NULL, NULL, NULL, &none));
}

static void memory(void)
{
    int fd = open("file", O_RDWR | O_TRUNC);
    char *map, *more;
    unsigned char vector[4];
    void *end;

    write(fd, "mapped text", 11);
    map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    SAY("map %.6s after it %d\n", map, map[20]);
    TEST(munmap(map, 4096));
    map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    map[0] = 'M';
    lseek(fd, 0, SEEK_SET);
    SAY("read %d\n", read(fd, vector, 1) == 1 && vector[0] == 'M');
    munmap(map, 4096);
    TEST(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    TEST(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 0) == MAP_FAILED);
    TEST(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 5) == MAP_FAILED);
    TEST(munmap((void *)5, 4096));
    map = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    strcpy(map, "kept");
    more = mremap(map, 3 * 4096, 300 * 4096, MREMAP_MAYMOVE);
    SAY("moved %s\n", more == MAP_FAILED ? "not" : more);
    TEST(mprotect(more, 4096, PROT_NONE));
    TEST(mprotect(more + 1, 4096, PROT_NONE));
    TEST(mincore(more, 2 * 4096, vector));
    TEST(madvise(more + 4096, 4096, MADV_DONTNEED));
    TEST(msync(more, 4096, 0));
    munmap(more, 300 * 4096);
    TEST(mprotect(more, 4096, PROT_READ));
    end = sbrk(0);
    SAY("grows %d", sbrk(100000) == end);
    memset(end, 1, 100000);
    SAY(" shrinks %d\n", sbrk(-100000) == (char *)end + 100000 && sbrk(0) == end);
    map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        map[7] = 77;
        _exit(0);
    }
    wait(NULL);
    SAY("shared %d\n", map[7]);
    close(fd);
}

static void copies(void)
{
    int in = open("file", O_RDONLY), out = open("copy", O_CREAT | O_RDWR, 0600);
    struct rlimit small = {10, RLIM_INFINITY};
    long some, none;
    off_t at = 7;
    int error;
    char text[32] = {0};

    TEST(sendfile(out, in, &at, 100));
    SAY("at %ld\n", (long)at);
    TEST(pread(out, text, 20, 0));
    SAY("'%s'\n", text);
    TEST(copy_file_range(in, NULL, out, NULL, 3, 0));
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    some = pwrite(out, "0123456789abcdef", 16, 0);
    none = pwrite(out, "x", 1, 10);
    error = errno;
    small.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &small);
    SAY("limited %ld %ld %s\n", some, none, strerrorname_np(error));
    close(in);
    close(out);
}

static void offsets(void)
{
    int fd = open("file", O_RDWR | O_TRUNC);

    if (fork() == 0) {
        write(fd, "child", 5);
        _exit(0);
    }
    wait(NULL);
    write(fd, "parent", 6);
    TEST(lseek(fd, 0, SEEK_CUR));
    close(fd);
}

int main(void)
{
    if (!mkdtemp(conform_folder) || chdir(conform_folder) != 0)
        return 1;
    plain();
    names();
    pipes();
    memory();
    copies();
    offsets();
    TEST(isatty(0));
    TEST(unlink("copy"));
    TEST(unlink("file"));
    TEST(unlink("sym"));
    TEST(unlink("loop"));
    TEST(chdir("/"));
    TEST(rmdir(conform_folder));
    return 0;
}
