/* SPDX-License-Identifier: BSD-2-Clause */
/* Small programs for user mode, in an address space of two blocks: each begins at USER_CODE. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "tests/kernel/pmu_code.h" /* USER_CODE and where else they lie */

struct aspace;

struct user_program {
    const char *start, *end;
};

#define USER_PROGRAM_TEXT(name, text)                                                              \
    __asm__(".text; .balign 64; program_" #name ": .globl program_" #name "\n" text                \
            "\nprogram_" #name "_end: .previous\n");                                               \
    extern const char program_##name[], program_##name##_end[];                                    \
    static const struct user_program name = {program_##name, program_##name##_end}
#ifdef __mips__
#define USER_PROGRAM(name, text)                                                                   \
    USER_PROGRAM_TEXT(name,                                                                        \
                      ".set push; .set noreorder; .set noat; .set hardfloat\n" text "\n.set pop")
#else
#define USER_PROGRAM(name, text) USER_PROGRAM_TEXT(name, text)
#endif

/* The program at USER_CODE and the data at USER_DATA, which are 0; mapped if MAPPED. It is the
 * running thread's address space until it is unloaded. 0, -ENOMEM. */
int user_program_load(const struct user_program *program, bool mapped);
void user_program_unload(void);
/* What was loaded is mapped from now on; again no more. */
int user_program_map(void);
void user_program_unmap(void);
struct aspace *user_program_space(void);
/* The data, in the kernel. */
void *user_program_data(void);
