/* SPDX-License-Identifier: BSD-2-Clause */
/* From file to file without passing through the program: sendfile, copy_file_range, splice, tee,
 * vmsplice; and what asks for data to be read or written soon. */
#include "conform.h"
#include <limits.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

static char buffer[200000];

/* The files that all have: one of seven letters, an empty one, one that is appended to, a pipe. */
static struct files {
    int letters, empty, appended, only_read, only_written, pipe[2], second[2];
} f;

static void files_open(void)
{
    conform_make("letters", "abcdefg");
    f.letters = open("letters", O_RDWR);
    f.empty = open("empty", O_RDWR | O_CREAT, 0600);
    f.appended = open("letters", O_RDWR | O_APPEND);
    f.only_read = open("letters", O_RDONLY);
    f.only_written = open("letters", O_WRONLY);
    TEST(pipe(f.pipe));
    TEST(pipe(f.second));
}

static void show(int fd)
{
    long got = pread(fd, buffer, 100, 0);

    SAY("%ld '%.*s'\n", got, (int)(got < 0 ? 0 : got), buffer);
}

static void send(void)
{
    off_t at = 1;

    TEST(sendfile(f.empty, f.letters, &at, 3));
    TEST(at);
    TEST(lseek(f.letters, 0, SEEK_CUR));
    TEST(sendfile(f.empty, f.letters, NULL, 100));
    TEST(sendfile(f.empty, f.letters, NULL, 100));
    show(f.empty);
    at = 0;
    TEST(sendfile(f.appended, f.empty, &at, 1));
    TEST(sendfile(f.empty, f.pipe[0], NULL, 1));
    TEST(sendfile(f.empty, f.pipe[0], &at, 1));
    TEST(sendfile(f.only_read, f.letters, NULL, 1));
    TEST(sendfile(f.empty, f.only_written, NULL, 1));
    TEST(sendfile(99, f.letters, NULL, 1));
    TEST(sendfile(f.empty, f.letters, (off_t *)1, 1));
    TEST(sendfile(f.pipe[1], f.letters, &at, 4));
    TEST(read(f.pipe[0], buffer, 10));
}

static void ranges(void)
{
    off_t from = 2, to = 0;
    int folder = open(".", O_RDONLY);

    TEST(ftruncate(f.empty, 0));
    TEST(copy_file_range(f.letters, &from, f.empty, &to, 3, 0));
    TEST(from);
    TEST(to);
    show(f.empty);
    TEST(copy_file_range(f.letters, &from, f.empty, &to, 3, 1));
    TEST(copy_file_range(f.empty, &from, f.appended, &to, 3, 0));
    TEST(copy_file_range(f.pipe[0], NULL, f.empty, &to, 3, 0));
    TEST(copy_file_range(f.letters, &from, f.pipe[1], NULL, 3, 0));
    from = 0, to = 1;
    TEST(copy_file_range(f.letters, &from, f.letters, &to, 2, 0));
    from = 0, to = 2;
    TEST(copy_file_range(f.letters, &from, f.letters, &to, 2, 0));
    show(f.letters);
    from = 100;
    TEST(copy_file_range(f.letters, &from, f.empty, &to, 3, 0));
    TEST(copy_file_range(f.only_written, NULL, f.empty, NULL, 1, 0));
    TEST(copy_file_range(f.letters, NULL, f.only_read, NULL, 1, 0));
    TEST(copy_file_range(99, NULL, f.empty, NULL, 1, 0));
    TEST(copy_file_range(folder, NULL, f.empty, NULL, 1, 0));
    TEST(copy_file_range(f.empty, NULL, folder, NULL, 1, 0));
    from = LONG_MAX;
    TEST(copy_file_range(f.letters, &from, f.empty, &to, 3, 0));
    close(folder);
}

static void pipes(void)
{
    loff_t at = 1;

    TEST(ftruncate(f.empty, 0));
    TEST(lseek(f.empty, 0, SEEK_SET));
    TEST(lseek(f.letters, 0, SEEK_SET));
    TEST(splice(f.letters, NULL, f.pipe[1], NULL, 4, 0));
    TEST(lseek(f.letters, 0, SEEK_CUR));
    TEST(tee(f.pipe[0], f.second[1], 2, 0));
    TEST(read(f.second[0], buffer, 10));
    TEST(tee(f.pipe[0], f.second[1], 100, 0));
    TEST(read(f.pipe[0], buffer, 10));
    SAY("%.4s\n", buffer);
    TEST(splice(f.second[0], NULL, f.empty, NULL, 100, 0));
    show(f.empty);
    TEST(splice(f.letters, &at, f.pipe[1], NULL, 3, 0));
    TEST(at);
    TEST(splice(f.pipe[0], NULL, f.second[1], NULL, 100, 0));
    at = 10;
    TEST(splice(f.second[0], NULL, f.empty, &at, 100, 0));
    TEST(at);
    TEST(lseek(f.empty, 0, SEEK_END));
    TEST(splice(f.pipe[0], NULL, f.second[1], NULL, 10, SPLICE_F_NONBLOCK));
    TEST(tee(f.pipe[0], f.second[1], 10, SPLICE_F_NONBLOCK));
}

