/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The branch history table of one CPU: 512 two-bit counters, 0 and 1 predict not taken, 2 and 3
 * taken; a branch taken adds one, not taken takes one away, up to the ends. All begin at 1. Only
 * conditional branches are predicted: jumps are never wrong here, returns and indirect jumps
 * neither. The index is bits 11:3 of the address on MIPS (no two branches share a pair of
 * instructions), bits 8:0 on x86.
 */
#ifndef QPMU_PREDICTOR_H
#define QPMU_PREDICTOR_H
#include <stdbool.h>
#include <stdint.h>

#define QPMU_PREDICTOR_ENTRIES 512

struct qpmu_predictor {
    uint8_t state[QPMU_PREDICTOR_ENTRIES];
};

void qpmu_predictor_reset(struct qpmu_predictor *predictor);

static inline unsigned qpmu_predictor_index_mips(uint64_t pc)
{
    return (unsigned)(pc >> 3) % QPMU_PREDICTOR_ENTRIES;
}

static inline unsigned qpmu_predictor_index_x86(uint64_t pc)
{
    return (unsigned)pc % QPMU_PREDICTOR_ENTRIES;
}

/* A conditional branch went one way. True: it had been predicted the other. */
static inline bool qpmu_predictor_branch(struct qpmu_predictor *predictor, unsigned index,
                                         bool taken)
{
    uint8_t *state = &predictor->state[index % QPMU_PREDICTOR_ENTRIES];
    bool wrong = (*state >= 2) != taken;

    /* Branches in a guest are hard to predict for the host too, so here is none. */
    *state = (uint8_t)(0xed84u >> (*state * 4 + taken * 2)) & 3;
    return wrong;
}
#endif
