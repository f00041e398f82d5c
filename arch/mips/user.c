/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User and supervisor mode of MIPS (R10000 User's Manual 14.12, KSU), for self-tests: the two
 * blocks are one entry of the TLB that refills leave alone.
 */
#include <arch/user.h>
#include <arch/interrupt_flag.h>
#include <arch/memory.h>
#include <machine/register.h>
#include <stddef.h>
#include "arch/mips/trap.h"
#include "arch/mips/vector.h"
#include "kernel/pmu_mode.h"
#include "kernel/pmu_slot.h"

#define ENTRY_FLAGS   0x1eul /* cacheable noncoherent, D, V */
#define PAGE_MASK_64K 0x1e000u
#define CODE_CALL     (8u << 2)
#define KSU(n)        ((uint64_t)(n) << 3)

struct vector_user_area vector_user_area;
static unsigned user_mode;
void interrupt_user_entry(uint32_t pending);

_Static_assert(offsetof(struct vector_user_area, sp) == USER_AREA_SP, "vector.S");
_Static_assert(offsetof(struct vector_user_area, status) == USER_AREA_STATUS, "vector.S");
_Static_assert(offsetof(struct vector_user_area, result) == USER_AREA_RESULT, "vector.S");
_Static_assert(offsetof(struct vector_user_area, pc) == USER_AREA_PC, "vector.S");
_Static_assert(offsetof(struct vector_user_area, cause) == USER_AREA_CAUSE, "vector.S");
_Static_assert(offsetof(struct vector_user_area, registers) == USER_AREA_REGISTERS, "vector.S");

/* Writes entry 0, of which WIRED says whether refills must leave it alone. */
static void write_entry(uint64_t address, uint64_t lo0, uint64_t lo1, uint32_t wired)
{
    uintptr_t state = interrupts_save();

    CP0_WRITE32(5, wired ? PAGE_MASK_64K : 0);
    CP0_WRITE32(6, wired);
    CP0_WRITE32(0, 0);
    CP0_WRITE64(10, address);
    CP0_WRITE64(2, lo0);
    CP0_WRITE64(3, lo1);
    __asm__ volatile("nop; nop; tlbwi; nop; nop" : : : "memory");
    CP0_WRITE64(10, 0);
    CP0_WRITE32(5, 0);
    interrupts_restore(state);
}

static uint64_t entry_lo(const void *page)
{
    return memory_physical(page) >> 12 << 6 | ENTRY_FLAGS;
}

int user_map(void *code, void *data)
{
    write_entry(USER_CODE, entry_lo(code), entry_lo(data), 1);
    return 0;
}

void user_unmap(void)
{
    write_entry(KSEG0_BASE, 0, 0, 0); /* an address that is never looked up */
}

/* An interrupt out of user mode; called by vector.S. */
void interrupt_user_entry(uint32_t pending)
{
    pmu_mode(PMC_MODE_K);
    cpu_serve_pin(pending);
    pmu_mode(user_mode);
}

void user_enter(struct user_run *run)
{
    uint64_t ksu = run->mode == USER_MODE_SUPERVISOR ? KSU(1) : KSU(2);
    uint64_t status = CP0_READ32(12) | STATUS_EXL | STATUS_UX | STATUS_SX | ksu;

    user_mode = run->mode == USER_MODE_SUPERVISOR ? PMC_MODE_S : PMC_MODE_U;
    pmu_first_slot.user_ksu = (uint32_t)(ksu >> 3);
    pmu_mode(user_mode);
    vector_user_enter(run->pc, run->sp, run->argument, status);
    pmu_mode(PMC_MODE_K);
    trap_count_user((uint32_t)vector_user_area.cause);
    run->called = (vector_user_area.cause & CAUSE_CODE) == CODE_CALL;
    run->result = vector_user_area.result;
    run->at = vector_user_area.pc;
}
