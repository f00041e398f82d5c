/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the compiler calls for bit counting and byte swapping, which an R10000 has no instructions
 * for. Names and results as GCC's manual (Integer library routines) states them.
 */
#include <stdint.h>

int __clzdi2(uint64_t value);
int __ctzdi2(uint64_t value);
uint32_t __bswapsi2(uint32_t value);

/* Leading zeros of a byte. */
#define ROW(n) n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n
static const uint8_t byte_zeros[256] = {
    8,      7,      6,      6,      5,      5,      5,      5,      4,      4,      4,
    4,      4,      4,      4,      4,      ROW(3), ROW(2), ROW(2), ROW(1), ROW(1), ROW(1),
    ROW(1), ROW(0), ROW(0), ROW(0), ROW(0), ROW(0), ROW(0), ROW(0), ROW(0),
};

int __clzdi2(uint64_t value)
{
    int zeros = 56;

    if (value >> 32) {
        zeros -= 32;
        value >>= 32;
    }
    if (value >> 16) {
        zeros -= 16;
        value >>= 16;
    }
    if (value >> 8) {
        zeros -= 8;
        value >>= 8;
    }
    return zeros + byte_zeros[value];
}

int __ctzdi2(uint64_t value)
{
    return 63 - __clzdi2(value & -value);
}

uint32_t __bswapsi2(uint32_t value)
{
    value = (value & 0x00ff00ff) << 8 | (value >> 8 & 0x00ff00ff);
    return value << 16 | value >> 16;
}
