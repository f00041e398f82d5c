/* SPDX-License-Identifier: BSD-2-Clause */
/* User mode, for vector.S, trap.c and start-up. */
#pragma once

#define MSR_FS_BASE        0xc0000100
#define MSR_GS_BASE        0xc0000101
#define MSR_KERNEL_GS_BASE 0xc0000102 /* in the kernel, the user's */

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trap_frame;

/* Each CPU, on that CPU, before it may go to user mode. */
void user_boot(void);
/* The same for the registers that struct user_state saves. */
void user_state_boot(void);
/* vector.S: what enters by `int $0x80` and by `syscall`. */
extern const char call_gate[], call_instruction[];
#endif
