/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cells of event counters on x86_64, one for each CPU.
 *
 * A counter in the kernel's data has its cells in the CPUs' shadows of that data, where ev_cell0 is
 * in each. Any other gets, when it is attached, a slot in an area of its own: 8 bytes at
 * CELLS_BASE + 8 * slot for CPU 0, CPU_STRIDE further down for each next CPU. The page of a slot is
 * mapped for all CPUs when it is first needed, and stays.
 *
 * Words without a counter (cell_create) have rows of slots, and keep them.
 *
 * READERS WAIT FOR NOBODY. One store (ev_held) decides between two complete accounts: with cells,
 * their sum; without, ev_kept, which detaching has set to that sum, and which attaching has put
 * into CPU 0's new cell and left as it was. A reader that detaching has overtaken sees that
 * ev_sequence has moved, and begins again; a slot is given back after that.
 *
 * A DETACHED COUNTER LOSES NOTHING, and its slot is free at once. Detaching sets ev_cells to 0, so
 * that increments go elsewhere, and then has every CPU interrupted. An increment is either over
 * when that interrupt comes or begins again after it, wherever its thread goes meanwhile
 * (<machine/evcnt.h>). Only then are the cells added up.
 */
#include "arch/x86_64/evcnt_cells.h"
#include <arch/cpu.h>
#include <machine/cell.h>
#include <stddef.h>
#include <sys/evcnt.h>
#include "arch/x86_64/paging.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"

#define CELLS_BASE     EVCNT_CELLS_BASE
#define LINKS_BASE     EVCNT_LINKS_BASE /* a word for each slot: the next free one */
#define SLOTS_IN_PAGE  (PAGE_SIZE / sizeof(uint64_t))
#define SLOTS_MAX      ((EVCNT_CELLS_END - CELLS_BASE) / sizeof(uint64_t))
#define COMPILER_FENCE __asm__ volatile("" : : : "memory")

extern char kernel_data_start[], kernel_data_end[];

uint32_t evcnt_cells_many;
static uint32_t cells_cpus = 1; /* that may have counted */
PAGE_OWNER(cell_pages, "counters' cells");

/* Under the registry's lock. Slot 0 is never used: it ends the list. The cells of a free one are 0.
 */
static struct {
    size_t next;   /* never used yet */
    size_t mapped; /* slots below have their pages */
    size_t first;  /* of the free ones, the last to come back */
} slots = {1, 0, 0};

static uint64_t evcnt_cells_read(const uint64_t *word)
{
    return *(const volatile uint64_t *)word;
}

static bool evcnt_cells_in_image(const void *object)
{
    return (const char *)object >= kernel_data_start && (const char *)object < kernel_data_end;
}

static bool evcnt_cells_in_slots(const uint64_t *word)
{
    return (uintptr_t)word - CELLS_BASE < EVCNT_CELLS_END - CELLS_BASE;
}

void evcnt_cells_add_cpu(unsigned cpu)
{
    evcnt_cells_many = 1;
    cells_cpus = cpu + 1;
}

/* The cell, of CPU, of which CPU 0's is at BASE. */
static uint64_t *cell_of(uintptr_t base, unsigned cpu)
{
    return (uint64_t *)(base - cpu * CPU_STRIDE);
}

static uint64_t *cell_in_slot(size_t slot, unsigned cpu)
{
    return cell_of(CELLS_BASE + slot * sizeof(uint64_t), cpu);
}

static uint64_t *evcnt_cells_link_of(size_t slot)
{
    return (uint64_t *)LINKS_BASE + slot;
}

static int evcnt_cells_map_page(uintptr_t address)
{
    int result = paging_map_zeroed(&cell_pages, address);

    return result == -EEXIST ? 0 : result; /* what an attempt that failed has left */
}

static bool evcnt_cells_map_slots(void)
{
    size_t slot = slots.mapped;

    if (slot == SLOTS_MAX || evcnt_cells_map_page((uintptr_t)evcnt_cells_link_of(slot)) != 0)
        return false;
    for (unsigned cpu = 0; cpu < cpu_possible(); cpu++)
        if (evcnt_cells_map_page((uintptr_t)cell_in_slot(slot, cpu)) != 0)
            return false;
    slots.mapped += SLOTS_IN_PAGE;
    return true;
}

/* 0 if there is none. */
static size_t evcnt_cells_slot_take(void)
{
    size_t slot = slots.first;

    if (slot)
        slots.first = *evcnt_cells_link_of(slot);
    else if (slots.next < slots.mapped || evcnt_cells_map_slots())
        slot = slots.next++;
    return slot;
}

/* A row of them, whose first is returned; only new ones are known to be beside each other. */
static size_t evcnt_cells_slots_take(unsigned count)
{
    size_t first = slots.next;

    while (first + count > slots.mapped)
        if (!evcnt_cells_map_slots())
            return 0;
    slots.next += count;
    return first;
}

static void evcnt_cells_slot_give(size_t slot)
{
    *evcnt_cells_link_of(slot) = slots.first;
    slots.first = slot;
}

void evcnt_machine_attach(struct evcnt *ev)
{
    size_t slot = 0;

    if (cpu_possible() > 1 && !evcnt_cells_in_image(ev))
        slot = evcnt_cells_slot_take();
    if (!slot) {
        ev->ev_cells = ev->ev_held = 0;
        return;
    }
    evcnt_cells_many = 1;
    *cell_in_slot(slot, 0) = ev->ev_kept;
    COMPILER_FENCE;
    ev->ev_held = (uintptr_t)cell_in_slot(slot, 0) - (uintptr_t)&ev->ev_cell0;
    COMPILER_FENCE;
    ev->ev_cells = ev->ev_held;
}

