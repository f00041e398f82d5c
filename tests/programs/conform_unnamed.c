/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that have no name, or more than a name tells: memfd_create(2) and its seals, O_TMPFILE,
 * /proc/self/fd, programs that run. */
#include "conform.h"
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <poll.h>

static char link_text[256];

/* What the link of FD says, in link_text: how long it is. */
static ssize_t link_of(int fd)
{
    char path[64];
    ssize_t length;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    length = readlink(path, link_text, sizeof link_text - 1);
    link_text[length < 0 ? 0 : length] = '\0';
    return length;
}

static void told(int fd)
{
    ssize_t length = link_of(fd);

    link_text[strcspn(link_text, "0123456789")] =
        '\0'; /* of a pipe's number nothing is to be told */
    SAY("link %d %s\n", length > 0, strncmp(link_text, conform_folder, 11) ? link_text : "folder");
}

static void deleted(int fd)
{
    ssize_t length = link_of(fd);

    SAY("is %s\n", length > 10 ? link_text + length - 10 : link_text);
}

static void memory(void)
{
    int fd = memfd_create("note", MFD_ALLOW_SEALING), other, pipe_ends[2];
    struct stat stat;
    char *map;

    TEST(memfd_create("x", 0x1000));
    TEST(memfd_create((char *)8, 0));
    TEST(fd >= 0);
    told(fd);
    deleted(fd);
    TEST(fstat(fd, &stat));
    TEST(stat.st_nlink);
    TEST(stat.st_size);
    TEST(write(fd, "hello", 5));
    TEST(ftruncate(fd, 8192));
    TEST(fcntl(fd, F_GET_SEALS));
    map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    TEST(memcmp(map, "hello", 5));
    TEST(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
    TEST(fcntl(fd, F_ADD_SEALS, 0x1000));
    TEST(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW));
    TEST(ftruncate(fd, 8193));
    TEST(pwrite(fd, "abc", 3, 8190));
    TEST(pwrite(fd, "ab", 2, 8190));
    TEST(fallocate(fd, 0, 0, 10000));
    TEST(ftruncate(fd, 4096));
    TEST(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
    TEST(ftruncate(fd, 100));
    TEST(munmap(map, 8192));
    TEST(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
    TEST(write(fd, "x", 1));
    TEST(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096));
    TEST(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
    map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    TEST(map != MAP_FAILED);
    map[0] = 'x';
    TEST(fcntl(fd, F_GET_SEALS));
    TEST(fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL));
    TEST(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
    other = memfd_create("closed", MFD_CLOEXEC);
    TEST(fcntl(other, F_GETFD));
    TEST(fcntl(other, F_GET_SEALS));
    TEST(fcntl(other, F_ADD_SEALS, F_SEAL_WRITE));
    TEST(pipe(pipe_ends));
    TEST(fcntl(pipe_ends[0], F_GET_SEALS));
    told(pipe_ends[0]);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    close(other);
    close(fd);
}

static void unnamed(void)
{
    int fd = open(".", O_TMPFILE | O_RDWR, 0640), other;
    char path[64], text[8] = "";
    struct stat stat;

    TEST(fd >= 0);
    TEST(open(".", O_TMPFILE | O_RDONLY, 0600));
    TEST(open("none", O_TMPFILE | O_RDWR, 0600));
    TEST(write(fd, "text", 4));
    TEST(fstat(fd, &stat));
    TEST(stat.st_nlink);
    TEST(stat.st_mode);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    TEST(linkat(AT_FDCWD, path, AT_FDCWD, "named", AT_SYMLINK_FOLLOW));
    TEST(linkat(AT_FDCWD, path, AT_FDCWD, "named", AT_SYMLINK_FOLLOW));
    TEST(fstat(fd, &stat));
    TEST(stat.st_nlink);
    other = open("named", O_RDONLY);
    TEST(read(other, text, 8));
    close(other);
    TEST(unlink("named"));
    TEST(linkat(AT_FDCWD, path, AT_FDCWD, "named", AT_SYMLINK_FOLLOW));
    other = open(path, O_RDWR); /* the file itself, though it has no name */
    TEST(other >= 0);
    TEST(pread(other, text, 8, 0));
    close(other);
    TEST(stat.st_size);
    TEST(truncate(path, 2));
    TEST(fstat(fd, &stat));
    TEST(stat.st_size);
    close(fd);
    fd = open(".", O_TMPFILE | O_WRONLY | O_EXCL, 0600);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    TEST(linkat(AT_FDCWD, path, AT_FDCWD, "named", AT_SYMLINK_FOLLOW));
    close(fd);
}

/* Maps name it as the link does. */
static int maps_tell(const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1000];
    int count = 0;

    if (!maps)
        return -1;
    while (fgets(line, sizeof line, maps))
        count += strstr(line, name) != NULL;
    fclose(maps);
    return count;
}

/* What was removed while it was open says so; a socket has a number as a pipe has. */
static void removed(void)
{
    int fd, ends[2];

    conform_make("gone", "abcdef");
    fd = open("gone", O_RDONLY);
    mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
    told(fd);
    TEST(maps_tell("/gone\n"));
    unlink("gone");
    deleted(fd);
    TEST(maps_tell("/gone (deleted)\n"));
    conform_make("gone", "abcdef");
    deleted(fd);
    unlink("gone");
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    told(ends[0]);
}

static void links(void)
{
    int ends[2], fd, again;
    char path[64], text[8] = "";

    conform_make("file", "abcdef");
    fd = open("file", O_RDONLY);
    told(fd);
    TEST(read(fd, text, 2));
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    again = open(path, O_RDONLY);
    TEST(read(again, text, 1)); /* an offset of its own */
    TEST(text[0]);
    TEST(open(path, O_WRONLY | O_NOFOLLOW | O_DIRECTORY));
    close(again);
    close(fd);
    TEST(open(path, O_RDONLY));
    TEST(readlink(path, text, 8));
    TEST(pipe(ends));
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
    fd = open(path, O_WRONLY);
    TEST(write(fd, "xy", 2));
    TEST(read(ends[0], text, 8));
    close(ends[1]);
    TEST(fcntl(fd, F_GETFL) & O_ACCMODE);
    close(fd);
    TEST(read(ends[0], text, 8));
    close(ends[0]);
    unlink("file");
    TEST(access("/proc/self/fd", R_OK));
    TEST(access("/dev/stdin", F_OK));
    TEST(open("/proc/self/fd/999", O_RDONLY));
    TEST(open("/proc/self/fd/00", O_RDONLY));
    TEST(open("/proc/self/fd/x", O_RDONLY));
}

static void copy(const char *from, const char *to)
{
    static char buffer[65536];
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);
    ssize_t got;

    while ((got = read(in, buffer, sizeof buffer)) > 0)
        if (write(out, buffer, (size_t)got) != got)
            SAY("copy fails\n");
    close(in);
    close(out);
}

