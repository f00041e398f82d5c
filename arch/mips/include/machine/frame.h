/* SPDX-License-Identifier: BSD-2-Clause */
/* What vector.S saves, lowest address first: at an exception everything, at an interrupt what calls
 * do not preserve. */
#pragma once

#include <stdint.h>

struct trap_frame {
    uint64_t reg[32]; /* by number; 0, k0 and k1 hold nothing */
    uint64_t hi, lo;
    uint64_t epc, status, cause, badvaddr;
};

struct interrupt_frame {
    uint64_t v0, v1, a[8], t9, hi, epc, status, lo, ra;
};
