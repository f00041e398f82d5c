/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a function one instruction at a time, for self-tests: the trap flag (Intel SDM volume
 * 3, 17.3.2). */
#include "arch/x86_64/step.h"
#include <arch/interrupt_flag.h>
#include <arch/test/step.h>
#include "kernel/thread/thread.h"

#define RFLAGS_TF 0x100u

static struct thread *stepper; /* one at a time */
static void (*each)(void);

bool step_trap(void)
{
    if (thread_current() != stepper || !stepper)
        return false;
    interrupts_enable();
    each();
    interrupts_disable();
    return true;
}

bool trap_single_step(void (*function)(void *), void *argument, void (*between)(void))
{
    each = between;
    stepper = thread_current();
    __asm__ volatile("pushfq; orl %0, (%%rsp); popfq" : : "i"(RFLAGS_TF) : "memory", "cc");
    function(argument);
    __asm__ volatile("pushfq; andl %0, (%%rsp); popfq" : : "i"(~RFLAGS_TF) : "memory", "cc");
    stepper = NULL;
    return true;
}
