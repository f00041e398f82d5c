/* SPDX-License-Identifier: BSD-2-Clause */
/* What vector.S saves, lowest address first. An interrupt saves only what calls do not preserve. */
#pragma once

#include <stdint.h>

struct trap_frame {
    uint64_t reg[32]; /* by number; 0, k0 and k1 hold nothing */
    uint64_t hi, lo;
    uint64_t epc, status, cause, badvaddr;
};
