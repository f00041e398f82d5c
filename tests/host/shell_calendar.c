/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of lib/calendar against the C library's. */
#include "tests/host/test.h"

#include <stdlib.h>
#include <time.h>

/* The code under test. */
#include "lib/calendar.h"

static void compare(uint64_t seconds)
{
    time_t when = (time_t)seconds;
    struct calendar ours;
    struct tm theirs;

    gmtime_r(&when, &theirs);
    calendar_from_seconds(seconds, &ours);
    CHECK(ours.year == (uint64_t)theirs.tm_year + 1900);
    CHECK(ours.month == (unsigned)theirs.tm_mon + 1 && ours.day == (unsigned)theirs.tm_mday);
    CHECK(ours.hour == (unsigned)theirs.tm_hour && ours.minute == (unsigned)theirs.tm_min);
    CHECK(ours.second == (unsigned)theirs.tm_sec && ours.weekday == (unsigned)theirs.tm_wday);
}

TEST(calendar_is_gregorian)
{
    for (uint64_t day = 0; day < 366 * 900; day++)
        compare(day * 86400 + day % 86400);
    compare(951782399);
    compare(951782400);
    compare(4102444799);
}
