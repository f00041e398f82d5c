/* SPDX-License-Identifier: BSD-2-Clause */
/* The time above a report: see time_stamp.h. */
#include "stats/read/time_stamp.h"

#include "lib/calendar.h"

static void time_stamp_put_two_digits(struct text_row *row, unsigned value)
{
    text_row_number(row, value / 10, 1);
    text_row_number(row, value % 10, 1);
}

/* Www Mmm dD HH:MM:SS UTC YYYY */
static void time_stamp_put_date(struct text_row *row, uint64_t seconds)
{
    struct calendar at;

    calendar_from_seconds(seconds, &at);
    text_row_text(row, calendar_weekday_name(at.weekday));
    text_row_text(row, " ");
    text_row_text(row, calendar_month_name(at.month));
    text_row_text(row, " ");
    text_row_number(row, at.day, 2);
    text_row_text(row, " ");
    time_stamp_put_two_digits(row, at.hour);
    text_row_text(row, ":");
    time_stamp_put_two_digits(row, at.minute);
    text_row_text(row, ":");
    time_stamp_put_two_digits(row, at.second);
    text_row_text(row, " UTC ");
    text_row_number(row, at.year, 0);
}

void time_stamp_put(char form, uint64_t seconds, text_put *put, void *arg)
{
    struct text_row row = {.used = 0};

    if (form == 'u')
        text_row_number(&row, seconds, 0);
    else if (form == 'd')
        time_stamp_put_date(&row, seconds);
    else
        return;
    text_row_end(&row, put, arg);
}
