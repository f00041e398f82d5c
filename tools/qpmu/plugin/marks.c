/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress through a block (vcpu.h): what is asked of QEMU at its translation. */
#include "tools/qpmu/plugin/marks.h"

static void mark_passed(unsigned int index, void *unused)
{
    (void)unused;
    vcpu_of(index)->marks += MARK_PASSED;
}

static void mark_last(unsigned int index, qemu_plugin_meminfo_t info, uint64_t address,
                      void *unused)
{
    (void)info;
    (void)address;
    (void)unused;
    vcpu_of(index)->marks += MARK_LAST;
}

/* The number of accesses by whose success the last instruction is known to be done; 0 where it may
 * be done without. */
static unsigned last_accesses(const struct step *last)
{
    if (last->insn.flags & (QPMU_INSN_REP | QPMU_INSN_SC | QPMU_INSN_NEVER_GRADUATES) ||
        last->returns || last->privileged)
        return 0;
    return !!(last->insn.flags & QPMU_INSN_LOAD) + !!(last->insn.flags & QPMU_INSN_STORE);
}

void marks_ask(struct block *block, struct qemu_plugin_tb *translation, enum qpmu_level level)
{
    struct step *last = &block->steps[block->count - 1];
    unsigned accesses = last_accesses(last);

    for (unsigned i = 0; i + 1u < block->count; i++) {
        struct qemu_plugin_insn *behind = qemu_plugin_tb_get_insn(translation, i + 1);

        if (!(block->steps[i].insn.flags & QPMU_INSN_MAY_FAULT))
            continue;
        block->steps[i].marked = true;
        block->marks += MARK_PASSED;
        if (one_vcpu)
            qemu_plugin_register_vcpu_insn_exec_inline(behind, QEMU_PLUGIN_INLINE_ADD_U64,
                                                       &vcpus[0].marks, MARK_PASSED);
        else
            qemu_plugin_register_vcpu_insn_exec_cb(behind, mark_passed, QEMU_PLUGIN_CB_NO_REGS,
                                                   NULL);
    }
    if (accesses && last->leaves) {
        /* memory_leaving marks; without models there is no mark. */
        block->last_marked = level >= QPMU_LEVEL_DATA;
        block->marks += block->last_marked ? accesses * MARK_LAST : 0;
    } else if (accesses) {
        struct qemu_plugin_insn *it = qemu_plugin_tb_get_insn(translation, block->count - 1u);

        block->last_marked = true;
        block->marks += accesses * MARK_LAST;
        if (one_vcpu)
            qemu_plugin_register_vcpu_mem_inline(it, QEMU_PLUGIN_MEM_RW, QEMU_PLUGIN_INLINE_ADD_U64,
                                                 &vcpus[0].marks, MARK_LAST);
        else
            qemu_plugin_register_vcpu_mem_cb(it, mark_last, QEMU_PLUGIN_CB_NO_REGS,
                                             QEMU_PLUGIN_MEM_RW, NULL);
    }
}
