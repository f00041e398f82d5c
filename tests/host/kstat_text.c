/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics as text, and back. */
#include "stats/read/kstat_text.h"

#include "tests/host/kstat_check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static char text[4096];

static const char *lines(const kstat_t *ksp, unsigned flags)
{
    struct kstat_statistic statistic;
    size_t at = 0;

    text[0] = '\0';
    for (unsigned i = 0; kstat_statistic_get(ksp, i, &statistic); i++) {
        at += kstat_text_line(text + at, sizeof text - at, ksp, &statistic, flags);
        text[at++] = '\n';
        text[at] = '\0';
    }
    return text;
}

static kstat_t header(uchar_t type, void *data, uint_t ndata)
{
    kstat_t ks = {.ks_instance = 3, .ks_type = type, .ks_data = data, .ks_ndata = ndata};

    kstat_set_string(ks.ks_module, "mod:ule");
    kstat_set_string(ks.ks_name, "na\tme");
    kstat_set_string(ks.ks_class, "cl:ass");
    ks.ks_crtime = 412345678;
    ks.ks_snaptime = 12000000005;
    return ks;
}

TEST(kstat_text_of_named)
{
    kstat_named_t named[7];
    kstat_t ks = header(KSTAT_TYPE_NAMED, named, 7);

    kstat_named_init(&named[0], "c", KSTAT_DATA_CHAR);
    memcpy(named[0].value.c, "0123456789\n\\:xyz", 16);
    kstat_named_init(&named[1], "i32", KSTAT_DATA_INT32);
    named[1].value.i32 = INT32_MIN;
    kstat_named_init(&named[2], "ui32", KSTAT_DATA_UINT32);
    named[2].value.ui32 = UINT32_MAX;
    kstat_named_init(&named[3], "i64", KSTAT_DATA_INT64);
    named[3].value.i64 = INT64_MIN;
    kstat_named_init(&named[4], "ui64", KSTAT_DATA_UINT64);
    named[4].value.ui64 = UINT64_MAX;
    kstat_named_init(&named[5], "a string", KSTAT_DATA_STRING);
    kstat_named_setstr(&named[5], "tab\there");
    kstat_named_init(&named[6], "unknown", 99);
    CHECK_TEXT(lines(&ks, 0), "mod\\x3aule:3:na\\x09me:c\t0123456789\\x0a\\x5c:xyz\n"
                              "mod\\x3aule:3:na\\x09me:i32\t-2147483648\n"
                              "mod\\x3aule:3:na\\x09me:ui32\t4294967295\n"
                              "mod\\x3aule:3:na\\x09me:i64\t-9223372036854775808\n"
                              "mod\\x3aule:3:na\\x09me:ui64\t18446744073709551615\n"
                              "mod\\x3aule:3:na\\x09me:a string\ttab\\x09here\n"
                              "mod\\x3aule:3:na\\x09me:unknown\t\n"
                              "mod\\x3aule:3:na\\x09me:class\tcl:ass\n"
                              "mod\\x3aule:3:na\\x09me:crtime\t0.412345678\n"
                              "mod\\x3aule:3:na\\x09me:snaptime\t12.000000005\n");
}

TEST(kstat_text_of_other_types)
{
    kstat_io_t io = {.nread = 98304, .rlentime = 2400, .rcnt = 1};
    kstat_intr_t intr = {{1, 2, 3, 4, 5}};
    kstat_timer_t timers[2];
    kstat_t ks = header(KSTAT_TYPE_IO, &io, 1);

    kstat_set_string(ks.ks_module, "m");
    kstat_set_string(ks.ks_name, "n");
    ks.ks_crtime = 0;
    CHECK_TEXT(lines(&ks, KSTAT_LINE_COLONS),
               "m:3:n:nread:98304\nm:3:n:nwritten:0\nm:3:n:reads:0\nm:3:n:writes:0\n"
               "m:3:n:wtime:0\nm:3:n:wlentime:0\nm:3:n:wlastupdate:0\nm:3:n:rtime:0\n"
               "m:3:n:rlentime:2400\nm:3:n:rlastupdate:0\nm:3:n:wcnt:0\nm:3:n:rcnt:1\n"
               "m:3:n:class:cl:ass\nm:3:n:crtime:0\nm:3:n:snaptime:12.000000005\n");
    ks.ks_type = KSTAT_TYPE_INTR;
    ks.ks_data = &intr;
    CHECK_TEXT(lines(&ks, KSTAT_LINE_VALUES), "1\n2\n3\n4\n5\ncl:ass\n0\n12.000000005\n");
    CHECK_TEXT(lines(&ks, KSTAT_LINE_NAMES),
               "m:3:n:hard\nm:3:n:soft\nm:3:n:watchdog\nm:3:n:spurious\n"
               "m:3:n:multiple_service\nm:3:n:class\nm:3:n:crtime\nm:3:n:snaptime\n");
    kstat_timer_init(&timers[0], "one");
    kstat_timer_init(&timers[1], "two");
    timers[1].num_events = 7;
    ks.ks_type = KSTAT_TYPE_TIMER;
    ks.ks_data = timers;
    CHECK(strstr(lines(&ks, 0), "m:3:n:name\tone\nm:3:n:num_events\t0\n") == text);
    ks.ks_ndata = 2;
    CHECK(strstr(lines(&ks, 0), "m:3:n:two_num_events\t7\n") != NULL);
    ks.ks_type = KSTAT_TYPE_RAW;
    CHECK_TEXT(lines(&ks, KSTAT_LINE_NAMES), "m:3:n:class\nm:3:n:crtime\nm:3:n:snaptime\n");
    ks.ks_type = KSTAT_TYPE_IO;
    ks.ks_data = NULL; /* not read */
    CHECK_TEXT(lines(&ks, KSTAT_LINE_NAMES), "m:3:n:class\nm:3:n:crtime\nm:3:n:snaptime\n");
}

