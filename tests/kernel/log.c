/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the log ring. */
#include "kernel/base/log.h"
#include "tests/kernel/selftest.h"
#include "kernel/console/log_ring.h"
#include "lib/format.h"
#include "lib/string.h"

/* The text behind the time stamp of the line at *OFFSET, which moves to the next line; "" at the
 * end. */
static const char *line_at(size_t *offset)
{
    static char text[300];
    size_t start, length = log_read(offset, text, sizeof text - 1);
    char *end, *stamp;

    start = *offset - length;
    text[length] = '\0';
    end = strchr(text, '\n');
    stamp = strchr(text, ']');
    if (!end)
        return "";
    *end = '\0';
    *offset = start + (size_t)(end - text) + 1;
    return stamp && stamp[1] == ' ' ? stamp + 2 : "no time stamp";
}

/* The lines from *OFFSET on, which moves to the end. */
static int lines_from(size_t *offset)
{
    int count = 0;

    while (*line_at(offset))
        count++;
    return count;
}

/* TEST, which logs LINES lines: again, where others did in between. The clock does when the host
 * was away. */
static int undisturbed(int (*test)(void), int lines)
{
    size_t offset = log_tail(1);
    int tries = 10, result;

    do {
        lines_from(&offset);
        result = test();
    } while (result != 0 && lines_from(&offset) != lines && --tries > 0);
    return result;
}

static int read_lines(void)
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
    SELFTEST_EQUAL(log_read(&offset, &(char){0}, 1), 0);
    offset = log_tail(1);
    SELFTEST_CHECK(strcmp(line_at(&offset), "selftest: third") == 0);
    return 0;
}

SELFTEST(log_lines, "log-lines", "what is logged can be read back, the last lines alone too")
{
    return undisturbed(read_lines, 3);
}

static int hold_lines(void)
{
    char text[300];
    size_t length;

    log_hold();
    SELFTEST_EQUAL(log_held(text, sizeof text), 0);
    log_printf("selftest: one");
    log_printf("selftest: two");
    SELFTEST_CHECK(!log_release());
    length = log_held(text, sizeof text - 1);
    text[length] = '\0';
    SELFTEST_CHECK(strchr(text, ']') && strncmp(strchr(text, ']'), "] selftest: one\n[", 17) == 0);
    SELFTEST_CHECK(length > 16 && strcmp(text + length - 16, "] selftest: two\n") == 0);
    SELFTEST_EQUAL(log_held(text, sizeof text), 0);
    log_printf("selftest: three");
    SELFTEST_EQUAL(log_held(text, 4), 4);
    SELFTEST_CHECK(!log_release());
    while (log_held(text, sizeof text) > 0)
        ;
    SELFTEST_CHECK(log_release());
    return 0;
}

SELFTEST(log_hold, "log-hold", "lines that come while a line is edited are kept for its editor")
{
    bool before = log_to_console(true);
    int result = undisturbed(hold_lines, 3);
    bool quiet;

    log_to_console(false);
    log_hold();
    log_printf("selftest: not for the console");
    quiet = log_held(&(char){0}, 1) == 0 && log_release();
    log_to_console(before);
    SELFTEST_CHECK(quiet);
    return result;
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
    offset--;
    SELFTEST_CHECK(log_read(&offset, &(char){0}, 1) == 1 && log_read(&offset, &(char){0}, 1) == 0);
    SELFTEST_CHECK(log_tail(1000000) < log_tail(200));
    return 0;
}

/* The number in "selftest: NUMBER of many"; -1: another line. */
static int number_at(size_t *offset)
{
    static const char prefix[] = "selftest: ";
    const char *line = line_at(offset);
    int number = 0;

    if (strncmp(line, prefix, sizeof prefix - 1) != 0)
        return -1;
    for (line += sizeof prefix - 1; *line >= '0' && *line <= '9'; line++)
        number = number * 10 + *line - '0';
    return strcmp(line, " of many") == 0 ? number : -1;
}

SELFTEST_ONLY_NAMED(log_follow, "log-follow",
                    "what is logged between two readings of a full log tears no line")
{
    size_t offset = 0;
    int first, last;

    for (unsigned i = 0; i < 2000; i++)
        log_printf("selftest: %u of many", i);
    first = last = number_at(&offset);
    SELFTEST_CHECK(first > 0);
    for (unsigned i = 2000; i < 2050; i++) {
        log_printf("selftest: %u of many", i);
        SELFTEST_EQUAL(number_at(&offset), last + 1);
        last++;
    }
    while (number_at(&offset) == last + 1)
        last++;
    SELFTEST_EQUAL(last, 2049);
    return 0;
}
