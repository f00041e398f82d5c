/* SPDX-License-Identifier: BSD-2-Clause */
/* The CRC-32 of Ethernet, gzip and zlib. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The CRC of what had CRC (0: nothing yet) followed by SIZE bytes: as zlib's function. */
uint32_t crc32(uint32_t crc, const void *data, size_t size);
