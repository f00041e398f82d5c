/* SPDX-License-Identifier: BSD-2-Clause */
/* Pipes and waiting for them. */
#include "fs/pipe/pipe.h"
#include "fs/file/poll.h"
#include "kernel/memory/kmem.h"
#include "kernel/time/clock.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/fs_walk.h"
#include "tests/kernel/selftest.h"

static int32_t pending(struct file *file)
{
    int32_t bytes = -1;

    file_ioctl(file, FIONREAD, (uintptr_t)&bytes, false);
    return bytes;
}

static uint32_t ready(struct file *file)
{
    return file_poll(file, POLLIN | POLLOUT, NULL);
}

/* Sixteen pages and no more, also where one of them is nearly read; 4,096 bytes together or not at
 * all. */
static int check_capacity(struct file *const ends[2], char *bytes)
{
    SELFTEST_EQUAL(pipe_capacity(ends[0]), 65536);
    SELFTEST_EQUAL(ready(ends[0]), 0);
    SELFTEST_EQUAL(-fs_walk_read(ends[0], bytes, 1), EAGAIN);
    SELFTEST_EQUAL(fs_walk_write(ends[1], bytes, 100000), 65536);
    SELFTEST_EQUAL(-fs_walk_write(ends[1], bytes, 1), EAGAIN);
    SELFTEST_EQUAL(pending(ends[0]), 65536);
    SELFTEST_EQUAL(ready(ends[1]), 0);
    SELFTEST_EQUAL(fs_walk_read(ends[0], bytes, 4095), 4095);
    SELFTEST_EQUAL(ready(ends[1]), 0);
    SELFTEST_EQUAL(-fs_walk_write(ends[1], bytes, 4096), EAGAIN);
    SELFTEST_EQUAL(-fs_walk_write(ends[1], bytes, 4097), EAGAIN);
    SELFTEST_EQUAL(fs_walk_read(ends[0], bytes, 4096), 4096);
    SELFTEST_EQUAL(ready(ends[1]), POLLOUT);
    SELFTEST_EQUAL(fs_walk_write(ends[1], bytes, 4096), 4096);
    SELFTEST_EQUAL(-pipe_set_capacity(ends[0], 4096), EBUSY);
    SELFTEST_EQUAL(-pipe_set_capacity(ends[0], 1048577), EPERM);
    SELFTEST_EQUAL(pipe_set_capacity(ends[0], 100000), 131072);
    SELFTEST_EQUAL(fs_walk_write(ends[1], bytes, 100000), 65536);
    SELFTEST_EQUAL(pending(ends[0]), 61441 + 65536);
    SELFTEST_EQUAL(ready(ends[0]), POLLIN);
    for (unsigned i = 0; i < 2; i++)
        SELFTEST_EQUAL(fs_walk_read(ends[0], bytes, 100000), i == 0 ? 100000 : 26977);
    return 0;
}

SELFTEST(fs_pipe, "fs-pipe", "a pipe's capacity, whole writes, and its ends")
{
    struct fs_walk t;
    struct file *ends[2];
    char *bytes = kmem_zalloc(100000);

    if (bytes == NULL || fs_walk_begin(&t) != 0)
        return 1;
    SELFTEST_EQUAL(-pipe_create(O_NONBLOCK, ends), 0);
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_PIPES), 1);
    if (check_capacity(ends, bytes) != 0)
        return 1;
    SELFTEST_EQUAL(-file_seek(ends[0], 0, SEEK_CUR), ESPIPE);
    SELFTEST_EQUAL(-fs_walk_write(ends[0], bytes, 1), EBADF);
    SELFTEST_EQUAL(fs_walk_write(ends[1], "end", 3), 3);
    file_release(ends[1]);
    SELFTEST_EQUAL(ready(ends[0]), POLLIN | POLLHUP);
    SELFTEST_EQUAL(fs_walk_read(ends[0], bytes, 8), 3);
    SELFTEST_EQUAL(fs_walk_read(ends[0], bytes, 8), 0);
    SELFTEST_EQUAL(ready(ends[0]), POLLHUP);
    file_release(ends[0]);
    SELFTEST_EQUAL(-pipe_create(0, ends), 0);
    file_release(ends[0]);
    SELFTEST_EQUAL(ready(ends[1]), POLLOUT | POLLERR);
    SELFTEST_EQUAL(-fs_walk_write(ends[1], bytes, 1), EPIPE);
    file_release(ends[1]);
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_PIPE_BYTES), 65536 + 4096 + 65536 + 3);
    SELFTEST_EQUAL(fs_walk_counted(&t, FS_PIPE_WRITES), 4);
    kmem_free(bytes);
    return fs_walk_end(&t);
}

