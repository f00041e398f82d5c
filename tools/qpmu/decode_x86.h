/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles of the cost model on x86; everything else is 1, a repeated string instruction too. */
#ifndef QPMU_DECODE_X86_H
#define QPMU_DECODE_X86_H

#define X86_CYCLES_MUL    3
#define X86_CYCLES_DIV    26
#define X86_CYCLES_DIV64  42
#define X86_CYCLES_FP_DIV 14 /* SSE and AVX divide and square root */
#define X86_CYCLES_X87    20 /* x87 divide, square root and the D9 F0-FF functions */
#endif
