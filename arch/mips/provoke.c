/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults on purpose, for `panic -t` and the self-tests. */
#include <arch/interrupt_flag.h>
#include <arch/test/provoke.h>
#include <arch/test/step.h>
#include <machine/register.h>
#include <stddef.h>
#include "arch/mips/vector.h"
#include "kernel/interrupt/trap.h"

static void provoke_null(void)
{
    /* cppcheck-suppress nullPointer */
    *(volatile int *)NULL = 1;
}

static void provoke_divide(void)
{
    __asm__ volatile("teq $0, $0, 7"); /* what compilers emit for division by zero */
}

static void provoke_illegal(void)
{
    __asm__ volatile(".word 0x7c00003f");
}

static void provoke_breakpoint(void)
{
    __asm__ volatile("break");
}

static void provoke_unaligned(void)
{
    static uint64_t words[2];
    uintptr_t address = (uintptr_t)words + 1;

    __asm__ volatile("lw $2, 0(%0)" : : "r"(address) : "$2");
}

static void provoke_address(void)
{
    *(volatile int *)0x0123456789abcde0 = 1; /* no segment there */
}

const struct trap_provocation trap_provocations[] = {
    {"null", "write through a null pointer", provoke_null},
    {"div", "divide by zero", provoke_divide},
    {"ill", "execute an illegal instruction", provoke_illegal},
    {"break", "execute a breakpoint", provoke_breakpoint},
    {"align", "load from an unaligned address", provoke_unaligned},
    {"address", "use an address that cannot exist", provoke_address},
    {"stack", "recurse until the stack overflows", trap_overflow_stack},
    {NULL, NULL, NULL},
};

/* What the general vector does with the pin of the i8259 pair up, which has nothing to tell. */
static void provoke_pin2(void)
{
    uintptr_t state = interrupts_save();

    cpu_serve_pin(CAUSE_IP2);
    interrupts_restore(state);
}

const struct interrupt_provocation interrupt_provocations[] = {
    {"cpu0", "int 2", provoke_pin2},
    {NULL, NULL, NULL},
};

/* EJTAG could (Debug.SSt), but only with a debugger's vector. */
bool trap_single_step(void (*function)(void *), void *argument, void (*between)(void))
{
    (void)function;
    (void)argument;
    (void)between;
    return false;
}
