/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables after boot (Intel SDM volume 3, 4.5): the boot tables go on as the direct map; the
 * image gets 4 KiB pages with rights; stacks and device registers are mapped page by page in an
 * area of their own.
 */
#include <arch/context.h>
#include <arch/cpu.h>
#include <arch/memory.h>
#include "arch/x86_64/paging.h"
#include "kernel/cpu.h"
#include "kernel/cross_call.h"
#include "kernel/page.h"
#include "kernel/panic.h"
#include "kernel/spinlock.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "lib/string.h"

#define PRESENT    0x1ul
#define WRITABLE   0x2ul
#define USER       0x4ul
#define UNCACHED   0x18ul /* PCD, PWT */
#define LARGE      0x80ul
#define NO_EXECUTE (1ul << 63)
#define ADDRESS    0x000ffffffffff000ul
#define LARGE_SIZE 0x200000ul

#define OWN_BASE (0xffffc00000000000ul + 0x40000000ul)

const uintptr_t memory_mapped_base = 0xffffc00000000000ul;
const size_t memory_mapped_size = 0x4000000ul;

extern uint64_t boot_pml4[512], boot_pdpt[512], boot_pdpt_kernel[512];
extern const char kernel_start[], kernel_text_end[], kernel_rodata_start[], kernel_data_start[],
    kernel_data_end[], kernel_shared_end[], kernel_end[];

static uint64_t start_pml4[512] SHARED_BSS __attribute__((aligned(4096)));
static uint64_t no_execute;
static uintptr_t own_next = OWN_BASE; /* addresses handed out so far */
static struct spinlock map_lock = SPINLOCK_INITIALIZER("page tables");
PAGE_OWNER(table_pages, "page tables and cells");

static uint64_t *table_of(uint64_t entry)
{
    return memory_pointer(entry & ADDRESS);
}

/* The table behind *ENTRY, made if missing; NULL if out of memory. */
static uint64_t *table_get(uint64_t *entry)
{
    if (!(*entry & PRESENT)) {
        void *page = page_alloc_for(&table_pages, 0);

        if (!page)
            return NULL;
        memset(page, 0, PAGE_SIZE);
        *entry = memory_physical(page) | PRESENT | WRITABLE;
    }
    return table_of(*entry);
}

static uint64_t *entry_of(uintptr_t address)
{
    uint64_t *table = boot_pml4;

    for (int shift = 39; shift > 12; shift -= 9) {
        table = table_get(&table[address >> shift & 511]);
        if (!table)
            return NULL;
    }
    return &table[address >> 12 & 511];
}

static void flush(uintptr_t address)
{
    __asm__ volatile("invlpg (%0)" : : "r"(address) : "memory");
}

static int map(uintptr_t address, uint64_t physical, uint64_t flags)
{
    uintptr_t state = spinlock_acquire(&map_lock);
    uint64_t *entry = entry_of(address);
    int result = !entry ? -ENOMEM : *entry & PRESENT ? -EEXIST : 0;

    if (result == 0)
        *entry = physical | flags | PRESENT | WRITABLE | no_execute;
    spinlock_release(&map_lock, state);
    return result;
}

static uint64_t unmap(uintptr_t address)
{
    uintptr_t state = spinlock_acquire(&map_lock);
    uint64_t *entry = entry_of(address), old = 0;

    if (entry && *entry & PRESENT) {
        old = *entry & ADDRESS;
        *entry = 0;
        flush(address);
    }
    spinlock_release(&map_lock, state);
    return old;
}

/* No CPU reaches what was behind these addresses any more. No lock held. */
static void forget(uintptr_t address, size_t size)
{
    if (cpu_count() > 1)
        tlb_shootdown(address, size);
}

int memory_map_page(uintptr_t address, uint64_t physical)
{
    if (address - memory_mapped_base >= memory_mapped_size || address % PAGE_SIZE ||
        physical % PAGE_SIZE)
        return -EINVAL;
    return map(address, physical, 0);
}

uint64_t memory_unmap_page(uintptr_t address)
{
    uint64_t physical;

    if (address - memory_mapped_base >= memory_mapped_size || address % PAGE_SIZE)
        return 0;
    physical = unmap(address);
    if (physical)
        forget(address, PAGE_SIZE);
    return physical;
}

static uintptr_t own_take(size_t size)
{
    uintptr_t state = spinlock_acquire(&map_lock);
    uintptr_t address = own_next;

    own_next += (size + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);
    spinlock_release(&map_lock, state);
    return address;
}

