/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments, task state and interrupt descriptors. Boot, once per CPU, on that CPU. */
#pragma once

#define KERNEL_DATA_SEGMENT 16
#define USER_DATA_SEGMENT   0x2b
#define USER_CODE_SEGMENT   0x33

#ifndef __ASSEMBLER__
#include <stdint.h>

void descriptor_boot(unsigned cpu); /* task_state + 4 is where vector.S finds kernel stacks */
#endif
