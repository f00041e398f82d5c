/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address spaces on MIPS: tables that the refill vectors read (vector.S), and the TLB.
 *
 * The kernel's is the first GiB of xkseg: two levels, of which tlb_directory is the upper one; its
 * entries are global. A user's has three levels, and its entries carry its ASID. There are 255 of
 * those (0 is the kernel's own, while nobody is active); when they have run out, the TLB is emptied
 * and a new generation begins: an address space whose ASID is of an older one takes a new one when
 * it is next activated. What is no longer true of an address space that is not active can so be
 * forgotten without the TLB: it loses its ASID.
 *
 * EntryHi holds the ASID of what is active at all times; a refill changes the rest of it, and
 * EntryLo, so these are written and used without a memory access in between.
 */
#include "arch/mips/tlb.h"
#include <arch/pmu.h>
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <sys/evcnt.h>
#include "arch/mips/vector.h"
#include "kernel/memory/aspace.h"

#define AREA           0xc000000000000000ul
#define AREA_SIZE      0x40000000ul
#define PAIR           0x2000ul /* behind one TLB entry */
#define ASIDS          256u
#define FORGET_MOST    32 /* pairs, one by one; beyond that an active user's gets a new ASID */
#define ENTRIES_R10000 64u

/* Read by vector.S. */
extern uint64_t tlb_directory[], *tlb_user_top;
uint64_t tlb_directory[ASPACE_TABLE_WORDS];
uint64_t *tlb_user_top; /* NULL: no user addresses */

/* All refills, and of them those of user addresses; raised by vector.S. */
extern struct evcnt tlb_refills, tlb_user_refills;
struct evcnt tlb_refills = EVCNT_INITIALIZER(EVCNT_TYPE_TRAP, NULL, "cpu0", "TLB refill");
struct evcnt tlb_user_refills =
    EVCNT_INITIALIZER(EVCNT_TYPE_TRAP, &tlb_refills, "cpu0", "TLB refill user");
EVCNT_ATTACH_STATIC(tlb_refills);
EVCNT_ATTACH_STATIC(tlb_user_refills);
_Static_assert(offsetof(struct evcnt, ev_cell0) == TLB_COUNT, "tlb.h");
_Static_assert(ASPACE_USER_END == 1ul << TLB_USER_SHIFT, "tlb.h");

static uint64_t generation = 1;
static unsigned last_asid; /* of this generation */

const size_t aspace_kernel_room = AREA_SIZE;

struct aspace aspace_kernel = {.top = tlb_directory,
                               .levels = 2,
                               .start = AREA,
                               .size = AREA_SIZE,
                               .empty = ENTRY_GLOBAL, /* or entries of its neighbour were not */
                               .lock = SPINLOCK_INITIALIZER("page tables")};

static unsigned tlb_entries(void)
{
    uint32_t config;

    if (cpu_is_r10000())
        return ENTRIES_R10000;
    __asm__ volatile(".set push; .set mips64; mfc0 %0, $16, 1; .set pop" : "=r"(config));
    return (config >> 25 & 63) + 1;
}

/* Entry INDEX gets an address that is never looked up. */
static void tlb_clear_entry(unsigned index, uint64_t entry_hi)
{
    __asm__ volatile(".set push; .set noreorder\n\t"
                     "dmtc0 %0, $10\n\t"
                     "dmtc0 $0, $2\n\t"
                     "dmtc0 $0, $3\n\t"
                     "mtc0 %1, $0\n\t"
                     "nop; nop; tlbwi; nop; nop\n\t"
                     "dmtc0 %2, $10\n\t"
                     ".set pop"
                     :
                     : "r"(KSEG0_BASE + index * PAIR), "r"(index), "r"(entry_hi)
                     : "memory");
}

/* Takes the pair of pages at ADDRESS, global ones or of ASID, the active one, out of the TLB.
 * EntryHi has that all the time: where it changes, QEMU empties its own TLB. */
static void tlb_clear_pair(uintptr_t address, uint64_t asid)
{
    uint64_t index;

    __asm__ volatile(".set push; .set noreorder\n\t"
                     "dmtc0 %1, $10\n\t"
                     "nop; nop; tlbp; nop; nop\n\t"
                     "mfc0 %0, $0\n\t"
                     "bltz %0, 1f\n\t"
                     "nop\n\t"
                     "dsll %0, %0, 13\n\t"
                     "daddu %0, %0, %3\n\t"
                     "or %0, %0, %2\n\t"
                     "dmtc0 %0, $10\n\t"
                     "dmtc0 $0, $2\n\t"
                     "dmtc0 $0, $3\n\t"
                     "nop; nop; tlbwi; nop; nop\n"
                     "1:\tdmtc0 %2, $10\n\t"
                     ".set pop"
                     : "=&r"(index)
                     : "r"((address & ~(PAIR - 1)) | asid), "r"(asid), "r"(KSEG0_BASE)
                     : "memory");
}

static unsigned tlb_asid_of(const struct aspace *aspace)
{
    return aspace->machine % ASIDS;
}

static bool tlb_has_asid(const struct aspace *aspace)
{
    return aspace->machine / ASIDS == generation;
}

static void tlb_take_asid(struct aspace *aspace)
{
    if (++last_asid == ASIDS) {
        for (unsigned index = tlb_entries(); index-- > 0;)
            tlb_clear_entry(index, 0);
        generation++;
        last_asid = 1;
    }
    aspace->machine = generation * ASIDS + last_asid;
}

static void tlb_enter(struct aspace *aspace)
{
    if (!tlb_has_asid(aspace))
        tlb_take_asid(aspace);
    CP0_WRITE64(10, tlb_asid_of(aspace));
}

bool aspace_machine_create(struct aspace *aspace)
{
    aspace->top = aspace_table_alloc(0);
    aspace->levels = 3;
    aspace->start = ASPACE_USER_START;
    aspace->size = ASPACE_USER_END - ASPACE_USER_START;
    return aspace->top != NULL;
}

void aspace_machine_destroy(struct aspace *aspace)
{
    aspace_table_free(aspace->top);
}

void aspace_activate(struct aspace *aspace)
{
    struct cpu *cpu = cpu_current();

    if (aspace == cpu->aspace)
        return;
    if (aspace != &aspace_kernel) {
        tlb_user_top = aspace->top;
        tlb_enter(aspace);
        aspace->active = 1;
    } else {
        tlb_user_top = NULL;
        CP0_WRITE64(10, 0);
    }
    if (cpu->aspace)
        cpu->aspace->active = 0;
    cpu->aspace = aspace;
}

void aspace_machine_forget(struct aspace *aspace, uintptr_t address, size_t size)
{
    uintptr_t end = address + size;
    uint64_t asid = CP0_READ64(10) % ASIDS;

    if (aspace != &aspace_kernel) {
        bool here = cpu_here.aspace == aspace;

        if (!here || size > FORGET_MOST * PAIR) {
            aspace->machine = 0;
            if (here)
                tlb_enter(aspace);
            return;
        }
    }
    for (address &= ~(PAIR - 1); address < end; address += PAIR)
        tlb_clear_pair(address, asid);
}

unsigned aspace_guards(void)
{
    return 0;
}

volatile void *memory_map_device(uint64_t physical, size_t size)
{
    (void)size;
    return (volatile void *)(XKPHYS_UNCACHED + physical);
}
