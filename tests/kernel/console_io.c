/* SPDX-License-Identifier: BSD-2-Clause */
/* The console counts for its devstat and for its kstat; at rest the two say the same. */
#include <sys/devicestat.h>
#include "kernel/time/clock.h"
#include "kernel/console/console.h"
#include "kernel/export/kstat_console.h"
#include "kernel/device/late.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"

#define TRIES 1000

/* Nothing was written or read between the first look and the last. */
static bool look(kstat_io_t *io, struct devstat *ds)
{
    kstat_io_t before;

    console_io(&before);
    if (devstat_copy(ds, console_stats()) != 0)
        return false;
    console_io(io);
    return before.rcnt + io->rcnt == 0 && before.reads == io->reads && before.writes == io->writes;
}

SELFTEST(console_io, "console-io", "the console's kstat and its devstat agree to the nanosecond")
{
    struct devstat ds, first;
    kstat_io_t io;
    unsigned tries = 0;

    late_start();
    SELFTEST_EQUAL(devstat_copy(&first, console_stats()), 0);
    console_write("", 0);
    while (!look(&io, &ds)) {
        SELFTEST_CHECK(++tries < TRIES);
        thread_sleep(1000000);
    }
    SELFTEST_CHECK(io.writes > first.num_writes);
    SELFTEST_EQUAL(io.writes, ds.num_writes);
    SELFTEST_EQUAL(io.nwritten, ds.bytes_written);
    SELFTEST_EQUAL(io.reads, ds.num_reads);
    SELFTEST_EQUAL(io.nread, ds.bytes_read);
    SELFTEST_EQUAL(io.rtime, ds.busy_ns);
    SELFTEST_EQUAL(io.rlentime, ds.duration_ns[DEVSTAT_WRITE] + ds.duration_ns[DEVSTAT_READ]);
    return 0;
}

/* Has what a driver would have received; how much of it the console gives back, in two pieces. */
static size_t type(const char *text, size_t length)
{
    uintptr_t state = console_acquire();
    char buffer[8];
    size_t count;

    for (size_t i = 0; i < length && console_input_room(); i++)
        console_input(text[i]);
    console_input_ready();
    console_release(state);
    count = console_read_until(buffer, 2, clock_now());
    return count + console_read_until(buffer, sizeof buffer, clock_now());
}

SELFTEST(console_reads, "console-reads", "what is read counts once, with its bytes, in both")
{
    struct devstat before, after;
    kstat_io_t first, last;

    late_start();
    SELFTEST_EQUAL(devstat_copy(&before, console_stats()), 0);
    console_io(&first);
    if (type("knots", 5) != 5)
        return selftest_skip("somebody else reads");
    SELFTEST_EQUAL(devstat_copy(&after, console_stats()), 0);
    console_io(&last);
    SELFTEST_EQUAL(after.num_reads - before.num_reads, 2);
    SELFTEST_EQUAL(after.bytes_read - before.bytes_read, 5);
    SELFTEST_EQUAL(last.reads - first.reads, 2);
    SELFTEST_EQUAL(last.nread - first.nread, 5);
    return 0;
}