static void busy(void)
{
    char *const arguments[] = {"program", "wait", NULL};
    int ready[2], fd, status;
    pid_t child;
    char byte;

    copy("/proc/self/exe", "program");
    TEST(pipe(ready));
    child = fork();
    if (child == 0) {
        dup2(ready[1], 1);
        close(ready[1]);
        close(ready[0]);
        execv("program", arguments);
        _exit(98);
    }
    close(ready[1]);
    TEST(read(ready[0], &byte, 1));
    TEST(open("program", O_WRONLY));
    TEST(open("program", O_RDWR));
    TEST(open("program", O_RDONLY | O_TRUNC));
    TEST(truncate("program", 0));
    TEST(access("program", W_OK));
    fd = open("program", O_RDONLY);
    TEST(fd >= 0);
    close(fd);
    TEST(rename("program", "moved"));
    TEST(rename("moved", "program"));
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    fd = open("program", O_WRONLY);
    TEST(fd >= 0);
    CHILD(execv("program", arguments); _exit(errno == ETXTBSY ? 7 : 8));
    close(fd);
    close(ready[0]);
    unlink("program");
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        if (write(1, "r", 1) != 1)
            return 1;
        for (;;)
            pause();
    }
    conform_begin();
    memory();
    unnamed();
    removed();
    links();
    busy();
    (void)argv;
    return conform_end(0);
}
