/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults on purpose, for `panic -t` and the self-tests. */
#include <arch/interrupt_flag.h>
#include <arch/io.h>
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

#define MASTER_MASK 0x21
#define SLAVE_MASK  0xa1
#define SLAVE_LEVEL 0x4d1 /* PIIX4 data sheet (82371AB), 7.2.2: bit N: line 8 + N is by level */
#define LINE_2      0x04  /* of the master: the slave */
#define LINE_12     0x10  /* of the slave: the mouse */
/* The keyboard's controller (Intel 8042; FDC37M81x data sheet, 8042 keyboard controller). */
#define KEY_DATA       0x60
#define KEY_COMMAND    0x64
#define KEY_READ_MODE  0x20
#define KEY_SET_MODE   0x60
#define KEY_FROM_MOUSE 0xd3 /* what is written next is as if the mouse had sent it */
#define MODE_INTERRUPT 0x02 /* of the mouse */

static uint8_t provoke_key_mode(uint8_t mode)
{
    uint8_t before;

    io_write8(KEY_COMMAND, KEY_READ_MODE);
    before = io_read8(KEY_DATA);
    io_write8(KEY_COMMAND, KEY_SET_MODE);
    io_write8(KEY_DATA, mode);
    return before;
}

/* The master has noted that its slave asks, and the slave no longer does: its line 12 was up, by
 * level, and is down again. */
static void provoke_slave(void)
{
    uintptr_t state = interrupts_save();
    uint8_t level = io_read8(SLAVE_LEVEL), slave = io_read8(SLAVE_MASK),
            master = io_read8(MASTER_MASK), mode = provoke_key_mode(MODE_INTERRUPT);

    io_write8(SLAVE_LEVEL, level | LINE_12);
    io_write8(SLAVE_MASK, slave & (uint8_t)~LINE_12);
    io_write8(MASTER_MASK, master & (uint8_t)~LINE_2);
    io_write8(KEY_COMMAND, KEY_FROM_MOUSE);
    io_write8(KEY_DATA, 0);
    (void)io_read8(KEY_DATA);
    io_write8(SLAVE_MASK, slave);
    io_write8(SLAVE_LEVEL, level);
    provoke_key_mode(mode);
    cpu_serve_pin(CAUSE_IP2);
    io_write8(MASTER_MASK, master);
    interrupts_restore(state);
}

const struct interrupt_provocation interrupt_provocations[] = {
    {"cpu0", "int 2", provoke_pin2},
    {"cpu0", "int 2", provoke_slave},
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
