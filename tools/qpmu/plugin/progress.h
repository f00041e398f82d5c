/* SPDX-License-Identifier: BSD-2-Clause */
/* How far a block came before control went elsewhere. */
#ifndef QPMU_PLUGIN_PROGRESS_H
#define QPMU_PLUGIN_PROGRESS_H

#include "tools/qpmu/plugin/vcpu.h"

/* Where control went. */
struct arrival {
    uint64_t pc;    /* of the next block, or where an interrupt or exception came between */
    bool told;      /* QEMU said so, else the next block has begun, which may be a vector's */
    bool exception; /* told: raised by the instruction at `pc` */
    bool vector;    /* an interrupt or exception came, told or by the next block's address */
    bool interrupt; /* it was an interrupt, surely */
    bool user;      /* x86: where it goes on, if that is known */
};

/* How many instructions of the block graduated. FAULTED: whether the next one raised an exception;
 * else it is executed again, alone. */
unsigned progress_of(const struct vcpu *cpu, const struct block *block, const struct arrival *to,
                     bool *faulted);

/* Whether the two are one place: with emu.relative the page may be another. */
static inline bool progress_same(uint64_t a, uint64_t b)
{
    return ((a ^ b) & (emu.relative ? 0xfffu : ~0ull)) == 0;
}

#endif
