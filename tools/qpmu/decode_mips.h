/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles of the cost model on MIPS: the R10000's latencies where they are longer than a pipeline
 * hides; everything else is 1. */
#ifndef QPMU_DECODE_MIPS_H
#define QPMU_DECODE_MIPS_H

#define MIPS_CYCLES_MULT     6 /* mult, mul, madd, ... */
#define MIPS_CYCLES_DMULT    10
#define MIPS_CYCLES_DIV      35
#define MIPS_CYCLES_DDIV     67
#define MIPS_CYCLES_FP_DIV_S 12 /* recip.s too */
#define MIPS_CYCLES_FP_DIV_D 19
#define MIPS_CYCLES_SQRT_S   18
#define MIPS_CYCLES_SQRT_D   33
#define MIPS_CYCLES_RSQRT_S  30
#define MIPS_CYCLES_RSQRT_D  52
#endif
