/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PC for bare guests: it starts them in 64-bit mode, maps 1 GiB at 0 and again at -2 GiB, both
 * for every ring, and has the serial line, the slot of qpmu and a stretch of small pages at HOLE,
 * which a guest may take away. It is included once, by the guest's only file. A guest defines
 * guest().
 */
#ifndef QPMU_TESTS_PC_H
#define QPMU_TESTS_PC_H
#include <stdint.h>

#include "tools/qpmu/include/qpmu.h"

#define HIGH  0xffffffff80000000ull
#define HOLE  0x20000000ull /* where there is no RAM: HOLES small pages, of `pool` */
#define HOLES 4
#ifndef USER
#define USER 0 /* where MEASURE's %[user] leads */
#endif
#ifndef KERNEL
#define KERNEL 0 /* where handlers are executed: 0 or HIGH */
#endif
#define KERNEL_CODE 0x08
#define USER_DATA   0x1b
#define USER_CODE   0x23

__asm__(".section .text.startup, \"ax\"\n .code32\n .globl _start\n"
        ".balign 4\n .long 0x1badb002, 0, -0x1badb002\n"
        "_start: movl $stack + 16384, %esp\n"
        "   movl $0x87, %eax\n movl $directory, %edi\n movl $512, %ecx\n"
        "1: movl %eax, (%edi)\n addl $0x200000, %eax\n addl $8, %edi\n loop 1b\n"
        "   movl $pages + 7, directory + 256 * 8\n"
        "   movl $directory + 7, %eax\n movl %eax, pointers\n movl %eax, pointers + 510 * 8\n"
        "   movl $0xfec00087, directory_high + 502 * 8\n" /* I/O APIC, local APIC */
        "   movl $0xfee00087, directory_high + 503 * 8\n"
        "   movl $directory_high + 7, pointers + 3 * 8\n"
        "   movl $pointers + 7, %eax\n movl %eax, top\n movl %eax, top + 511 * 8\n"
        "   call enter_paging\n"
        "   ljmp $8, $2f\n"
        ".globl enter_paging\n"
        "enter_paging: movl $top, %eax\n movl %eax, %cr3\n"
        "   movl %cr4, %eax\n orl $0x620, %eax\n movl %eax, %cr4\n" /* PAE, SSE */
        "   movl $0xc0000080, %ecx\n rdmsr\n orl $0x101, %eax\n wrmsr\n"
        "   movl %cr0, %eax\n andl $~0x60000004, %eax\n orl $0x80010022, %eax\n movl %eax, %cr0\n"
        "   lgdt gdt_pointer\n ret\n"
        "   .code64\n"
        "2: movl $16, %eax\n movl %eax, %ds\n movl %eax, %es\n movl %eax, %ss\n"
        "   lidt idt_pointer\n call guest\n"
        ".balign 8\n"
        ".globl gdt\n"
        "gdt: .quad 0, 0x00209a0000000000, 0x0000920000000000, 0x0000f20000000000\n"
        "   .quad 0x0020fa0000000000, 0x00cf9a000000ffff, 0x00cf92000000ffff, 0\n"
        "   .skip 16 * 16\n" /* 0x40: task states, of each CPU one */
        "gdt_end:\n"
        "gdt_pointer: .word gdt_end - gdt - 1\n .long gdt\n .long 0\n"
        "idt_pointer: .word 4095\n .quad idt\n"
        ".bss\n .balign 4096\n .globl pages\n directory: .skip 4096\n directory_high: .skip 4096\n"
        "pointers: .skip 4096\n top: .skip 4096\n pages: .skip 4096\n"
        ".previous\n");

struct gate {
    uint16_t low, selector, kind, middle;
    uint32_t high, zero;
} idt[256];
extern uint64_t gdt[], pages[512];
uint64_t stack[2048];
static uint64_t fault_stack[512], ring0_stack[512] __attribute__((aligned(16)));
uint64_t array[8192] __attribute__((aligned(65536)));
uint8_t pool[HOLES][4096] __attribute__((aligned(4096)));
uint8_t data[256];
static struct qpmu_slot slot __attribute__((aligned(4096)));
static struct {
    uint32_t unused, rsp0[2], more[6], ist[14], last[3];
} __attribute__((packed, aligned(8))) task;

void guest(void);

static inline void set_msr(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr" : : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)));
}

static inline void out(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "d"(port));
}

static void print(const char *text)
{
    while (*text)
        out(0x3f8, (uint8_t)*text++);
}

static void number(uint64_t value)
{
    char digits[21], *p = &digits[20];

    *p = '\0';
    do
        *--p = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    print(p);
}

static void say(const char *name, uint64_t value)
{
    print(name);
    print(" ");
    number(value);
    print("\n");
}

