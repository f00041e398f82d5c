/* SPDX-License-Identifier: BSD-2-Clause */
/* Handing RAM to the page allocator, less what is in use already. */
#pragma once

#include "boot/boot_info.h"

/* Gives the allocator every RAM range of INFO without its module and without [KERNEL_START,
 * KERNEL_END). */
void memory_regions_add(const struct boot_info *info, uint64_t kernel_start, uint64_t kernel_end);
