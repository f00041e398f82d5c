/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the log ring. */
#include "kernel/log.h"
#include "kernel/selftest.h"
#include "lib/format.h"
#include "lib/string.h"

#define LOG_MAX 65536u /* no log is as long */

/* The text behind the time stamp of the line at *OFFSET, which moves to the next line; "" at the
 * end. */
static const char *line_at(size_t *offset)
{
    static char text[300];
    size_t length = log_read(*offset, text, sizeof text - 1);
    char *end, *start;

    text[length] = '\0';
    end = strchr(text, '\n');
    start = strchr(text, ']');
    if (!end)
        return "";
    *end = '\0';
    *offset += (size_t)(end - text) + 1;
    return start && start[1] == ' ' ? start + 2 : "no time stamp";
}

SELFTEST(log_lines, "log-lines", "what is logged can be read back, the last lines alone too")
{
    size_t offset;

    log_printf("selftest: first %u", 1u);
    log_printf("selftest: second %s", "2");
    log_printf("selftest: third");
    offset = log_tail(3);
    SELFTEST_CHECK(strcmp(line_at(&offset), "selftest: first 1") == 0);
    SELFTEST_CHECK(strcmp(line_at(&offset), "selftest: second 2") == 0);
    SELFTEST_CHECK(strcmp(line_at(&offset), "selftest: third") == 0);
    SELFTEST_CHECK(strcmp(line_at(&offset), "") == 0);
    SELFTEST_EQUAL(log_read(LOG_MAX, &(char){0}, 1), 0);
    offset = log_tail(1);
    SELFTEST_CHECK(strcmp(line_at(&offset), "selftest: third") == 0);
    return 0;
}

SELFTEST_ONLY_NAMED(log_wrap, "log-wrap",
                    "a full log keeps the newest text, whole lines at its end")
{
    char expected[40];
    size_t offset;

    for (unsigned i = 0; i < 2000; i++)
        log_printf("selftest: line %u of many", i);
    offset = log_tail(200);
    for (unsigned i = 1800; i < 2000; i++) {
        format(expected, sizeof expected, "selftest: line %u of many", i);
        SELFTEST_CHECK(strcmp(line_at(&offset), expected) == 0);
    }
    SELFTEST_CHECK(strcmp(line_at(&offset), "") == 0);
    SELFTEST_CHECK(log_read(offset - 1, &(char){0}, 1) == 1 &&
                   log_read(offset, &(char){0}, 1) == 0);
    SELFTEST_CHECK(log_tail(1000000) == 0);
    return 0;
}