static void pipes_refuse(void)
{
    loff_t at = 0;

    TEST(splice(f.letters, NULL, f.empty, NULL, 10, 0));
    TEST(splice(f.pipe[0], &at, f.empty, NULL, 10, 0));
    TEST(splice(f.letters, NULL, f.pipe[1], &at, 10, 0));
    TEST(splice(f.pipe[0], NULL, f.pipe[1], NULL, 10, 0));
    TEST(splice(99, NULL, f.pipe[1], NULL, 1, 0));
    TEST(splice(f.letters, NULL, f.pipe[1], NULL, 1, 64));
    TEST(splice(f.letters, NULL, f.pipe[1], NULL, 0, 0));
    TEST(splice(f.pipe[0], NULL, f.appended, NULL, 1, 0));
    TEST(splice(f.only_written, NULL, f.pipe[1], NULL, 1, 0));
    TEST(splice(f.pipe[0], NULL, f.only_read, NULL, 1, 0));
    TEST(splice(f.pipe[1], NULL, f.empty, NULL, 1, 0));
    TEST(tee(f.letters, f.pipe[1], 1, 0));
    TEST(tee(f.pipe[0], f.pipe[1], 1, 0));
    TEST(tee(f.pipe[0], f.second[1], 0, 0));
    TEST(tee(f.pipe[1], f.second[1], 1, 0));
    TEST(tee(f.pipe[0], f.second[1], 1, 64));
}

/* More than a pipe holds: it takes what it has room for; the end of a pipe is 0. */
static void pipes_full(void)
{
    struct iovec piece = {"hello", 5};
    char more[8];

    TEST(ftruncate(f.letters, sizeof buffer));
    TEST(lseek(f.letters, 0, SEEK_SET));
    TEST(splice(f.letters, NULL, f.pipe[1], NULL, sizeof buffer, 0));
    TEST(splice(f.letters, NULL, f.pipe[1], NULL, sizeof buffer, SPLICE_F_NONBLOCK));
    TEST(tee(f.pipe[0], f.second[1], sizeof buffer, 0));
    TEST(read(f.second[0], buffer, sizeof buffer));
    TEST(read(f.pipe[0], buffer, sizeof buffer));
    TEST(vmsplice(f.pipe[1], &piece, 1, 0));
    piece = (struct iovec){more, 8};
    TEST(vmsplice(f.pipe[0], &piece, 1, 0));
    SAY("%.5s\n", more);
    TEST(vmsplice(f.letters, &piece, 1, 0));
    TEST(vmsplice(f.pipe[1], (void *)1, 1, 0));
    TEST(vmsplice(f.pipe[1], &piece, 0, 0));
    close(f.pipe[1]);
    TEST(splice(f.pipe[0], NULL, f.empty, NULL, 10, 0));
    TEST(tee(f.pipe[0], f.second[1], 10, 0));
    signal(SIGPIPE, SIG_IGN);
    close(f.second[0]);
    TEST(lseek(f.letters, 0, SEEK_SET));
    TEST(splice(f.letters, NULL, f.second[1], NULL, 10, 0));
}

static void soon(void)
{
    TEST(readahead(f.only_read, 0, 100));
    TEST(readahead(f.only_written, 0, 1));
    TEST(readahead(f.pipe[0], 0, 1));
    TEST(readahead(99, 0, 1));
    TEST(sync_file_range(f.letters, 0, 0, SYNC_FILE_RANGE_WRITE));
    TEST(sync_file_range(f.letters, 0, 0, 99));
    TEST(sync_file_range(f.letters, -1, 0, SYNC_FILE_RANGE_WRITE));
    TEST(sync_file_range(f.pipe[0], 0, 0, SYNC_FILE_RANGE_WRITE));
    TEST(sync_file_range(99, 0, 0, SYNC_FILE_RANGE_WRITE));
    TEST(syncfs(f.letters));
    TEST(syncfs(f.pipe[0]));
    TEST(syncfs(99));
}

int main(void)
{
    conform_begin();
    files_open();
    send();
    ranges();
    pipes();
    pipes_refuse();
    pipes_full();
    soon();
    TEST(unlink("letters"));
    TEST(unlink("empty"));
    return conform_end(0);
}