static int parse(const char *line, struct kstat_line *out, char *value, size_t size)
{
    return kstat_text_parse(line, strlen(line), 0, out, value, size);
}

TEST(kstat_text_parses_back)
{
    struct kstat_line line;
    char value[32];

    CHECK_IS(parse("m\\x3A:-12:n\\x09:s\tv\\x0a:\tw", &line, value, sizeof value), 0);
    CHECK_TEXT(line.module, "m:");
    CHECK_IS(line.instance, -12);
    CHECK_TEXT(line.name, "n\t");
    CHECK_TEXT(line.statistic, "s");
    CHECK(line.has_value);
    CHECK_TEXT(value, "v\n:\tw");
    CHECK_IS(line.value_length, 5);
    CHECK_IS(parse("m:0:n:s", &line, value, sizeof value), 0);
    CHECK(!line.has_value);
    CHECK_IS(parse(":-2147483648::\t", &line, value, sizeof value), 0);
    CHECK_IS(line.instance, INT32_MIN);
    CHECK(line.has_value && line.value_length == 0);
    CHECK_IS(kstat_text_parse("m:1:n:s:a:b", 11, KSTAT_LINE_COLONS, &line, value, sizeof value), 0);
    CHECK_TEXT(value, "a:b");
    CHECK_IS(parse("m:0:n:s\t123", &line, value, 3), -ENOSPC);
}

TEST(kstat_text_refuses)
{
    static const char *const wrong[] = {
        "",
        "m",
        "m:0",
        "m:0:n",
        "m:x:n:s\t1",
        "m::n:s\t1",
        "m:-:n:s\t1",
        "m:0:n:s:t",
        "m:2147483648:n:s\t1",
        "m\\:0:n:s",
        "m\\xg0:0:n:s",
        "m:0:n:s\tv\\",
        "m:0:n:s\tv\\x4",
        "m\\x00:0:n:s\t1",
        "m:99999999999:n:s",
        "1234567890123456789012345678901:0:n:s\t1",
    };
    struct kstat_line line;
    char value[32];

    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_IS(parse(wrong[i], &line, value, sizeof value), -EINVAL);
}

TEST(kstat_text_is_cut_like_snprintf)
{
    struct kstat_statistic statistic = {"s", KSTAT_VALUE_UNSIGNED, {.u = 123456}};
    char small[4] = "xxx";

    CHECK_IS(kstat_text_value(small, 0, &statistic), 6);
    CHECK_TEXT(small, "xxx");
    CHECK_IS(kstat_text_value(small, sizeof small, &statistic), 6);
    CHECK_TEXT(small, "123");
    CHECK_IS(kstat_text_escape_name(small, 2, "a:b", 3), 6);
    CHECK_TEXT(small, "a");
    CHECK_IS(kstat_text_escape_value(text, sizeof text, "a:\n", 3), 6);
    CHECK_TEXT(text, "a:\\x0a");
}

TEST(kstat_text_shortens)
{
    char one[KSTAT_STRLEN];
    char two[KSTAT_STRLEN];

    kstat_text_shorten(one, "123456789012345678901234567890");
    CHECK_TEXT(one, "123456789012345678901234567890");
    kstat_text_shorten(one, "123456789012345678901234567890a");
    kstat_text_shorten(two, "123456789012345678901234567890b");
    CHECK_IS(strlen(one), 30);
    CHECK(strncmp(one, "1234567890123456789012345~", 26) == 0);
    CHECK(strspn(one + 26, "0123456789abcdef") == 4);
    CHECK(strcmp(one, two) != 0);
}
