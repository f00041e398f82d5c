/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers in the byte order of a device, of a disk's format or of the network, to the CPU's order
 * and back. The same operation both ways; two names say which way is meant.
 */
#pragma once

#include <stdint.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ENDIAN_LITTLE(bits, value) __builtin_bswap##bits(value)
#define ENDIAN_BIG(bits, value)    (value)
#else
#define ENDIAN_LITTLE(bits, value) (value)
#define ENDIAN_BIG(bits, value)    __builtin_bswap##bits(value)
#endif

#define ENDIAN_PAIRS(bits)                                                                         \
    static inline uint##bits##_t le##bits##_to_cpu(uint##bits##_t value)                           \
    {                                                                                              \
        return ENDIAN_LITTLE(bits, value);                                                         \
    }                                                                                              \
    static inline uint##bits##_t cpu_to_le##bits(uint##bits##_t value)                             \
    {                                                                                              \
        return ENDIAN_LITTLE(bits, value);                                                         \
    }                                                                                              \
    static inline uint##bits##_t be##bits##_to_cpu(uint##bits##_t value)                           \
    {                                                                                              \
        return ENDIAN_BIG(bits, value);                                                            \
    }                                                                                              \
    static inline uint##bits##_t cpu_to_be##bits(uint##bits##_t value)                             \
    {                                                                                              \
        return ENDIAN_BIG(bits, value);                                                            \
    }

ENDIAN_PAIRS(16)
ENDIAN_PAIRS(32)
ENDIAN_PAIRS(64)

#undef ENDIAN_PAIRS