bool evcnt_machine_stop(struct evcnt *ev)
{
    ev->ev_cells = 0;
    return ev->ev_held != 0;
}

static void evcnt_cells_nothing(void *unused)
{
    (void)unused;
}

void evcnt_machine_settle(void)
{
    cross_call_all(evcnt_cells_nothing, NULL);
}

void evcnt_machine_detach(struct evcnt *ev)
{
    uintptr_t base = (uintptr_t)&ev->ev_cell0 + ev->ev_held;
    uint64_t sum = 0;

    if (!ev->ev_held)
        return;
    for (unsigned cpu = 0; cpu < cells_cpus; cpu++)
        sum += evcnt_cells_read(cell_of(base, cpu));
    ev->ev_kept = sum;
    COMPILER_FENCE;
    ev->ev_held = 0;
    COMPILER_FENCE;
    ev->ev_sequence++;
    COMPILER_FENCE;
    for (unsigned cpu = 0; cpu < cells_cpus; cpu++)
        *cell_of(base, cpu) = 0;
    evcnt_cells_slot_give((base - CELLS_BASE) / sizeof(uint64_t));
}

void evcnt_machine_clear(struct evcnt *ev)
{
    ev->ev_cell0 = 0;
    ev->ev_cells = ev->ev_held = 0;
    ev->ev_strays = 0;
    ev->ev_kept = 0;
    if (evcnt_cells_in_image(ev))
        for (unsigned cpu = 1; cpu < cells_cpus; cpu++)
            *cell_of((uintptr_t)&ev->ev_cell0, cpu) = 0;
}

/* SUM and the COUNT cells, at least one, of which CPU 0's is at BASE; four a turn. */
static inline __attribute__((always_inline)) uint64_t evcnt_cells_add_cells(uint64_t sum,
                                                                            uintptr_t base,
                                                                            uint32_t count)
{
    const uintptr_t down = -CPU_STRIDE, down3 = 3 * down;

    if (__builtin_expect(count % 4 != 0, 0)) {
        do {
            sum += *(const uint64_t *)base;
            base += down;
        } while (--count % 4 != 0);
        if (count == 0)
            return sum;
    }
    __asm__ volatile("1:\taddq (%1), %0\n\t"
                     "addq (%1,%3), %0\n\t"
                     "addq (%1,%3,2), %0\n\t"
                     "addq (%1,%4), %0\n\t"
                     "leaq (%1,%3,4), %1\n\t"
                     "subl $4, %2\n\t"
                     "jnz 1b"
                     : "+r"(sum), "+r"(base), "+r"(count)
                     : "r"(down), "r"(down3)
                     : "memory", "cc");
    return sum;
}

/* Plain reads, which can be operands, in the order that the fences keep; the CPU keeps it too. */
uint64_t evcnt_cells_value(const struct evcnt *ev)
{
    uint32_t sequence = ev->ev_sequence;
    uintptr_t cells;
    uint64_t sum;
    uint32_t count;

    COMPILER_FENCE;
    cells = ev->ev_held;
    COMPILER_FENCE;
    sum = ev->ev_count + ev->ev_strays;
    count = cells_cpus;
    if (cells)
        sum += ev->ev_cell0;
    else if (!evcnt_cells_in_image(ev)) {
        sum += ev->ev_kept;
        count = 1;
    }
    sum = evcnt_cells_add_cells(sum, (uintptr_t)&ev->ev_cell0 + cells, count);
    COMPILER_FENCE;
    if (__builtin_expect(ev->ev_sequence == sequence, 1))
        return sum;
    return evcnt_value(ev);
}

uint64_t evcnt_machine_share(const struct evcnt *ev, unsigned cpu)
{
    uint32_t sequence;
    uintptr_t cells;
    uint64_t sum;

    if (cpu >= cells_cpus)
        return 0;
    do {
        sequence = *(const volatile uint32_t *)&ev->ev_sequence;
        cells = *(const volatile uintptr_t *)&ev->ev_held;
        sum = 0;
        if (cells || cpu == 0 || evcnt_cells_in_image(ev))
            sum = evcnt_cells_read(cell_of((uintptr_t)&ev->ev_cell0 + cells, cpu));
        if (cpu == 0)
            sum += evcnt_cells_read(cells ? &ev->ev_cell0 : &ev->ev_kept);
    } while (*(const volatile uint32_t *)&ev->ev_sequence != sequence);
    return sum;
}

uint64_t *cell_machine_create(unsigned count)
{
    size_t slot;

    if (cpu_possible() == 1)
        return kmem_zalloc(count * sizeof(uint64_t));
    slot = evcnt_cells_slots_take(count);
    return slot ? cell_in_slot(slot, 0) : NULL;
}

uint64_t *cell_on(const uint64_t *word, unsigned cpu)
{
    return cpu == 0 ? (uint64_t *)(uintptr_t)word : cell_of((uintptr_t)word, cpu);
}

uint64_t cell_sum(const uint64_t *word)
{
    uint64_t sum = evcnt_cells_read(word);

    if (evcnt_cells_in_image(word) || evcnt_cells_in_slots(word))
        for (unsigned cpu = 1; cpu < cells_cpus; cpu++)
            sum += evcnt_cells_read(cell_of((uintptr_t)word, cpu));
    return sum;
}
