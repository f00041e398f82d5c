/* SPDX-License-Identifier: BSD-2-Clause */
/* What vector.S saves at an exception, lowest address first. */
#pragma once

#include <stdint.h>

struct trap_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbx, rdx, rcx, rax, rsi, rdi, rbp;
    uint64_t vector;
    uint64_t error; /* pushed by the CPU, or 0 */
    uint64_t rip, cs, rflags, rsp, ss;
};
