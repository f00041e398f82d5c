/* SPDX-License-Identifier: BSD-2-Clause */
/* The console counts for its devstat and for its kstat; at rest the two say the same. */
#include <sys/devicestat.h>
#include "kernel/console.h"
#include "kernel/late.h"
#include "kernel/selftest.h"
#include "kernel/thread.h"

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
