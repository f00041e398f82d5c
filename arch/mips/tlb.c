/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mapped kernel memory on MIPS: one linear table of EntryLo words for the first 64 MiB of xkseg, read by the refill
 * vector. EntryLo: frame number from bit 6, cacheability, D (writable), V, G (MIPS R10000 User's Manual 14.4).
 */
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/memory.h>
#include <sys/evcnt.h>
#include "kernel/page.h"
#include "kernel/spinlock.h"
#include "lib/errno.h"
#include "lib/string.h"

#define AREA        0xc000000000000000ul
#define AREA_SIZE   0x4000000ul
#define TABLE_ORDER 5 /* 64 MiB / 4 KiB * 8 bytes = 128 KiB */
#define LO_FLAGS    0x1ful /* cacheable noncoherent (3 << 3), D, V, G */
#define LO_GLOBAL   0x1ul

const uintptr_t memory_mapped_base = AREA;
const size_t memory_mapped_size = AREA_SIZE;

/* Read by vector.S. */
extern uint64_t *tlb_table, *const tlb_refills_cell;
uint64_t *tlb_table;
static struct evcnt refills = EVCNT_INITIALIZER(EVCNT_TYPE_TRAP, NULL, "cpu0", "TLB refill");
EVCNT_ATTACH_STATIC(refills);
uint64_t *const tlb_refills_cell = &refills.ev_cell0;
static struct spinlock tlb_lock = SPINLOCK_INITIALIZER("tlb");

static bool in_area(uintptr_t address)
{
    return address - AREA < AREA_SIZE && address % PAGE_SIZE == 0;
}

/* Takes the pair of pages at ADDRESS out of the TLB. */
static void flush(uintptr_t address)
{
    CP0_WRITE64(10, address & ~0x1ffful); /* EntryHi */
    __asm__ volatile("nop; nop; tlbp; nop; nop" : : : "memory");
    if ((int32_t)CP0_READ32(0) >= 0) { /* Index: found */
        uint32_t index = CP0_READ32(0);

        CP0_WRITE64(10, KSEG0_BASE + ((uint64_t)index << 13)); /* an address that is never looked up */
        CP0_WRITE64(2, 0);
        CP0_WRITE64(3, 0);
        __asm__ volatile("nop; nop; tlbwi; nop; nop" : : : "memory");
    }
}

int memory_map_page(uintptr_t address, uint64_t physical)
{
    uintptr_t state;
    uint64_t *entry;
    int result = 0;

    if (!in_area(address) || physical % PAGE_SIZE)
        return -EINVAL;
    if (!tlb_table) {
        uint64_t *table = page_alloc(TABLE_ORDER);

        if (!table)
            return -ENOMEM;
        for (size_t i = 0; i < AREA_SIZE / PAGE_SIZE; i++)
            table[i] = LO_GLOBAL; /* both of a pair must say global */
        tlb_table = table;
    }
    entry = &tlb_table[(address - AREA) / PAGE_SIZE];
    state = spinlock_acquire(&tlb_lock);
    if (*entry != LO_GLOBAL)
        result = -EEXIST;
    else
        *entry = physical >> 12 << 6 | LO_FLAGS;
    flush(address);
    spinlock_release(&tlb_lock, state);
    return result;
}

uint64_t memory_unmap_page(uintptr_t address)
{
    uint64_t old = 0;

    if (in_area(address) && tlb_table) {
        uint64_t *entry = &tlb_table[(address - AREA) / PAGE_SIZE];
        uintptr_t state = spinlock_acquire(&tlb_lock);

        if (*entry != LO_GLOBAL)
            old = *entry >> 6 << 12;
        *entry = LO_GLOBAL;
        flush(address);
        spinlock_release(&tlb_lock, state);
    }
    return old;
}

volatile void *memory_map_device(uint64_t physical, size_t size)
{
    (void)size;
    return (volatile void *)(XKPHYS_UNCACHED + physical);
}
