/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults on purpose, for `panic -t` and the self-tests. */
#include <arch/test/provoke.h>
#include <stddef.h>
#include "arch/x86_64/vector.h"
#include "kernel/interrupt/trap.h"

static void provoke_null(void)
{
    /* cppcheck-suppress nullPointer */
    *(volatile int *)NULL = 1;
}

static void provoke_divide(void)
{
    __asm__ volatile("xorl %%ecx, %%ecx; movl $1, %%eax; cltd; idivl %%ecx"
                     :
                     :
                     : "eax", "ecx", "edx");
}

static void provoke_illegal(void)
{
    __asm__ volatile("ud2");
}

static void provoke_breakpoint(void)
{
    __asm__ volatile("int3");
}

static void provoke_protection(void)
{
    *(volatile int *)0x0123456789abcdef = 1; /* not a canonical address */
}

static void provoke_text(void)
{
    *(volatile char *)(uintptr_t)&provoke_text = 0; /* kernel text is read-only */
}

const struct trap_provocation trap_provocations[] = {
    {"null", "write through a null pointer", provoke_null},
    {"div", "divide by zero", provoke_divide},
    {"ill", "execute an illegal instruction", provoke_illegal},
    {"break", "execute a breakpoint", provoke_breakpoint},
    {"address", "use an address that cannot exist", provoke_protection},
    {"text", "write to the kernel's own code", provoke_text},
    {"stack", "recurse until the stack overflows", trap_overflow_stack},
    {NULL, NULL, NULL},
};

#define VECTOR_NOBODYS 200

/* An instruction enters a vector as an interrupt does, and no controller knows of it. */
#define INTERRUPT(name, vector)                                                                    \
    static void provoke_##name(void)                                                               \
    {                                                                                              \
        __asm__ volatile("int %0" : : "i"(vector) : "memory");                                     \
    }

INTERRUPT(stray, VECTOR_NOBODYS)
INTERRUPT(lapic_spurious, VECTOR_SPURIOUS)
INTERRUPT(master_spurious, VECTOR_I8259 + 7)
INTERRUPT(slave_spurious, VECTOR_I8259 + 15)

const struct interrupt_provocation interrupt_provocations[] = {
    {"cpu0", "stray vector", provoke_stray},
    {"lapic0", "spurious vector", provoke_lapic_spurious},
    {"i8259", "irq 7", provoke_master_spurious},
    {"i8259", "irq 15", provoke_slave_spurious},
    {NULL, NULL, NULL},
};
