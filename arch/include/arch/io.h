/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine contract: the board's ISA and PCI input/output ports, in the byte order of the bus
 * (little-endian values arrive as the CPU's own numbers), and memory-mapped registers.
 */
#pragma once

#include <stdint.h>

static inline uint8_t io_read8(uint16_t port);
static inline uint16_t io_read16(uint16_t port);
static inline uint32_t io_read32(uint16_t port);
static inline void io_write8(uint16_t port, uint8_t value);
static inline void io_write16(uint16_t port, uint16_t value);
static inline void io_write32(uint16_t port, uint32_t value);

static inline uint32_t mmio_read32(const volatile void *address)
{
    return *(const volatile uint32_t *)address;
}

static inline void mmio_write32(volatile void *address, uint32_t value)
{
    *(volatile uint32_t *)address = value;
}

#include <machine/io.h>
