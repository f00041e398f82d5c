/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzing the decoders of qpmu: no byte beyond the instruction is read, what they say is
 * consistent. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/qpmu/insn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "qpmu decoder: %s\n", what);
    abort();
}

static bool has(const struct qpmu_insn *insn, uint32_t flags)
{
    return (insn->flags & flags) != 0;
}

static void check(const struct qpmu_insn *insn)
{
    require(insn->cycles >= 1, "no cycles");
    require(!has(insn, QPMU_INSN_LOAD | QPMU_INSN_STORE) || has(insn, QPMU_INSN_MAY_FAULT),
            "an access that cannot fault");
    require((insn->loads != 0) == has(insn, QPMU_INSN_LOAD | QPMU_INSN_PREFETCH), "loads");
    require((insn->stores != 0) == has(insn, QPMU_INSN_STORE), "stores");
    require(!has(insn, QPMU_INSN_COND_BRANCH) || !has(insn, QPMU_INSN_JUMP), "branch and jump");
    require(!has(insn, QPMU_INSN_NEVER_TAKEN) ||
                !has(insn, QPMU_INSN_COND_BRANCH | QPMU_INSN_DELAY_SLOT | QPMU_INSN_LIKELY),
            "a branch that is none");
    require(insn->skips == 0 || has(insn, QPMU_INSN_NEVER_TAKEN), "skips");
    require(has(insn, QPMU_INSN_TARGET) || insn->target == 0, "target without its flag");
    require(!has(insn, QPMU_INSN_UNIT) || has(insn, QPMU_INSN_ISSUED), "unit, but not issued");
    for (unsigned event = 0; event < QPMU_EVENTS; event++)
        require(qpmu_insn_adds(insn, (enum qpmu_event)event) >=
                    qpmu_insn_adds_faulted(insn, (enum qpmu_event)event),
                "a fault counts more than graduating");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qpmu_insn insn;
    uint32_t word = 0;
    size_t length = size < 15 ? size : 15;
    uint8_t *exact = malloc(length == 0 ? 1 : length);

    if (size != 0)
        memcpy(exact, data, length);
    for (unsigned mode = QPMU_CODE_64; mode <= QPMU_CODE_UNKNOWN; mode++) {
        qpmu_decode_x86(exact, length, (enum qpmu_code)mode, 0xffffffff80000000, &insn);
        check(&insn);
        require(mode == QPMU_CODE_64 || mode == QPMU_CODE_UNKNOWN || insn.target <= UINT32_MAX,
                "a target of more than 32 bits");
    }
    free(exact);
    memcpy(&word, data, size < 4 ? size : 4);
    qpmu_decode_mips(word, 0xffffffff80000000, &insn);
    check(&insn);
    return 0;
}
