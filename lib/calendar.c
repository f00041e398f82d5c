/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calendar: see calendar.h. Years are counted from 1 March 2000 backwards by 400, so that the leap
 * day is a year's last day and every 400 years are alike; no table of months is needed.
 */
#include "lib/calendar.h"

#define SECONDS_PER_DAY 86400u
#define DAYS_PER_ERA    146097u /* 400 years */
#define EPOCH_OFFSET    719468u /* days from 1 March of year 0 to 1 January 1970 */

void calendar_from_seconds(uint64_t seconds, struct calendar *calendar)
{
    uint64_t days = seconds / SECONDS_PER_DAY;
    unsigned left = (unsigned)(seconds % SECONDS_PER_DAY);
    unsigned day_of_era = (unsigned)((days + EPOCH_OFFSET) % DAYS_PER_ERA);
    uint64_t era = (days + EPOCH_OFFSET) / DAYS_PER_ERA;
    /* Take out the leap days: one each 4 years, none each 100, one each 400. */
    unsigned year =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    unsigned day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    unsigned month = (5 * day_of_year + 2) / 153; /* 0 is March; five months hold 153 days */

    calendar->day = day_of_year - (153 * month + 2) / 5 + 1;
    calendar->month = month < 10 ? month + 3 : month - 9;
    calendar->year = era * 400 + year + (calendar->month <= 2 ? 1 : 0);
    calendar->hour = left / 3600;
    calendar->minute = left / 60 % 60;
    calendar->second = left % 60;
    calendar->weekday = (unsigned)((days + 4) % 7); /* the epoch was a Thursday */
}

const char *calendar_month_name(unsigned month)
{
    static const char *const names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

    return month >= 1 && month <= 12 ? names[month - 1] : "???";
}

const char *calendar_weekday_name(unsigned weekday)
{
    static const char *const names[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

    return weekday < 7 ? names[weekday] : "???";
}