static void tell(const char *name, uint64_t a, uint64_t b, uint64_t right_a, uint64_t right_b)
{
    print(name);
    print(" ");
    number(a);
    print(" ");
    number(b);
    print(" = ");
    number(right_a);
    print(" ");
    number(right_b);
    print("\n");
}

/* STACK: 0, or 1 for one of its own; a gate for every ring. */
static void gate(unsigned vector, const char *code, unsigned stack_number)
{
    uint64_t at = (uint64_t)code + KERNEL;

    idt[vector] =
        (struct gate){(uint16_t)at,         KERNEL_CODE,          (uint16_t)(0xee00 | stack_number),
                      (uint16_t)(at >> 16), (uint32_t)(at >> 32), 0};
}

/* Stacks for interrupts from ring 3 and for gates with one of their own. Call it first. */
static void make_task(void)
{
    uint64_t at = (uint64_t)&task;

    task.rsp0[0] = (uint32_t)(uint64_t)(ring0_stack + 512);
    task.ist[0] = (uint32_t)(uint64_t)(fault_stack + 512);
    task.last[2] = sizeof(task) << 16; /* no ports for users */
    gdt[8] = (sizeof(task) - 1) | (at & 0xffffff) << 16 | 0x89ull << 40 | (at >> 24 & 0xff) << 56;
    gdt[9] = at >> 32;
    __asm__ volatile("ltr %w0" : : "r"(0x40));
}

/* Page N of HOLE: FLAGS 0 takes it away, 7 is all rights. */
static void hole(unsigned n, unsigned flags)
{
    pages[n] = (uint64_t)pool[n] | flags;
    __asm__ volatile("invlpg (%0)" : : "r"(HOLE + n * 4096) : "memory");
}

static void write(uint32_t msr, uint64_t value)
{
    do {
        *(volatile uint32_t *)&slot.again = 0;
        *(volatile uint64_t *)&slot.value = value;
        *(volatile uint32_t *)&slot.number = msr;
        __asm__ volatile("wrmsr" : : "c"(msr), "a"(0), "d"(0) : "memory");
    } while (*(volatile uint32_t *)&slot.again);
}

static uint64_t read(uint32_t msr)
{
    *(volatile uint32_t *)&slot.number = msr;
    __asm__ volatile("rdmsr" : : "c"(msr) : "rax", "rdx", "memory");
    return *(volatile uint64_t *)&slot.value;
}

static int hypercall(void)
{
#ifndef ANY /* of both halves may be either */
    slot.flags = KERNEL ? QPMU_HIGHER_HALF : 0;
#endif
    __asm__ volatile("nopl 0x5150(%%rax)\n movl $0, %0" : "=m"(slot.magic) : : "memory");
    return *(volatile uint32_t *)&slot.magic == QPMU_MAGIC;
}

#define SELECT(event, bits) ((uint64_t)(event) | (uint64_t)(bits) << 16 | 1u << 22)
#define INSTRUCTIONS        0x00c0
#ifndef BRANCHES /* or another event beside the instructions */
#define BRANCHES 0x00c4
#endif

/*
 * What counters 0 and 1 count from the first write to the global control register to the second:
 * less the first one itself and the three instructions that lead to the second, and beside it what
 * it has to be: "NAME COUNT COUNT = COUNT COUNT". What CODE says may change all general registers
 * but rbp and rsp. r8 is HOLE, r14 the entry of its first page, r15 for the handler.
 */
#define MEASURE(name, instructions, branches, code)                                                \
    do {                                                                                           \
        register uint64_t hole_ __asm__("r8") = HOLE;                                              \
        register uint64_t *entry_ __asm__("r14") = pages;                                          \
        write(0xc1, 0);                                                                            \
        write(0xc2, 0);                                                                            \
        *(volatile uint64_t *)&slot.value = 0xf;                                                   \
        *(volatile uint32_t *)&slot.number = 0x38f;                                                \
        __asm__ volatile(                                                                          \
            "movl $0x38f, %%ecx\n wrmsr\n" code "\n movq $0, %[value]\n"                           \
            "movl $0x38f, %[number]\n movl $0x38f, %%ecx\n wrmsr"                                  \
            : [value] "+m"(slot.value), [number] "+m"(slot.number), "+r"(hole_), "+r"(entry_)      \
            : [array] "i"(array), [high] "i"(HIGH), [user] "i"(USER), [data] "i"(data)             \
            : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r9", "r10", "r11", "r12", "r13", "r15",   \
              "memory", "cc");                                                                     \
        tell(name, read(0xc1) - 4, read(0xc2), instructions, branches);                            \
    } while (0)
#define LOOP(turns, body) "movl $" #turns ", %%ebx\n1: " body "\n decl %%ebx\n jnz 1b\n"

static void end(void)
{
    say("end", 0);
    out(0xf4, 0);
    for (;;)
        __asm__ volatile("hlt");
}
#endif
