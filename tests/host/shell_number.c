/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of lib/number: the ends of the range, and everything that is not quite a number. */
#include "tests/host/test.h"

#include "lib/errno.h"

/* The code under test. */
#include "lib/number.h"

#define UNTOUCHED 77

static int parse(const char *text, unsigned base, uint64_t expected)
{
    uint64_t value = UNTOUCHED;
    int result = parse_u64(text, base, &value);

    return value == expected ? result : 1;
}

static int decimal(const char *text, unsigned places, uint64_t expected)
{
    uint64_t value = UNTOUCHED;
    int result = parse_decimal(text, places, &value);

    return value == expected ? result : 1;
}

TEST(number_reads_whole_numbers)
{
    CHECK(parse("0", 10, 0) == 0);
    CHECK(parse("18446744073709551615", 10, UINT64_MAX) == 0);
    CHECK(parse("18446744073709551616", 10, UNTOUCHED) == -ERANGE);
    CHECK(parse("99999999999999999999999", 10, UNTOUCHED) == -ERANGE);
    CHECK(parse("99999999999999999999999x", 10, UNTOUCHED) == -EINVAL);
    CHECK(parse("ffffffffffffffff", 16, UINT64_MAX) == 0);
    CHECK(parse("0xFf", 0, 255) == 0);
    CHECK(parse("010", 0, 10) == 0);
    CHECK(parse("zZ", 36, 35 * 36 + 35) == 0);
    CHECK(parse("", 10, UNTOUCHED) == -EINVAL);
    CHECK(parse("0x", 0, UNTOUCHED) == -EINVAL);
    CHECK(parse("-1", 10, UNTOUCHED) == -EINVAL);
    CHECK(parse("+1", 10, UNTOUCHED) == -EINVAL);
    CHECK(parse(" 1", 10, UNTOUCHED) == -EINVAL);
    CHECK(parse("1 ", 10, UNTOUCHED) == -EINVAL);
    CHECK(parse("2", 2, UNTOUCHED) == -EINVAL);
}

TEST(number_reads_fractions)
{
    CHECK(decimal("3", 9, 3000000000u) == 0);
    CHECK(decimal("0.5", 9, 500000000) == 0);
    CHECK(decimal(".25", 9, 250000000) == 0);
    CHECK(decimal("1.", 9, 1000000000) == 0);
    CHECK(decimal("0.0000000019", 9, 1) == 0);
    CHECK(decimal("18446744073.709551615", 9, UINT64_MAX) == 0);
    CHECK(decimal("18446744073.709551616", 9, UNTOUCHED) == -ERANGE);
    CHECK(decimal("", 9, UNTOUCHED) == -EINVAL);
    CHECK(decimal(".", 9, UNTOUCHED) == -EINVAL);
    CHECK(decimal("1.5s", 9, UNTOUCHED) == -EINVAL);
    CHECK(decimal("1..5", 9, UNTOUCHED) == -EINVAL);
    CHECK(decimal("-1", 9, UNTOUCHED) == -EINVAL);
}
