/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mode of a CPU. What changes it ends a block, so a change takes effect when the next one
 * begins.
 *
 * x86: code is translated anew for each privilege level, so that of a block is read where it is
 * translated. Where registers cannot be read, the half of the address space tells, if the guest has
 * said that its kernel has the upper one.
 *
 * MIPS: Status is followed from what it is at first. An interrupt or exception sets EXL: QEMU tells
 * of it, or a vector is entered. eret clears ERL or else EXL. What mtc0 writes to it is read before
 * it executes; where that cannot be, the guest has said what it will be, in its slot or, for good,
 * in the slot's table of such instructions.
 */
#include "tools/qpmu/plugin/mode.h"

#include "tools/qpmu/plugin/gate.h"
#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/memory.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/r10k.h"

#include <pthread.h>

#define STATUS_EXL  0x02u
#define STATUS_ERL  0x04u
#define STATUS_KSU  0x18u
#define STATUS_MODE (STATUS_EXL | STATUS_ERL | STATUS_KSU)
#define BOOT_BASE   0xffffffffbfc00200ull
#define VECTORS     0x1000u /* from their base on */

/* x86, SDM volume 3, 2.5 and 2.2.1 */
#define CR0_PE   1u
#define EFER_LMA (1u << 10)

/* GDB's numbers of a MIPS' registers (QEMU's target/mips/gdbstub.c): 0 to 31 general, then: */
enum { GDB_STATUS = 32, GDB_PC = 37 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct qemu_plugin_register *cs, *cr0, *efer; /* x86 */
static bool readable;                                /* registers, or this one */
static bool halves; /* x86: the guest says that its kernel is in the upper */
static uint64_t first_pc;

static bool read_mips(unsigned number, uint64_t *value)
{
    return emu_register_read(emu_register_numbered(number), big, value);
}

/* Where the first block is translated. What QEMU has no name for is believed if it is right. */
static void find_registers(void)
{
    uint64_t pc = 0, zero = 1, status = 0;

    if (!mips) {
        cs = emu_register_named("cs");
        cr0 = emu_register_named("cr0");
        efer = emu_register_named("efer");
        readable = cs != NULL;
        return;
    }
    readable = read_mips(GDB_PC, &pc) && read_mips(0, &zero) && read_mips(GDB_STATUS, &status) &&
               (uint32_t)pc == (uint32_t)first_pc && zero == 0;
    if (readable && one_vcpu)
        vcpus[0].status = (uint32_t)status & STATUS_MODE;
}

void mode_translates(uint64_t pc)
{
    first_pc = pc;
    pthread_once(&once, find_registers);
}

/* In a compatibility segment linear addresses have 32 bits; that it is one, no register says. */
enum qpmu_code mode_of_code(uint64_t pc)
{
    uint64_t value;

    if (!emu_register_read(efer, false, &value))
        return QPMU_CODE_UNKNOWN;
    if (!(value & EFER_LMA))
        return emu_register_read(cr0, false, &value) && !(value & CR0_PE) ? QPMU_CODE_16
                                                                          : QPMU_CODE_32;
    return pc >> 32 != 0 ? QPMU_CODE_64 : QPMU_CODE_UNKNOWN;
}

bool mode_is_user(uint64_t pc)
{
    uint64_t selector;

    if (cs && emu_register_read(cs, false, &selector))
        return (selector & 3) == 3;
    return !mips && pc >> 63 == 0;
}

bool mode_reads(void)
{
    return readable;
}

bool mode_is_known(void)
{
    return mips || readable || halves;
}

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
        return BEGIN_VECTOR;
    case 0x200: /* where Cause.IV is set; of nothing else */
        return BEGIN_VECTOR | BEGIN_INTERRUPT;
    default:
        return 0;
    }
}

unsigned mode_begins(uint64_t pc)
{
    if (emu.discontinuity)
        return 0;
    if (!mips)
        return level_calls() && gate_is_told(pc) ? BEGIN_GATE : 0;
    return vector_of(pc - vector_base) | vector_of(pc - BOOT_BASE);
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
        set_mode(cpu, !mode_is_known() ? QPMU_MODE_ANY : block->user ? QPMU_MODE_U : QPMU_MODE_K);
        return;
    }
    if (!(cpu->status_written | cpu->returning | (block->begins & BEGIN_VECTOR)))
        return;
    /* Where an eret leads that misses at once, nobody has seen; but it was fetched from mapped
     * memory, as a program's instructions are, and the kernel's are not. */
    apply(cpu, block->begins & BEGIN_REFILL ? 0 : block->pc);
    set_mode(cpu, qpmu_r10k_mode(cpu->status));
    if (!(block->begins & BEGIN_VECTOR))
        return;
    /* The refill belongs to the code that missed. */
    if (block->begins & BEGIN_REFILL)
        count_event(cpu, QPMU_TLB_REFILLS, 1, block->pc);
    cpu->status |= STATUS_EXL;
    set_mode(cpu, qpmu_r10k_mode(cpu->status));
}

void mode_vectored(struct vcpu *cpu, bool exception, uint64_t from, uint64_t to)
{
    uint64_t offset = to - BOOT_BASE < VECTORS ? to - BOOT_BASE : to % VECTORS;
    bool counts = level_now() != QPMU_LEVEL_REGISTERS;

    if (!mips)
        return;
    apply(cpu, from);
    set_mode(cpu, qpmu_r10k_mode(cpu->status));
    if (exception && counts && vector_of(offset) & BEGIN_REFILL)
        count_event(cpu, QPMU_TLB_REFILLS, 1, to);
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
        word_closer(cpu);
}

void mode_eret(unsigned int index, void *step)
{
    struct vcpu *cpu = vcpu_of(index);

    (void)step;
    if (qpmu_r10k_mode(cpu->status) & (QPMU_MODE_U | QPMU_MODE_S))
        return; /* it raises an exception, or changes nothing */
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
    const struct step *step = arg;
    uint64_t written, pc = step->pc;
    uint32_t sites;

    if (readable && read_mips(step->rt, &written)) {
        cpu->status_next = (uint32_t)written & STATUS_MODE;
        cpu->status_written = true;
        changed(cpu);
        return;
    }
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
    if (!mips) {
        halves = halves || page_get32(&cpu->ring.slot->flags) & QPMU_HIGHER_HALF;
        gate_told(page_get64(&cpu->ring.slot->gates), page_get64(&cpu->ring.slot->gates_end));
        return;
    }
    if (readable)
        return;
    cpu->status_next = page_get32(&cpu->ring.slot->status) & STATUS_MODE;
    cpu->status_written = true;
    changed(cpu);
}