#define RECORDS 2000u
#define WRITERS 4u
#define RECORD  1000u

static struct file *flow[2];

/* Records of 1,000 times the same letter. */
static void write_records(void *argument)
{
    char record[RECORD];

    memset(record, *(const char *)argument, sizeof record);
    for (unsigned i = 0; i < RECORDS / WRITERS; i++)
        fs_walk_write(flow[1], record, sizeof record);
    file_release(flow[1]);
}

static long read_whole(char *record)
{
    long done = 0, moved;

    while (done < (long)RECORD &&
           (moved = fs_walk_read(flow[0], record + done, RECORD - (size_t)done)) > 0)
        done += moved;
    return done;
}

SELFTEST(fs_pipe_writers, "fs-pipe-writers",
         "four threads write records through a pipe; none is mixed or lost")
{
    static const char letters[WRITERS] = {'a', 'b', 'c', 'd'};
    struct thread *threads[WRITERS];
    struct fs_walk t;
    char record[RECORD];
    unsigned counts[WRITERS] = {0};

    if (fs_walk_begin(&t) != 0)
        return 1;
    SELFTEST_EQUAL(-pipe_create(0, flow), 0);
    for (unsigned i = 0; i < WRITERS; i++) {
        file_hold(flow[1]);
        SELFTEST_CHECK(thread_create("writer", THREAD_PRIORITY_NORMAL, write_records,
                                     (void *)(uintptr_t)&letters[i], &threads[i]) == 0);
    }
    file_release(flow[1]);
    while (read_whole(record) == (long)RECORD) {
        for (unsigned i = 1; i < RECORD; i++)
            SELFTEST_EQUAL(record[i], record[0]);
        counts[record[0] - 'a']++;
    }
    for (unsigned i = 0; i < WRITERS; i++) {
        thread_join(threads[i]);
        SELFTEST_EQUAL(counts[i], RECORDS / WRITERS);
    }
    file_release(flow[0]);
    return fs_walk_end(&t);
}

static void write_late(void *unused)
{
    (void)unused;
    thread_sleep(5000000);
    fs_walk_write(flow[1], "x", 1);
}

static void fs_pipe_interrupt_late(void *thread)
{
    thread_sleep(5000000);
    thread_interrupt(thread);
}

static int check_poll(struct poll_request requests[3])
{
    struct thread *other;
    uint64_t before = clock_now();

    SELFTEST_EQUAL(poll_files(requests, 2, 0), 0);
    SELFTEST_EQUAL(poll_files(requests, 2, before + 2000000), 0);
    SELFTEST_CHECK(clock_now() >= before + 2000000);
    SELFTEST_EQUAL(poll_files(requests, 3, WAIT_FOREVER), 1);
    SELFTEST_EQUAL(requests[2].ready, POLLNVAL);
    SELFTEST_CHECK(thread_create("late", THREAD_PRIORITY_NORMAL, write_late, NULL, &other) == 0);
    SELFTEST_EQUAL(poll_files(requests, 2, WAIT_FOREVER), 1);
    SELFTEST_EQUAL(requests[0].ready, 0);
    SELFTEST_EQUAL(requests[1].ready, POLLIN);
    thread_join(other);
    SELFTEST_CHECK(thread_create("late", THREAD_PRIORITY_NORMAL, fs_pipe_interrupt_late,
                                 thread_current(), &other) == 0);
    SELFTEST_EQUAL(-poll_files(requests, 1, WAIT_FOREVER), EINTR);
    thread_join(other);
    SELFTEST_CHECK(thread_interruption_take());
    return 0;
}

SELFTEST(fs_poll, "fs-poll", "poll waits for pipes, for a time, and until it is interrupted")
{
    struct poll_request requests[3] = {{.events = POLLIN}, {.events = POLLIN}, {.bad = true}};
    struct fs_walk t;
    struct file *quiet[2];

    if (fs_walk_begin(&t) != 0)
        return 1;
    SELFTEST_EQUAL(-pipe_create(0, flow), 0);
    SELFTEST_EQUAL(-pipe_create(0, quiet), 0);
    requests[0].file = quiet[0];
    requests[1].file = flow[0];
    if (check_poll(requests) != 0)
        return 1;
    for (unsigned i = 0; i < 2; i++) {
        file_release(flow[i]);
        file_release(quiet[i]);
    }
    return fs_walk_end(&t);
}
