/* SPDX-License-Identifier: BSD-2-Clause */
/* calendar: seconds since 1970 as a date in the Gregorian calendar, UTC. No zones, no leap seconds.
 */
#ifndef LIB_CALENDAR_H
#define LIB_CALENDAR_H

#include <stdint.h>

struct calendar {
    uint64_t year;
    unsigned month, day; /* from 1 */
    unsigned hour, minute, second;
    unsigned weekday; /* 0 is Sunday */
};

void calendar_from_seconds(uint64_t seconds, struct calendar *calendar);

/* Three letters: "Jan" for 1, "Sun" for 0. */
const char *calendar_month_name(unsigned month);
const char *calendar_weekday_name(unsigned weekday);

#endif
