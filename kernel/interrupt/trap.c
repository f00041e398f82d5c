/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions and system calls, once the machine has saved its registers: count, ask whoever may
 * know what to do, else panic. */
#include "kernel/interrupt/trap.h"
#include <arch/aspace.h>
#include <arch/cpu.h>
#include <arch/frame.h>
#include <arch/interrupt_flag.h>
#include <arch/trap.h>
#include "kernel/base/panic.h"
#include "kernel/cpu/cpu.h"
#include "kernel/thread/thread.h"
#include "lib/linker_set.h"

struct evcnt trap_system_calls = EVCNT_INITIALIZER(EVCNT_TYPE_TRAP, NULL, "cpu0", "system call");

/* A handful: nothing is sorted. */
static const struct trap_fixup *trap_find_fixup(uintptr_t pc)
{
    const struct trap_fixup *fixup = (const void *)LINKER_SET_BEGIN(trap_fixups);

    for (; fixup != (const void *)LINKER_SET_END(trap_fixups); fixup++)
        if (fixup->at == pc)
            return fixup;
    return NULL;
}

/* ASK with interrupts as they were for what was interrupted. */
static bool trap_ask(bool (*function)(const struct trap *), const struct trap *trap)
{
    bool done;

    if (trap_frame_interrupts(trap->frame))
        interrupts_enable();
    done = function(trap);
    interrupts_disable();
    return done;
}

/* Whether the address space has a page for it. */
static bool trap_ask_space(const struct trap_owner *owner, const struct trap *trap)
{
    return owner && owner->fault && trap->translation && trap->address < ASPACE_USER_END &&
           trap_frame_interrupts(trap->frame) && trap_ask(owner->fault, trap);
}

/* What came in a handler, or before there are threads, is nobody's. */
static bool trap_resolve(struct thread *thread, const struct trap *trap)
{
    const struct trap_fixup *fixup =
        trap->user ? NULL : trap_find_fixup(trap_frame_pc(trap->frame));

    /* Elsewhere the kernel has no business there: a page that came would only hide that. */
    if ((trap->user || fixup) && trap_ask_space(thread->owner, trap))
        return true;
    if (fixup) {
        trap_frame_set_pc(trap->frame, fixup->go_on);
        return true;
    }
    if (!trap->user && thread->recovery) {
        struct trap_jump *recovery = thread->recovery;

        thread->recovery = NULL;
        trap_jump_to(recovery);
    }
    return trap->user && thread->owner && thread->owner->exception &&
           trap_ask(thread->owner->exception, trap);
}

void trap_dispatch(const struct trap *trap)
{
    struct cpu *cpu = cpu_current();

    evcnt_incr(trap->counter);
    if (trap->part)
        evcnt_incr(trap->part);
    if (trap->machine && trap->machine(trap->frame))
        return;
    if (!trap->fatal && !cpu->in_handler && cpu->current && trap_resolve(cpu->current, trap))
        return;
    panic_trap(trap->frame, "%s, address 0x%lx", trap->cause, (unsigned long)trap->address);
}

bool trap_try(void (*function)(void *), void *argument)
{
    struct thread *volatile self = cpu_here.current;
    uintptr_t volatile state = interrupts_save();
    struct trap_jump jump, *volatile outer = self->recovery;

    interrupts_restore(state);
    if (trap_jump_set(&jump)) {
        self->recovery = outer;
        interrupts_restore(state);
        return true;
    }
    self->recovery = &jump;
    function(argument);
    self->recovery = outer;
    return false;
}
