/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mapped kernel memory on MIPS: the first GiB of xkseg, for kernel stacks with a guard page below
 * them and for memory_map_page. Its page tables are what the refill vector reads: a directory of
 * tables, each of 512 EntryLo words for 2 MiB; an empty word is an invalid page. EntryLo: frame
 * number from bit 6, cacheability, D (writable), V, G (MIPS R10000 User's Manual 14.4).
 */
#include <arch/context.h>
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/memory.h>
#include <sys/evcnt.h>
#include "kernel/page.h"
#include "kernel/spinlock.h"
#include "lib/errno.h"
#include "lib/string.h"

#define AREA       0xc000000000000000ul
#define AREA_SIZE  0x40000000ul
#define TABLE_SIZE 0x200000ul /* address space behind one table */
#define PAIR       0x2000ul   /* behind one TLB entry */
#define LO_FLAGS                                                                                   \
    0x1eul /* cacheable noncoherent (3 << 3), D, V; not global, all kernel addresses have ASID 0   \
            */
#define STACKS (AREA + 0x4000000ul)

const uintptr_t memory_mapped_base = AREA;
const size_t memory_mapped_size = STACKS - AREA;

/* Read by vector.S. */
extern uint64_t *tlb_directory[], *const tlb_refills_cell;
uint64_t *tlb_directory[AREA_SIZE / TABLE_SIZE];
static struct evcnt refills = EVCNT_INITIALIZER(EVCNT_TYPE_TRAP, NULL, "cpu0", "TLB refill");
EVCNT_ATTACH_STATIC(refills);
uint64_t *const tlb_refills_cell = &refills.ev_cell0;

static struct spinlock tlb_lock = SPINLOCK_INITIALIZER("tlb");
PAGE_OWNER(table_pages, "page tables");
static uintptr_t next_stack = STACKS;

/* Takes the pair of pages at ADDRESS out of the TLB. */
static void flush(uintptr_t address)
{
    CP0_WRITE64(10, address & ~(PAIR - 1)); /* EntryHi */
    __asm__ volatile("nop; nop; tlbp; nop; nop" : : : "memory");
    if ((int32_t)CP0_READ32(0) >= 0) { /* Index: found */
        uint32_t index = CP0_READ32(0);

        CP0_WRITE64(10, KSEG0_BASE + index * PAIR); /* an address that is never looked up */
        CP0_WRITE64(2, 0);
        CP0_WRITE64(3, 0);
        __asm__ volatile("nop; nop; tlbwi; nop; nop" : : : "memory");
    }
    CP0_WRITE64(10, 0);
}

/* The word of ADDRESS, its table made if missing; NULL if out of memory. */
static uint64_t *entry_of(uintptr_t address)
{
    uint64_t **table = &tlb_directory[(address - AREA) / TABLE_SIZE];

    if (!*table) {
        uint64_t *page = page_alloc_for(&table_pages, 0);

        if (!page)
            return NULL;
        memset(page, 0, PAGE_SIZE);
        *table = page;
    }
    return &(*table)[(address - AREA) % TABLE_SIZE / PAGE_SIZE];
}

static int map(uintptr_t address, uint64_t physical)
{
    uintptr_t state = spinlock_acquire(&tlb_lock);
    uint64_t *entry = entry_of(address);
    int result = !entry ? -ENOMEM : *entry ? -EEXIST : 0;

    if (result == 0) {
        *entry = physical >> 12 << 6 | LO_FLAGS;
        flush(address);
    }
    spinlock_release(&tlb_lock, state);
    return result;
}

static uint64_t unmap(uintptr_t address)
{
    uintptr_t state = spinlock_acquire(&tlb_lock);
    uint64_t *entry = entry_of(address), old = 0;

    if (entry && *entry) {
        old = *entry >> 6 << 12;
        *entry = 0;
        flush(address);
    }
    spinlock_release(&tlb_lock, state);
    return old;
}

static bool is_public(uintptr_t address)
{
    return address - memory_mapped_base < memory_mapped_size && address % PAGE_SIZE == 0;
}

int memory_map_page(uintptr_t address, uint64_t physical)
{
    if (!is_public(address) || physical % PAGE_SIZE)
        return -EINVAL;
    return map(address, physical);
}

uint64_t memory_unmap_page(uintptr_t address)
{
    return is_public(address) ? unmap(address) : 0;
}

volatile void *memory_map_device(uint64_t physical, size_t size)
{
    (void)size;
    return (volatile void *)(XKPHYS_UNCACHED + physical);
}

uintptr_t context_stack_place(size_t size)
{
    uintptr_t state = spinlock_acquire(&tlb_lock);
    uintptr_t address = next_stack + PAIR; /* above a pair of pages that stay empty */

    if (address + size > AREA + AREA_SIZE)
        address = 0;
    else
        next_stack = address + size;
    spinlock_release(&tlb_lock, state);
    return address;
}

int context_stack_map(uintptr_t address, void *block, size_t size)
{
    for (size_t done = 0; done < size; done += PAGE_SIZE) {
        int error = map(address + done, memory_physical(block) + done);

        if (error != 0) {
            context_stack_unmap(address, done);
            return error;
        }
    }
    return 0;
}

void *context_stack_unmap(uintptr_t address, size_t size)
{
    uint64_t block = 0;

    for (size_t done = size; done > 0; done -= PAGE_SIZE)
        block = unmap(address + done - PAGE_SIZE);
    return memory_pointer(block);
}

void memory_forget_page(uintptr_t address)
{
    flush(address);
}
