/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of lib/format: every combination of flags, widths and lengths against the host's printf. */
#include "tests/host/test.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The code under test. */
#include "lib/format.c"

#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-overflow"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

#define SAME(size, ...)                                                                            \
    do {                                                                                           \
        char ours[96], theirs[96];                                                                 \
        memset(ours, 7, sizeof(ours));                                                             \
        memset(theirs, 7, sizeof(theirs));                                                         \
        CHECK(format(ours, (size), __VA_ARGS__) == (size_t)snprintf(theirs, (size), __VA_ARGS__)); \
        CHECK(memcmp(ours, theirs, sizeof(ours)) == 0);                                            \
    } while (0)

static void compare_values(const char *fmt)
{
    static const long long values[] = {
        0,         1,      -1,      7,       10,        99,        100,
        12345,     -12345, INT_MAX, INT_MIN, LLONG_MAX, LLONG_MIN, 1000000000000000000,
        0xdeadbeef};

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        SAME(80, fmt, values[i]);
}

TEST(format_integers_are_as_in_printf)
{
    static const char *const widths[] = {"", "1", "12", "40"};
    static const char *const precisions[] = {"", ".", ".0", ".3", ".25"};
    static const char *const lengths[] = {"", "hh", "h", "l", "ll", "z", "j", "t"};

    for (unsigned i = 0; i < 32u * 4 * 5 * 8 * 6; i++) {
        unsigned flags = i % 32, width = i / 32 % 4, precision = i / 128 % 5, length = i / 640 % 8;
        char fmt[40];

        snprintf(fmt, sizeof(fmt), "%%%s%s%s%s%s%s%s%s%c", flags & 1 ? "-" : "",
                 flags & 2 ? "0" : "", flags & 4 ? "+" : "", flags & 8 ? " " : "",
                 flags & 16 ? "#" : "", widths[width], precisions[precision], lengths[length],
                 "diuxXo"[i / 5120]);
        compare_values(fmt);
    }
}

TEST(format_strings_characters_and_pointers)
{
    SAME(80, "%s %10s %-10s| %.2s %.0s|", "hi", "yo", "zo", "cut", "gone");
    SAME(80, "a%%b%c%5c%-5cx", 'q', 'r', 's');
    SAME(80, "%*d|%-*d|%.*d|%.*s", -8, 3, 5, 4, -1, 7, 2, "abc");
    SAME(80, "%p|%20p|%-20p|", (void *)0x1234, (void *)1, (void *)2);
    SAME(80, "%.3s", (const char[3]){'a', 'b', 'c'});
}

TEST(format_cuts_and_reports_the_whole_length)
{
    char buf[4] = "zzz";

    for (size_t size = 0; size < 12; size++)
        SAME(size, "%d-%s", 12345, "abc");
    CHECK(format(NULL, 0, "%s", "twelve bytes") == 12);
    CHECK(format(buf, sizeof(buf), "%s", "abcdef") == 6);
    CHECK(strcmp(buf, "abc") == 0);
}

TEST(format_copies_what_it_does_not_know)
{
    char buf[32];

    format(buf, sizeof(buf), "%q %5y.");
    CHECK(strcmp(buf, "%q %5y.") == 0);
    format(buf, sizeof(buf), "end%");
    CHECK(strcmp(buf, "end%") == 0);
    format(buf, sizeof(buf), "%s", (const char *)NULL);
    CHECK(strcmp(buf, "(null)") == 0);
}
