/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Increments that did not go through at once: those that an interrupt tore in two, and those of
 * counters that have no cell on this CPU: outside of the data of which each CPU has a copy, and not
 * attached, or attached when memory had run out (<machine/evcnt.h>). Their address is CPU_STRIDE or
 * a multiple of it below ev_cell0, where nothing is mapped: a page fault, or a general protection
 * where such an address does not exist. The count goes to ev_strays, the one word that several CPUs
 * add to.
 */
#include "arch/x86_64/evcnt_cells.h"
#include <arch/cpu.h>
#include <arch/memory.h>
#include <machine/frame.h>
#include <sys/evcnt.h>
#include "arch/x86_64/vector.h"
#include "kernel/cpu/cpu.h"

#define PAGE_FAULT 14

static struct evcnt strays = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "evcnt", "stray counts");
EVCNT_ATTACH_STATIC(strays);

/* An increment: INCQ %gs:DISPLACEMENT(BASE, INDEX). */
struct increment {
    unsigned base, index; /* register numbers */
    int32_t displacement;
    unsigned length;
};

/* Intel SDM volume 2, chapter 2.1 and 2.2.1: 65 (GS), REX with W, FF, ModRM /0 with SIB. */
static bool evcnt_fault_decode(const uint8_t *code, struct increment *out)
{
    unsigned rex = code[1], mod = code[3] >> 6, sib = code[4];

    if (code[0] != 0x65 || (rex & 0xf8) != 0x48 || code[2] != 0xff || (code[3] & 0x3f) != 0x04 ||
        (mod != 1 && mod != 2) || sib >> 6 != 0)
        return false;
    out->base = (sib & 7) | (rex & 1) << 3;
    out->index = (sib >> 3 & 7) | (rex & 2) << 2;
    if (mod == 1) {
        out->displacement = (int8_t)code[5];
        out->length = 6;
    } else {
        out->displacement = (int32_t)(code[5] | (uint32_t)code[6] << 8 | (uint32_t)code[7] << 16 |
                                      (uint32_t)code[8] << 24);
        out->length = 9;
    }
    return true;
}

static uint64_t evcnt_fault_value_of(const struct trap_frame *f, unsigned number)
{
    const uint64_t values[16] = {f->rax, f->rcx, f->rdx, f->rbx, f->rsp, f->rbp, f->rsi, f->rdi,
                                 f->r8,  f->r9,  f->r10, f->r11, f->r12, f->r13, f->r14, f->r15};

    return values[number];
}

static uint64_t fault_address(void)
{
    uint64_t address;

    __asm__ volatile("movq %%cr2, %0" : "=r"(address));
    return address;
}

/* Whether the load of ev_cells stands right before the increment at CODE. */
static const uint8_t *evcnt_fault_load_before(const uint8_t *code,
                                              const struct increment *increment)
{
    unsigned sib = (increment->base & 7) == 4; /* RSP's number needs one (Intel SDM 2, table 2-2) */
    const uint8_t *load = code - 4 - sib;

    if (load[0] != (0x48 | (increment->index & 8) >> 1 | (increment->base & 8) >> 3) ||
        load[1] != 0x8b ||
        load[2] != (0x40 | (increment->index & 7) << 3 | (increment->base & 7)) ||
        (sib && load[3] != 0x24) || load[3 + sib] != EVCNT_CELLS)
        return NULL;
    return load;
}

void evcnt_restart(struct interrupt_frame *frame)
{
    const uint8_t *code = (const uint8_t *)frame->rip, *load;
    struct increment increment;

    if (!evcnt_fault_decode(code, &increment) || increment.displacement != (int32_t)EVCNT_CELL0)
        return;
    load = evcnt_fault_load_before(code, &increment);
    if (load)
        frame->rip = (uintptr_t)load;
}

bool evcnt_fault(struct trap_frame *frame)
{
    extern const char kernel_text_start[], kernel_text_end[];
    struct increment increment;
    uint64_t base;
    struct evcnt *ev;

    if (cpu_here.id == 0 || frame->rip < (uintptr_t)kernel_text_start ||
        frame->rip >= (uintptr_t)kernel_text_end - 16 ||
        !evcnt_fault_decode((const uint8_t *)frame->rip, &increment))
        return false;
    base = evcnt_fault_value_of(frame, increment.base);
    if (increment.displacement != (int32_t)EVCNT_CELL0 ||
        evcnt_fault_value_of(frame, increment.index) != 0 || base < DIRECT_BASE ||
        base % sizeof(uint64_t))
        return false;
    if (frame->vector == PAGE_FAULT &&
        fault_address() != base + EVCNT_CELL0 - cpu_here.id * CPU_STRIDE)
        return false;
    ev = (struct evcnt *)base;
    __asm__ volatile("lock incq %0" : "+m"(ev->ev_strays) : : "memory", "cc");
    evcnt_incr(&strays);
    frame->rip += increment.length;
    return true;
}
