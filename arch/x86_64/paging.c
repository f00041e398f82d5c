/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's own tables (Intel SDM volume 3, 4.5): the boot tables go on as the direct map; the
 * image gets 4 KiB pages with rights; other CPUs' shadows. What is mapped page by page is
 * aspace.c's and kernel/memory/aspace.c's.
 */
#include <arch/aspace.h>
#include <arch/cpu.h>
#include "arch/x86_64/evcnt_cells.h"
#include "arch/x86_64/paging.h"
#include "kernel/base/panic.h"
#include "kernel/memory/aspace.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include "lib/linker_set.h"
#include "lib/section.h"
#include "lib/string.h"

#define LARGE      0x80ul
#define LARGE_SIZE 0x200000ul
#define TOP_SHIFT  39

#define CR4_SMEP     0x100000ul
#define CR4_SMAP     0x200000ul
#define FEATURE_SMEP (1u << 7) /* CPUID 7 EBX */
#define FEATURE_SMAP (1u << 20)

extern uint64_t boot_pml4[512], boot_pdpt[512], boot_pdpt_kernel[512];
extern const char kernel_start[], kernel_text_end[], kernel_rodata_start[], kernel_writable_start[],
    kernel_data_start[], kernel_stacks_start[], kernel_data_end[];

static uint64_t start_pml4[512] SHARED_BSS __attribute__((aligned(4096)));
/* The image's own: its pages are mapped one by one. What the loader has cleared need not be. */
#define IMAGE_TABLES 3u
static uint64_t image_directory[512] SHARED_BSS __attribute__((aligned(4096)));
static uint64_t image_tables[IMAGE_TABLES * 512] SHARED_BSS __attribute__((aligned(4096)));
uint64_t paging_no_execute;
bool paging_smap;
static unsigned guards;
PAGE_OWNER(shadow_pages, "CPUs' data");

/* The table behind *ENTRY, made if missing; NULL if out of memory. */
static uint64_t *paging_table_get(uint64_t *entry)
{
    uint64_t *table = aspace_word_table(*entry);

    if (!table) {
        table = aspace_table_alloc(0);
        if (table)
            *entry = aspace_word_link(true, table);
    }
    return table;
}

/* The topmost table's word of ADDRESS leads somewhere. */
static bool paging_top_open(uintptr_t address)
{
    return paging_table_get(&boot_pml4[address >> TOP_SHIFT & 511]) != NULL;
}

bool paging_open_cpu(unsigned cpu)
{
    return paging_top_open(EVCNT_LINKS_BASE) &&
           paging_top_open((uintptr_t)kernel_data_start - cpu * CPU_STRIDE);
}

volatile void *memory_map_device(uint64_t physical, size_t size)
{
    uint64_t offset = physical % PAGE_SIZE;
    uintptr_t address;

    size = (size + offset + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);
    address = aspace_reserve(size);
    if (!address || aspace_map(&aspace_kernel, address, physical - offset, size,
                               ASPACE_READ | ASPACE_WRITE | ASPACE_UNCACHED) != 0)
        return NULL;
    return (volatile void *)(address + offset);
}

int paging_add_ram(uint64_t start, uint64_t end)
{
    for (uint64_t at = start & ~(LARGE_SIZE - 1); at < end; at += LARGE_SIZE) {
        uint64_t *directory;

        if (at < 0x100000000ul)
            continue; /* the boot tables have it */
        directory = paging_table_get(&boot_pdpt[at >> 30]);
        if (!directory)
            return -ENOMEM;
        directory[at >> 21 & 511] = at | PTE_PRESENT | PTE_WRITABLE | LARGE | paging_no_execute;
    }
    return 0;
}

static int paging_map_pages(struct page_owner *owner, uintptr_t address, unsigned order)
{
    char *pages = page_alloc_for(owner, order);
    int result;

    if (!pages)
        return -ENOMEM;
    result = aspace_map(&aspace_kernel, address, memory_physical(pages), PAGE_SIZE << order,
                        ASPACE_READ | ASPACE_WRITE);
    if (result != 0)
        page_free(pages);
    return result;
}

