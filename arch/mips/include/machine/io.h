/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Malta's input/output space: the GT-64120 shows PCI I/O at physical 0x18000000 (MIPS Malta User's
 * Manual, memory map), reached uncached through kseg1. Wider ports are little-endian on the bus.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stddef.h>

#define IO_BASE 0xffffffffb8000000ul

static inline uint8_t io_read8(uint16_t port)
{
    return *(volatile uint8_t *)(IO_BASE + port);
}

static inline void io_write8(uint16_t port, uint8_t value)
{
    *(volatile uint8_t *)(IO_BASE + port) = value;
}

static inline uint16_t io_read16(uint16_t port)
{
    return __builtin_bswap16(*(volatile uint16_t *)(IO_BASE + port));
}

static inline void io_write16(uint16_t port, uint16_t value)
{
    *(volatile uint16_t *)(IO_BASE + port) = __builtin_bswap16(value);
}

static inline uint32_t io_read32(uint16_t port)
{
    return __builtin_bswap32(*(volatile uint32_t *)(IO_BASE + port));
}

static inline void io_write32(uint16_t port, uint32_t value)
{
    *(volatile uint32_t *)(IO_BASE + port) = __builtin_bswap32(value);
}
