/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles of the cost model on x86; everything else is 1, a repeated string instruction too. */
#ifndef QPMU_DECODE_X86_H
#define QPMU_DECODE_X86_H
#include <stdbool.h>

#define X86_CYCLES_MUL    3
#define X86_CYCLES_DIV    26
#define X86_CYCLES_DIV64  42
#define X86_CYCLES_FP_DIV 14 /* SSE and AVX divide and square root */
#define X86_CYCLES_X87    20 /* x87 divide, square root and the D9 F0-FF functions */

struct qpmu_insn;
struct x86_code;

/* A letter as in x86_code.h for an opcode of the one-byte map in 32- and 16-bit code, where that is
 * not what it is in 64-bit code; '\0' where it is. */
char x86_decode_legacy(const struct x86_code *code, struct qpmu_insn *insn);

/* Whether it sets rsp from something else than itself or rbp (x86_stack.c): a function's own frame
 * is set up and left without. */
bool x86_moves_stack(const struct x86_code *code);
#endif
