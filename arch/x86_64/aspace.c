/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address spaces of a PC. The upper half of every topmost table is that of the kernel's, word for
 * word and for ever (paging_open_top), so that nothing the kernel maps later has to be told to
 * others.
 *
 * No PCIDs: with them a switch of address spaces is more instructions, not fewer (which PCID has
 * this address space on this CPU, and is what it left still true), and what they would save, table
 * walks after the switch, is not instructions; QEMU's own CPU has none.
 */
#include <arch/cpu.h>
#include "arch/x86_64/evcnt_cells.h"
#include "arch/x86_64/paging.h"
#include "kernel/memory/aspace.h"
#include "lib/section.h"
#include "lib/string.h"

#define LEVELS       4
#define HALF         256 /* words of the topmost table */
#define KERNEL_START 0xffffc00000000000ul
#define KERNEL_END   EVCNT_CELLS_END /* the image among it is paging.c's */
#define FORGET_MOST  32              /* pages, one by one; beyond that, all there are */

extern uint64_t boot_pml4[512];

const size_t aspace_kernel_room = 1ul << 39; /* the kernel's first topmost word */

SHARED_DATA struct aspace aspace_kernel = {.top = boot_pml4,
                                           .levels = LEVELS,
                                           .start = KERNEL_START,
                                           .size = KERNEL_END - KERNEL_START,
                                           .lock = SPINLOCK_INITIALIZER("page tables")};

static void aspace_use(const uint64_t *top)
{
    __asm__ volatile("movq %0, %%cr3" : : "r"(memory_physical(top)) : "memory");
}

void paging_use_kernel_tables(void)
{
    aspace_use(boot_pml4);
}

bool aspace_machine_create(struct aspace *aspace)
{
    uint64_t *top = aspace_table_alloc(0);

    if (!top)
        return false;
    memcpy(top + HALF, boot_pml4 + HALF, HALF * sizeof *top);
    aspace->top = top;
    aspace->levels = LEVELS;
    aspace->start = ASPACE_USER_START;
    aspace->size = ASPACE_USER_END - ASPACE_USER_START;
    return true;
}

void aspace_machine_destroy(struct aspace *aspace)
{
    aspace_table_free(aspace->top);
}

/* Whoever changes its tables looks at .active afterwards: either it sees this CPU there, or this
 * CPU sees the change. */
void aspace_activate(struct aspace *aspace)
{
    struct cpu *cpu = cpu_current();
    struct aspace *before = cpu->aspace;
    cpu_set_t self = 1u << cpu->id;

    if (aspace == before)
        return;
    if (aspace != &aspace_kernel)
        __atomic_fetch_or(&aspace->active, self, __ATOMIC_SEQ_CST);
    aspace_use(aspace->top);
    cpu->aspace = aspace;
    if (before && before != &aspace_kernel)
        __atomic_fetch_and(&before->active, ~self, __ATOMIC_SEQ_CST);
}

void aspace_machine_forget(struct aspace *aspace, uintptr_t address, size_t size)
{
    if (aspace != &aspace_kernel && cpu_here.aspace != aspace)
        return;
    if (size > FORGET_MOST * MEMORY_PAGE) {
        uint64_t tables;

        __asm__ volatile("movq %%cr3, %0; movq %0, %%cr3" : "=r"(tables) : : "memory");
        return;
    }
    for (size_t done = 0; done < size; done += MEMORY_PAGE)
        __asm__ volatile("invlpg (%0)" : : "r"(address + done) : "memory");
}
