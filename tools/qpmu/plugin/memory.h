/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory accesses: through the caches, and LL and SC. */
#ifndef QPMU_PLUGIN_MEMORY_H
#define QPMU_PLUGIN_MEMORY_H

#include "tools/qpmu/qemu/emu.h"
#include "tools/qpmu/plugin/vcpu.h"

/* The second cache's geometry; false if there is no such one. To be called once. */
bool memory_open(uint64_t l2_size, unsigned l2_line);
/* Caches and branch histories are empty from now on. No CPU runs here. */
void memory_cold(void);

/* In the call after an access: the place in RAM of its ADDRESS. False: it is not cached RAM. */
bool memory_place(struct vcpu *cpu, emu_access info, uint64_t address, uint64_t *place);

/* Callbacks after an access, of a struct step. */
void memory_accessed(unsigned int index, emu_access info, uint64_t address, void *step);
/* Of one that may leave its block: marks too. */
void memory_leaving(unsigned int index, emu_access info, uint64_t address, void *step);
/* The one for an instruction that is known to do nothing but load or store may be quicker. */
emu_access_call *memory_callback(const struct step *step);
/* Before an instruction that may change where addresses lead. */
void memory_remapped(unsigned int index, void *step);
void memory_linked(unsigned int index, emu_access info, uint64_t address, void *step);
void memory_conditional(unsigned int index, emu_access info, uint64_t address, void *step);
/* Before an SC. */
void sc_begins(unsigned int index, void *step);
/* It has been passed without a fault. */
void sc_graduated(struct vcpu *cpu);

/* The lines of a block that begins go through the instruction cache. */
void fetch_lines(struct vcpu *cpu, const struct block *block);
/* The same where there is one CPU, and few lines or none are missing. */
static inline void fetch_only(struct vcpu *cpu, const struct block *block)
{
    const struct line *line = block->lines, *end = line + block->line_count;

    for (; line < end; line++) {
        unsigned way = *line->recent;

        if (__builtin_expect(line->both[way] == line->entry, 1))
            continue;
        if (line->both[way ^ 1] != line->entry) {
            fetch_lines(cpu, block); /* those before are the ones used last in their sets */
            return;
        }
        *line->recent = (uint8_t)(way ^ 1);
    }
}
/* A line of a block that is being translated. */
void fetch_prepare(struct line *line, uint64_t place, uint64_t pc);
/* Adds what other CPUs' accesses meant for this one. */
void memory_take(struct vcpu *cpu, uint64_t pc);

#endif
