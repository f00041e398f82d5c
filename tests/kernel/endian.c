/* SPDX-License-Identifier: BSD-2-Clause */
/* Self-tests of lib/endian.h: what a number's bytes are in memory, on either machine. */
#include "lib/endian.h"
#include "tests/kernel/selftest.h"
#include "lib/string.h"

SELFTEST(endian_bytes, "endian-bytes", "numbers lie in memory in the order that was asked for")
{
    static const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint64_t whole;
    uint32_t half;
    uint16_t quarter;

    memcpy(&whole, bytes, 8);
    memcpy(&half, bytes, 4);
    memcpy(&quarter, bytes, 2);
    SELFTEST_EQUAL(le64_to_cpu(whole), 0x0807060504030201);
    SELFTEST_EQUAL(be64_to_cpu(whole), 0x0102030405060708);
    SELFTEST_EQUAL(le32_to_cpu(half), 0x04030201);
    SELFTEST_EQUAL(be32_to_cpu(half), 0x01020304);
    SELFTEST_EQUAL(le16_to_cpu(quarter), 0x0201);
    SELFTEST_EQUAL(be16_to_cpu(quarter), 0x0102);
    SELFTEST_CHECK(cpu_to_le64(le64_to_cpu(whole)) == whole);
    SELFTEST_CHECK(cpu_to_be64(be64_to_cpu(whole)) == whole);
    SELFTEST_CHECK(cpu_to_le32(le32_to_cpu(half)) == half);
    SELFTEST_CHECK(cpu_to_be32(be32_to_cpu(half)) == half);
    SELFTEST_CHECK(cpu_to_le16(le16_to_cpu(quarter)) == quarter);
    SELFTEST_CHECK(cpu_to_be16(be16_to_cpu(quarter)) == quarter);
    return 0;
}
