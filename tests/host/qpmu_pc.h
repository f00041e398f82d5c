/* SPDX-License-Identifier: BSD-2-Clause */
/* The plugin qpmu in an emulator that is none (qpmu_emulator.h): a PC of two CPUs. */
#ifndef TESTS_HOST_QPMU_PC_H
#define TESTS_HOST_QPMU_PC_H

#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/vcpu.h"

#include <stddef.h>
#include <stdint.h>

#define PC_RAM_SIZE (4u << 20)

/* No block is translated, no event was asked for, and the level is this one. */
void pc_begin(enum qpmu_level level);
/* The first CPU adds EVENT up, whatever its registers ask for; and no longer, between two blocks.
 */
struct vcpu *pc_counts(enum qpmu_event event);
void pc_counts_no_more(void);
/* Its instructions, but for those of the block that runs. */
uint64_t pc_instructions(void);
/* The reset that was asked for happens. */
void pc_reset_happens(void);
/* A block of one instruction. */
void pc_translate(uint64_t pc, const char *bytes, size_t size);

extern unsigned pc_hypercalls; /* accesses that the plugin wants to hear of as hypercalls */

#define NOP       "\x90", 1
#define RET       "\xc3", 1
#define HLT       "\xf4", 1
#define DIV       "\x48\xf7\xf1", 3                 /* div %rcx */
#define HYPERCALL "\x0f\x1f\x80\x50\x51\x00\x00", 7 /* nopl 0x5150(%rax) */
#define STORE     "\xc7\x00\x00\x00\x00\x00", 6     /* movl $0, (%rax) */

#endif
