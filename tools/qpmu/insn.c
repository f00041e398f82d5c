/* SPDX-License-Identifier: BSD-2-Clause */
/* What one instruction adds to the raw events. */
#include "tools/qpmu/insn.h"

#define CONDITIONAL (QPMU_INSN_COND_BRANCH | QPMU_INSN_NEVER_TAKEN)

static bool has(const struct qpmu_insn *insn, uint32_t flag)
{
    return (insn->flags & flag) != 0;
}

unsigned qpmu_insn_adds_faulted(const struct qpmu_insn *insn, enum qpmu_event event)
{
    switch (event) {
    case QPMU_CYCLES:
    case QPMU_STALLS:
        return insn->cycles;
    case QPMU_ISSUED:
        return has(insn, QPMU_INSN_ISSUED);
    case QPMU_LOADS_ISSUED:
        return insn->loads;
    case QPMU_STORES_ISSUED:
        return insn->stores;
    case QPMU_SC_ISSUED:
        return has(insn, QPMU_INSN_SC);
    case QPMU_BRANCHES_DECODED:
        return has(insn, CONDITIONAL);
    default:
        return 0;
    }
}

unsigned qpmu_insn_adds(const struct qpmu_insn *insn, enum qpmu_event event)
{
    switch (event) {
    case QPMU_INSTRUCTIONS:
        return 1;
    case QPMU_STALLS: /* it graduates in its last cycle */
        return insn->cycles - 1u;
    case QPMU_LOADS:
        return insn->loads;
    case QPMU_STORES:
        return insn->stores;
    case QPMU_SC:
        return has(insn, QPMU_INSN_SC);
    case QPMU_FP:
        return has(insn, QPMU_INSN_FP);
    case QPMU_BRANCHES:
        return has(insn, CONDITIONAL);
    case QPMU_BRANCHES_ALL:
        return has(insn, CONDITIONAL | QPMU_INSN_JUMP);
    case QPMU_FU_CYCLES:
        return has(insn, QPMU_INSN_UNIT);
    default:
        return qpmu_insn_adds_faulted(insn, event);
    }
}
