/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of shell/cpu_list: lists as people write them, and what is none. */
#include "tests/host/test.h"

#include <string.h>

/* The code under test. */
#include "shell/commands/shared/cpu_list.c"

static uint32_t set;
static uint64_t beyond;

static bool reads(const char *text, unsigned count, uint32_t expected)
{
    set = 0;
    return cpu_list_parse(text, count, &set, &beyond) == 0 && set == expected;
}

static bool is_beyond(const char *text, unsigned count, uint64_t expected)
{
    beyond = 0;
    return cpu_list_parse(text, count, &set, &beyond) == -ERANGE && beyond == expected;
}

static bool writes(uint32_t cpus, unsigned count, const char *expected)
{
    char text[CPU_LIST_BYTES];

    cpu_list_format(text, sizeof(text), cpus, count);
    return strcmp(text, expected) == 0;
}

TEST(cpu_list_reads)
{
    static const char *const bad[] = {"",   "x",   "1,",  ",1", "1,,2", "2-1",   "-1",
                                      "1-", "1-x", "1 2", "+1", "0x1",  "1-2-3", "12345678901"};

    CHECK(reads("0", 1, 1));
    CHECK(reads("2", 4, 4));
    CHECK(reads("0,2-3", 4, 13));
    CHECK(reads("0-31", 32, UINT32_MAX));
    CHECK(reads("3,3,1-1", 4, 10));
    CHECK(is_beyond("9", 4, 9));
    CHECK(is_beyond("0,2-9", 4, 4));
    CHECK(is_beyond("999999999", 32, 999999999));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK(cpu_list_parse(bad[i], 4, &set, &beyond) == -EINVAL);
}

TEST(cpu_list_writes)
{
    CHECK(writes(0, 4, ""));
    CHECK(writes(1, 4, "0"));
    CHECK(writes(3, 4, "0,1"));
    CHECK(writes(13, 4, "0,2,3"));
    CHECK(writes(UINT32_MAX, 4, "0-3"));
    CHECK(writes(UINT32_MAX, 32, "0-31"));
    CHECK(writes(0x117, 16, "0-2,4,8"));
    CHECK(writes(0xaaaaaaaa, 32, "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31"));
}

TEST(cpu_list_beyond)
{
    char text[CPU_LIST_BYTES];

    cpu_list_beyond(text, sizeof(text), 1, 1);
    CHECK_TEXT(text, "no CPU 1: there is only CPU 0");
    cpu_list_beyond(text, sizeof(text), UINT64_MAX, 16);
    CHECK_TEXT(text, "no CPU 18446744073709551615: there are CPUs 0 to 15");
}