volatile void *memory_map_device(uint64_t physical, size_t size)
{
    uint64_t offset = physical % PAGE_SIZE;
    uintptr_t address = own_take(size + offset);

    for (uint64_t done = 0; done < size + offset; done += PAGE_SIZE)
        if (map(address + done, physical - offset + done, UNCACHED) != 0)
            return NULL;
    return (volatile void *)(address + offset);
}

uintptr_t context_stack_place(size_t size)
{
    return own_take(size + PAGE_SIZE) + PAGE_SIZE; /* above a page that stays empty */
}

int context_stack_map(uintptr_t address, void *block, size_t size)
{
    for (size_t done = 0; done < size; done += PAGE_SIZE) {
        int error = map(address + done, memory_physical(block) + done, 0);

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
    forget(address, size);
    return memory_pointer(block);
}

int paging_add_ram(uint64_t start, uint64_t end)
{
    for (uint64_t at = start & ~(LARGE_SIZE - 1); at < end; at += LARGE_SIZE) {
        uint64_t *directory;

        if (at < 0x100000000ul)
            continue; /* the boot tables have it */
        directory = table_get(&boot_pdpt[at >> 30]);
        if (!directory)
            return -ENOMEM;
        directory[at >> 21 & 511] = at | PRESENT | WRITABLE | LARGE | no_execute;
    }
    return 0;
}

int paging_map_cells(uintptr_t address)
{
    char *page = page_alloc_for(&table_pages, 0);
    int result;

    if (!page)
        return -ENOMEM;
    memset(page, 0, PAGE_SIZE);
    result = map(address, memory_physical(page), 0);
    if (result != 0)
        page_free(page);
    return result;
}

int paging_map_shadow(unsigned cpu)
{
    uintptr_t address = (uintptr_t)kernel_data_start;

    for (; address < (uintptr_t)kernel_data_end; address += PAGE_SIZE) {
        int result = paging_map_cells(address - cpu * CPU_STRIDE);

        if (result != 0)
            return result;
    }
    return 0;
}

int paging_map_user(uintptr_t address, uint64_t physical)
{
    uintptr_t state = spinlock_acquire(&map_lock);
    uint64_t *table = boot_pml4;

    for (int shift = 39; shift > 12 && table; shift -= 9) {
        uint64_t *entry = &table[address >> shift & 511];

        table = table_get(entry);
        if (table)
            *entry |= USER;
    }
    if (table)
        table[address >> 12 & 511] = physical | PRESENT | WRITABLE | USER;
    spinlock_release(&map_lock, state);
    return table ? 0 : -ENOMEM;
}

void paging_unmap_user(uintptr_t address)
{
    unmap(address);
    forget(address, PAGE_SIZE);
}

uint64_t paging_start_tables(void)
{
    memcpy(start_pml4, boot_pml4, sizeof start_pml4);
    start_pml4[0] = boot_pml4[DIRECT_BASE >> 39 & 511];
    return memory_physical(start_pml4);
}

void paging_use_kernel_tables(void)
{
    __asm__ volatile("movq %0, %%cr3" : : "r"(memory_physical(boot_pml4)) : "memory");
}

/* The rights of the image's page at ADDRESS. */
static uint64_t image_rights(uintptr_t address)
{
    if (address < (uintptr_t)kernel_rodata_start)
        return 0;
    if (address >= (uintptr_t)kernel_data_start && address < (uintptr_t)kernel_shared_end)
        return WRITABLE | no_execute;
    return no_execute;
}

void paging_protect(void)
{
    uint32_t features[4];
    uint64_t *directory, *table, entry = 0; /* the old entry serves until the new one is whole */
    uintptr_t address = (uintptr_t)kernel_start;

    cpuid(0x80000001, features);
    if (features[3] & 1u << 20) { /* CPUID 80000001h EDX bit 20: NX; EFER bit 11 turns it on */
        msr_write(0xc0000080, msr_read(0xc0000080) | 0x800);
        no_execute = NO_EXECUTE;
    }
    directory = table_get(&entry);
    while (directory && address < (uintptr_t)kernel_end) {
        table = table_get(&directory[address >> 21 & 511]);
        if (!table)
            break;
        table[address >> 12 & 511] =
            memory_physical((void *)address) | PRESENT | image_rights(address);
        address += PAGE_SIZE;
    }
    ASSERT(address >= (uintptr_t)kernel_end);
    boot_pdpt_kernel[510] = entry;
    boot_pml4[0] = 0;
    paging_use_kernel_tables();
}

void memory_forget_page(uintptr_t address)
{
    flush(address);
}
