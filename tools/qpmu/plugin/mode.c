/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mode of a CPU, which a plugin cannot ask for. MIPS: entering a vector sets EXL, eret clears
 * ERL or else EXL, and before mtc0 to Status the guest has said what it will be, in its slot or,
 * for good, in the slot's table of such instructions. What changes the mode ends a block, so the
 * change takes effect when the next one begins.
 */
#include "tools/qpmu/plugin/mode.h"

#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/memory.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/r10k.h"

#define STATUS_EXL  0x02u
#define STATUS_ERL  0x04u
#define STATUS_KSU  0x18u
#define STATUS_MODE (STATUS_EXL | STATUS_ERL | STATUS_KSU)
#define BOOT_BASE   0xffffffffbfc00200ull

/* What has been counted belongs to the mode before. */
static void set_mode(struct vcpu *cpu, unsigned mode)
{
    if (mode == cpu->pmu.mode)
        return;
    if (level_now() >= QPMU_LEVEL_DATA)
        memory_take(cpu, cpu->where);
    room_take(cpu);
    qpmu_cpu_mode(&cpu->pmu, mode);
    room_give(cpu);
}

static unsigned vector_of(uint64_t offset)
{
    switch (offset) {
    case 0x000: /* TLB and XTLB refill */
    case 0x080:
        return BEGIN_VECTOR | BEGIN_REFILL;
    case 0x100: /* cache errors set ERL; there are none */
    case 0x180:
    case 0x200:
        return BEGIN_VECTOR;
    default:
        return 0;
    }
}

unsigned mode_begins(uint64_t pc)
{
    return mips ? vector_of(pc - vector_base) | vector_of(pc - BOOT_BASE) : 0;
}

static void apply(struct vcpu *cpu, uint64_t pc)
{
    if (cpu->status_written) {
        cpu->status = cpu->status_next;
        cpu->status_written = false;
    }
    if (!cpu->returning)
        return;
    cpu->returning = false;
    cpu->status &= ~(cpu->status & STATUS_ERL ? STATUS_ERL : STATUS_EXL);
    if (cpu->by_site && !(cpu->status & (STATUS_ERL | STATUS_EXL))) {
        uint32_t user = cpu->ring.slot ? page_get32(&cpu->ring.slot->user_ksu) & 3 : 2;

        cpu->status &= ~STATUS_KSU;
        if (pc >> 62 == 0)
            cpu->status |= (user ? user : 2) << 3;
    }
}

void mode_entered(struct vcpu *cpu, const struct block *block)
{
    if (!mips) {
        cpu->user = block->user;
        set_mode(cpu, block->user ? QPMU_MODE_U : QPMU_MODE_K);
        return;
    }
    if (!(cpu->status_written | cpu->returning | (block->begins & BEGIN_VECTOR)))
        return;
    apply(cpu, block->pc);
    set_mode(cpu, qpmu_r10k_mode(cpu->status));
    if (!(block->begins & BEGIN_VECTOR))
        return;
    /* The refill belongs to the code that missed. */
    if (block->begins & BEGIN_REFILL)
        count_event(cpu, QPMU_TLB_REFILLS, 1, block->pc);
    cpu->status |= STATUS_EXL;
    set_mode(cpu, qpmu_r10k_mode(cpu->status));
}

/* Where blocks are not counted, at once; there the guest's kernel is what matters, not where an
 * eret leads. */
static void changed(struct vcpu *cpu)
{
    if (level_now() == QPMU_LEVEL_REGISTERS) {
        apply(cpu, ~0ull);
        set_mode(cpu, qpmu_r10k_mode(cpu->status));
    } else
        cpu->attention = true;
}

void mode_eret(unsigned int index, void *step)
{
    struct vcpu *cpu = vcpu_of(index);

    (void)step;
    cpu->returning = true;
    changed(cpu);
}

void mode_vector(unsigned int index, void *begins)
{
    struct vcpu *cpu = vcpu_of(index);

    (void)begins;
    cpu->status |= STATUS_EXL;
    set_mode(cpu, qpmu_r10k_mode(cpu->status));
}

void mode_mtc0(unsigned int index, void *arg)
{
    struct vcpu *cpu = vcpu_of(index);
    struct qpmu_slot *slot = cpu->ring.slot;
    uint64_t pc = *(const uint64_t *)arg;
    uint32_t sites;

    if (!slot)
        return;
    sites = page_get32(&slot->site_count);
    for (uint32_t i = 0; i < sites && i < QPMU_SITES; i++) {
        struct qpmu_site *site = &slot->sites[i];

        if (page_get64(&site->pc) != pc)
            continue;
        cpu->status_next = (cpu->status & page_get32(&site->keep)) | page_get32(&site->set);
        cpu->status_next &= STATUS_MODE;
        cpu->status_written = cpu->by_site = true;
        changed(cpu);
        return;
    }
    if (page_get32(&slot->flags) & QPMU_SITES_ONLY)
        return;
    cpu->status_next = page_get32(&slot->status) & STATUS_MODE;
    cpu->by_site = false;
    cpu->status_written = true;
    changed(cpu);
}

void mode_known(struct vcpu *cpu)
{
    cpu->status_next = page_get32(&cpu->ring.slot->status) & STATUS_MODE;
    cpu->status_written = true;
    if (mips)
        changed(cpu);
}