int paging_map_zeroed(struct page_owner *owner, uintptr_t address)
{
    int result = paging_map_pages(owner, address, 0);

    if (result == 0)
        memset((void *)address, 0, PAGE_SIZE);
    return result;
}

/* In blocks of pages, the largest first. */
int paging_map_shadow(unsigned cpu)
{
    uintptr_t start = (uintptr_t)kernel_data_start - cpu * CPU_STRIDE;
    uintptr_t end = (uintptr_t)kernel_data_end - cpu * CPU_STRIDE;
    unsigned order = PAGE_ORDERS - 1;

    for (uintptr_t at = start; at < end; at += PAGE_SIZE << order) {
        int result;

        while (PAGE_SIZE << order > end - at)
            order--;
        result = paging_map_pages(&shadow_pages, at, order);
        if (result != 0)
            return result;
    }
    memset((void *)start, 0, (uintptr_t)kernel_stacks_start - cpu * CPU_STRIDE - start);
    return 0;
}

uint64_t paging_start_tables(void)
{
    memcpy(start_pml4, boot_pml4, sizeof start_pml4);
    start_pml4[0] = boot_pml4[DIRECT_BASE >> 39 & 511];
    return memory_physical(start_pml4);
}

/* The image's pages from START to END are mapped with RIGHTS. */
static void paging_map_image(const char *start, const char *end, uint64_t rights)
{
    uint64_t word = memory_physical(start) | PTE_PRESENT | rights;
    uint64_t *first = image_tables + ((uintptr_t)start - KERNEL_BASE) / PAGE_SIZE;
    uint64_t *last = image_tables + ((uintptr_t)end - KERNEL_BASE) / PAGE_SIZE;

    for (uint64_t *at = first; at < last; at++, word += PAGE_SIZE)
        *at = word;
}

/* vector.S has room for a clac at its ways in, an instruction that exists only with SMAP (Intel SDM
 * volume 2). Before text is read-only. */
static void paging_forbid_user_pages(void)
{
    char *const *site;

    LINKER_SET_FOREACH (site, clac_sites) {
        (*site)[1] = 0x01;
        (*site)[2] = (char)0xca;
    }
}

/* Intel SDM volume 2, CPUID; other CPUs take over EFER and CR4 from this one. */
static void paging_guards_on(void)
{
    uint32_t features[4];
    uint64_t cr4;

    cpuid(0x80000001, features);
    if (features[3] & 1u << 20) { /* EDX bit 20: NX; EFER bit 11 turns it on */
        msr_write(0xc0000080, msr_read(0xc0000080) | 0x800);
        paging_no_execute = PTE_NO_EXECUTE;
        guards |= ASPACE_GUARD_EXECUTE;
    }
    cpuid(0, features);
    if (features[0] < 7)
        return;
    cpuid(7, features);
    __asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
    if (features[1] & FEATURE_SMEP) {
        cr4 |= CR4_SMEP;
        guards |= ASPACE_GUARD_CODE;
    }
    if (features[1] & FEATURE_SMAP) {
        cr4 |= CR4_SMAP;
        guards |= ASPACE_GUARD_USER_DATA;
        paging_smap = true;
        paging_forbid_user_pages();
    }
    __asm__ volatile("movq %0, %%cr4" : : "r"(cr4) : "memory");
}

unsigned aspace_guards(void)
{
    return guards;
}

void paging_protect(void)
{
    paging_guards_on();
    ASSERT((uintptr_t)kernel_end - KERNEL_BASE <= IMAGE_TABLES * 512 * PAGE_SIZE);
    for (unsigned i = 0; i < IMAGE_TABLES; i++)
        image_directory[i] = aspace_word_link(true, image_tables + i * 512);
    paging_map_image(kernel_start, kernel_rodata_start, 0);
    paging_map_image(kernel_rodata_start, kernel_writable_start, paging_no_execute);
    paging_map_image(kernel_writable_start, kernel_data_end, PTE_WRITABLE | paging_no_execute);
    paging_map_image(kernel_data_end, kernel_end, paging_no_execute);
    ASSERT(paging_top_open(aspace_kernel.start));
    boot_pdpt_kernel[510] = aspace_word_link(true, image_directory);
    boot_pml4[0] = 0;
    paging_use_kernel_tables();
}
