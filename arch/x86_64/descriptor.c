/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GDT, TSS and IDT (Intel SDM volume 3, 3.4.5, 6.14, 7.7). Double faults, NMIs and machine checks
 * get stacks of their own, so that a kernel stack that overran its guard page can still be
 * reported. Each CPU uses its own copy of all of these but the IDT (its shadow, see
 * <machine/cpu.h>).
 */
#include "arch/x86_64/descriptor.h"
#include <stdint.h>
#include <arch/cpu.h>
#include <machine/frame.h>
#include "arch/x86_64/machine_check.h"
#include "arch/x86_64/user.h"
#include "kernel/cpu/cpu.h"
#include "lib/section.h"

#define CODE_SEGMENT 8 /* user segments: descriptor.h */
#define TSS_SEGMENT  24
#define IST_SIZE     4096 /* a panic takes 1,240 bytes of it */

struct __attribute__((packed)) task_state {
    uint32_t reserved0;
    uint64_t stack[3];
    uint64_t reserved1;
    uint64_t interrupt_stack[7];
    uint64_t reserved2;
    uint16_t reserved3, io_map;
};

struct gate { /* volume 3, figure 6-8 */
    uint64_t low, high;
};

#define GATE_INTERRUPT (0x8eull << 40) /* present */
#define GATE_USER      (3ull << 45)    /* for users' int, too */
#define GATE_STACK(n)  ((uint64_t)(n) << 32)

struct __attribute__((packed)) table_pointer {
    uint16_t limit;
    uint64_t base;
};

extern const char vector_table[];
extern struct task_state task_state;

struct task_state task_state; /* vector.S reads stack[0] */
static struct gate gates[256] SHARED_BSS;
static uint64_t segments[7]; /* null, code, data, TSS in two halves, user data, user code */
static char fault_stack[IST_SIZE] CPU_STACK;
static char nmi_stack[IST_SIZE] CPU_STACK;
static char check_stack[IST_SIZE] CPU_STACK;

/* Fills the copies that lie DISTANCE below the first CPU's. */
static void descriptor_task_state_boot(uint64_t distance)
{
    uint64_t base = (uint64_t)&task_state - distance;
    struct task_state *task = (struct task_state *)base;
    uint64_t *segment = (uint64_t *)((uint64_t)segments - distance);

    task->interrupt_stack[0] = (uint64_t)(fault_stack + IST_SIZE) - distance;
    task->interrupt_stack[1] = (uint64_t)(nmi_stack + IST_SIZE) - distance;
    task->interrupt_stack[2] = (uint64_t)(check_stack + IST_SIZE) - distance;
    task->io_map = sizeof task_state;
    segment[1] = 0x00af9a000000ffff;
    segment[2] = 0x00cf92000000ffff;
    segment[3] = (sizeof task_state - 1) | (base & 0xffffff) << 16 | 0x89ull << 40 |
                 (base >> 24 & 0xff) << 56;
    segment[4] = base >> 32;
    segment[5] = 0x00cff2000000ffff;
    segment[6] = 0x00affa000000ffff;
}

static struct gate descriptor_gate_to(const char *entry)
{
    uint64_t address = (uint64_t)entry;

    return (struct gate){(address & 0xffff) | CODE_SEGMENT << 16 | GATE_INTERRUPT |
                             (address >> 16 & 0xffff) << 48,
                         address >> 32};
}

/* Before any CPU uses them: a gate is not written in one store. The vectors' entries differ in
 * their low 16 bits only, which are the gate's lowest. */
static void descriptor_gates_boot(void)
{
    struct gate gate = descriptor_gate_to(vector_table);

    for (unsigned i = 0; i < 256; i++, gate.low += 16)
        gates[i] = gate;
    gates[FRAME_CALL_GATE] = descriptor_gate_to(call_gate); /* the same for everybody */
    gates[FRAME_CALL_GATE].low |= GATE_USER;
    gates[3].low |= GATE_USER; /* int3 */
    gates[4].low |= GATE_USER; /* into */
    gates[8].low |= GATE_STACK(1);
    gates[2].low |= GATE_STACK(2);
    gates[18].low |= GATE_STACK(3);
}

void descriptor_boot(unsigned cpu)
{
    uint64_t distance = cpu * CPU_STRIDE;
    struct table_pointer gdt = {sizeof segments - 1, (uint64_t)segments - distance};
    struct table_pointer idt = {sizeof gates - 1, (uint64_t)gates};

    descriptor_task_state_boot(distance);
    if (cpu == 0)
        descriptor_gates_boot();
    __asm__ volatile("lgdt %0; lidt %1; ltr %w2"
                     :
                     : "m"(gdt), "m"(idt), "r"(TSS_SEGMENT)
                     : "memory");
    machine_check_boot();
}
