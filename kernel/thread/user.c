/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads in user mode: see user.h. */
#include "kernel/thread/user.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/user.h>
#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/thread/scheduler.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/user_way.h"
#include "lib/errno.h"

#define NOWHERE UINT32_MAX /* no CPU has its registers */

/* Whether the running thread's registers are in this CPU and nowhere else; interrupts off. */
static void user_set_unsaved(struct cpu *cpu, bool unsaved)
{
    if (cpu->user_unsaved != unsaved) {
        cpu->user_unsaved = unsaved;
        scheduler_switch_changed(cpu);
    }
    if (!unsaved)
        thread_user_look(cpu);
}

static void user_set(const struct trap_owner *owner, struct user_state *state)
{
    uintptr_t interrupts = interrupts_save();
    struct thread *self = thread_current();

    self->owner = owner;
    self->user = state;
    self->user_cpu = NOWHERE;
    user_set_unsaved(cpu_current(), false);
    interrupts_restore(interrupts);
}

int thread_user_prepare(const struct trap_owner *owner)
{
    struct user_state *state = thread_current()->user;

    if (state)
        user_state_reset(state);
    else
        state = user_state_create();
    if (!state)
        return -ENOMEM;
    user_set(owner, state);
    return 0;
}

void thread_user_adopt(const struct trap_owner *owner, struct user_state *state)
{
    user_set(owner, state);
}

void thread_user_end(void)
{
    struct user_state *state = thread_current()->user;

    user_set(NULL, NULL);
    user_state_free(state);
}

struct user_state *thread_user_state(void)
{
    uintptr_t state = interrupts_save();
    struct thread *self = cpu_here.current;

    if (cpu_here.user_unsaved)
        thread_user_save(self);
    interrupts_restore(state);
    return self->user;
}

void thread_user_state_changed(void)
{
    uintptr_t state = interrupts_save();

    user_set_unsaved(cpu_current(), false);
    cpu_here.current->user_cpu = NOWHERE;
    interrupts_restore(state);
}

void thread_user_save(struct thread *from)
{
    user_set_unsaved(cpu_current(), false);
    user_state_save(from->user);
}

/* The CPU's registers become those of SELF. */
static void user_registers_load(struct cpu *cpu, struct thread *self)
{
    if (self->user_cpu != cpu->id || cpu->user_state != self->user) {
        user_state_load(self->user);
        self->user_cpu = cpu->id;
        cpu->user_state = self->user;
    }
    user_set_unsaved(cpu, true);
}

/* What keeps SELF, whose FRAME it is, from going. Interrupts are off from the last look to user
 * mode, so that nothing more comes unseen. */
static void user_wait_to_return(struct thread *self, struct trap_frame *frame)
{
    for (;;) {
        cpu_here.user_look = 0; /* before the looks */
        if (cpu_here.attention && cpu_here.ipl == IPL_NONE) {
            interrupt_exit();
        } else if (self->interrupted && self->owner->interrupted) {
            interrupts_enable();
            self->owner->interrupted(frame);
            interrupts_disable();
        } else {
            return;
        }
    }
}

void thread_user_wait(struct trap_frame *frame)
{
    struct thread *self = cpu_here.current;
    struct cpu *cpu;

    user_wait_to_return(self, frame);
    cpu = cpu_current(); /* it may be another than before */
    if (!cpu->user_unsaved && user_state_is_used(self->user))
        user_registers_load(cpu, self);
}
