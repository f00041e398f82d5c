/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions, once the machine has saved its registers: count, recover if somebody asked for it,
 * else panic. */
#include "kernel/trap.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/trap.h>
#include "kernel/cpu.h"
#include "kernel/panic.h"

void trap_dispatch(struct trap_frame *frame, struct evcnt *counter, const char *cause,
                   uint64_t address)
{
    struct cpu *cpu = cpu_current();
    struct trap_jump *recovery = cpu->recovery;

    evcnt_incr(counter);
    if (recovery && cpu->depth == 0) {
        cpu->recovery = NULL;
        trap_jump_to(recovery);
    }
    panic_trap(frame, "%s, address 0x%lx", cause, (unsigned long)address);
}

bool trap_try(void (*function)(void *), void *argument)
{
    uintptr_t volatile state = interrupts_save(); /* first: it stays on this CPU from here on */
    struct cpu *cpu = cpu_current();
    struct trap_jump jump, *volatile outer = cpu->recovery;

    if (trap_jump_set(&jump)) {
        cpu_current()->recovery = outer;
        interrupts_restore(state);
        return true;
    }
    cpu->recovery = &jump;
    function(argument);
    cpu->recovery = outer;
    interrupts_restore(state);
    return false;
}

static volatile int endless = 1;

static int overflow(volatile char *from)
{
    volatile char space[512];

    space[0] = from[0];
    return endless ? overflow(space) + space[0] : 0;
}

void trap_overflow_stack(void)
{
    char start = 0;

    overflow(&start);
}
