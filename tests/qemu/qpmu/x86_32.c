/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel of 32-bit code, and a piece of 16-bit code in real mode: instructions that 64-bit code
 * does not have. Counter 0 counts instructions, counter 1 branches; lines are as in pc.h.
 */
#include <stdint.h>

#include "tools/qpmu/include/qpmu.h"

#define INSTRUCTIONS 0x4300c0u
#define BRANCHES     0x4300c4u
#define LOW          0x8000 /* where the code for real mode is copied to */

/* It lies where real mode reaches it. */
static struct qpmu_slot *const slot = (struct qpmu_slot *)0x10000;

/* gdt: 8 and 16 are code and data of 32 bits, 24 and 32 of 16 bits. */
__asm__(".section .text.startup, \"ax\"\n .code32\n .globl _start\n"
        ".balign 4\n .long 0x1badb002, 0, -0x1badb002\n"
        "_start: movl $stack + 4096, %esp\n lgdt gdt_pointer\n ljmp $8, $1f\n"
        "1: movl $16, %eax\n movl %eax, %ds\n movl %eax, %es\n movl %eax, %ss\n call guest\n"
        ".balign 8\n"
        "gdt: .quad 0, 0x00cf9a000000ffff, 0x00cf92000000ffff, 0x00009a000000ffff\n"
        "   .quad 0x000092000000ffff\n"
        "gdt_pointer: .word 39\n .long gdt\n"
        "far: lret\n"
        ".previous\n");
uint32_t stack[1024], kept;

#define BETWEEN "movl $0x38f, %ecx\n wrmsr\n"
#define BEGIN   "movl $0x38f, %%ecx\n wrmsr\n"

/* To real mode, back, and in it what is counted: CODE16, at ds:si the slot. */
#define CODE16                                                                                     \
    "movw $100, %di\n"                                                                             \
    "4: pushaw\n popaw\n aam\n pushw %es\n popw %es\n incw %di\n decw %di\n"                       \
    "ljmp $0, $5f - real + 0x8000\n 5: lcall $0, $8f - real + 0x8000\n"                            \
    "decw %di\n jnz 4b\n"
__asm__(".text\n .code16\n real: movl %cr0, %eax\n andl $~1, %eax\n movl %eax, %cr0\n"
        "ljmp $0, $3f - real + 0x8000\n"
        "3: xorw %ax, %ax\n movw %ax, %es\n movw %ax, %ss\n movw $0x7000, %sp\n"
        "movw $0x1000, %ax\n movw %ax, %ds\n" BETWEEN CODE16
        "movl $0, 0x10\n movl $0x38f, 0x18\n" BETWEEN
        "movl %cr0, %eax\n orl $1, %eax\n movl %eax, %cr0\n"
        "ljmpl $8, $back\n"
        "8: lret\n real_end: .code32\n"
        "go_real: pushal\n movl %esp, kept\n movl $32, %eax\n movl %eax, %ds\n movl %eax, %es\n"
        "movl %eax, %ss\n ljmp $24, $0x8000\n"
        "back: movl $16, %eax\n movl %eax, %ds\n movl %eax, %es\n movl %eax, %ss\n"
        "movl kept, %esp\n popal\n ret\n");
extern const uint8_t real[], real_end[];
void go_real(void);

static void out(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "d"(port));
}

static void print(const char *text)
{
    while (*text)
        out(0x3f8, (uint8_t)*text++);
}

static void number(uint32_t value)
{
    char digits[11], *p = &digits[10];

    *p = '\0';
    do
        *--p = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    print(p);
}

static void say(const char *name, uint32_t value)
{
    print(name), print(" "), number(value), print("\n");
}

static void write(uint32_t msr, uint64_t value)
{
    do {
        *(volatile uint32_t *)&slot->again = 0;
        *(volatile uint64_t *)&slot->value = value;
        *(volatile uint32_t *)&slot->number = msr;
        __asm__ volatile("wrmsr" : : "c"(msr), "a"(0), "d"(0) : "memory");
    } while (*(volatile uint32_t *)&slot->again);
}

static uint32_t read(uint32_t msr)
{
    uint32_t a, d;

    *(volatile uint32_t *)&slot->number = msr;
    __asm__ volatile("rdmsr" : "=a"(a), "=d"(d) : "c"(msr) : "memory");
    return (uint32_t)*(volatile uint64_t *)&slot->value;
}

static void prepare(void)
{
    write(0xc1, 0);
    write(0xc2, 0);
    *(volatile uint64_t *)&slot->value = 0xf;
    *(volatile uint32_t *)&slot->number = 0x38f;
}

/* The wrmsr itself and the last three, that lead to the second, are not CODE's. */
static void tell(const char *name, uint32_t instructions, uint32_t branches)
{
    print(name), print(" ");
    number(read(0xc1)), print(" ");
    number(read(0xc2)), print(" = ");
    number(instructions), print(" ");
    number(branches), print("\n");
}

static __attribute__((noinline)) void in_32(void)
{
    prepare();
    __asm__ volatile(BEGIN
                     "movl $100, %%edi\n"
                     "4: pushal\n popal\n aam\n pushl %%es\n popl %%es\n incl %%edi\n decl %%edi\n"
                     "ljmp $8, $5f\n 5: lcall $8, $far\n"
                     "decl %%edi\n jnz 4b\n"
                     "movl $0, 0x10010\n movl $0x38f, 0x10018\n" BEGIN
                     :
                     :
                     : "eax", "ecx", "edi", "memory");
    /* In each turn 12, of which the two far jumps, lret and jnz are branches. Around them 1 for
     * %edi and 4 from the last jnz to the second wrmsr, with it. */
    tell("code_32", 4 + 1 + 100 * 12, 400);
}

static __attribute__((noinline)) void in_16(void)
{
    prepare();
    go_real();
    tell("code_16", 4 + 1 + 100 * 12, 400);
}

void guest(void)
{
    for (unsigned i = 0; &real[i] != real_end; i++)
        ((volatile uint8_t *)LOW)[i] = real[i];
    out(0x21, 0xff);
    slot->flags = 0;
    __asm__ volatile("nopl 0x5150(%%eax)\n movl $0, %0" : "=m"(slot->magic) : : "memory");
    say("magic", *(volatile uint32_t *)&slot->magic == QPMU_MAGIC);
    write(0x38f, 0);
    write(0x186, INSTRUCTIONS);
    write(0x187, BRANCHES);
    for (unsigned pass = 0; pass < 2; pass++) {
        say("pass", pass);
        in_32();
        in_16();
        write(0x188, 0x4300c5); /* with all models */
    }
    say("end", 0);
    out(0xf4, 0);
    for (;;)
        __asm__ volatile("cli\n hlt");
}
