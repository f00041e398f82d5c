/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pieces of code of which every event is known, to be run in the kernel and in user mode. Each is a
 * function of one argument that uses no stack. In user mode a stub calls it: 2 instructions more.
 */
#pragma once

#include <arch/user.h>
#include <stdint.h>

struct pmu_code {
    const char *start, *end;
};

/* ARGUMENT: turns. */
extern const struct pmu_code pmu_code_loop, pmu_code_empty;
/* ARGUMENT: address of its data, the first word of which says how many turns. A turn loads twice
 * and stores once. */
extern const struct pmu_code pmu_code_memory;
/* The same data. The first word says how many bytes one repeated string instruction fills, from 64
 * bytes behind it on (x86_64; empty on MIPS). */
extern const struct pmu_code pmu_code_string;

/* The data's first word says how often its block is walked by 32 bytes. ARGUMENT: bytes of it.
 * Nothing else is loaded but that word. (MIPS.) */
extern const struct pmu_code pmu_code_walk;
/* The data's first word says how many bytes follow: a conditional branch is taken for those that
 * are not 0. One more closes each turn. */
extern const struct pmu_code pmu_code_branch;

/* Instructions that graduate: CODE_LOOP_TURN * turns + CODE_LOOP_MORE. */
#ifdef __mips__
#define CODE_LOOP_TURN   3u
#define CODE_LOOP_MORE   2u
#define CODE_MEMORY_TURN 6u
#define CODE_MEMORY_MORE 3u
#define CODE_EMPTY       2u
#else
#define CODE_LOOP_TURN   2u
#define CODE_LOOP_MORE   1u
#define CODE_MEMORY_TURN 5u
#define CODE_MEMORY_MORE 2u
#define CODE_STRING      4u
#define CODE_EMPTY       1u
#endif
#define CODE_USER_STUB 2u

/* Where code and data lie in user mode, in an address space of their own. */
#define USER_CODE 0x400000ul
#define USER_DATA 0x410000ul
#define USER_SIZE 0x10000ul /* of each */

/* Prepares the user's pages, once a test; 0 or -ENOMEM. The data page begins with WORD. */
int pmu_code_user_prepare(const struct pmu_code *code, uint64_t word);
void pmu_code_user_done(void);
/* The data, in the kernel. */
void *pmu_code_user_data(void);
/* Runs the code in user mode: true if it came to its end. */
bool pmu_code_user(enum user_mode mode, uint64_t argument);
/* Runs it in the kernel. */
void pmu_code_kernel(const struct pmu_code *code, uint64_t argument);
