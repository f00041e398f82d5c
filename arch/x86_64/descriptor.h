/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments, task state and interrupt descriptors. Boot, once per CPU, on that CPU. */
#pragma once

#define KERNEL_DATA_SEGMENT 16
#define USER_DATA_SEGMENT   0x2b
#define USER_CODE_SEGMENT   0x33

#ifndef __ASSEMBLER__
#include <stdint.h>

void descriptor_boot(unsigned cpu);
/* Where this CPU finds its stack pointer when it comes from user mode; not aligned. Stays on the
 * CPU. */
uint64_t *descriptor_kernel_stack(void);
#endif
