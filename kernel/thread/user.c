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
#include "kernel/time/cpu_clock.h"
#include "lib/errno.h"

#define NOWHERE UINT32_MAX /* no CPU has its registers */

/* Whether the running thread's registers are in this CPU and nowhere else; interrupts off. */
static void set_unsaved(struct cpu *cpu, bool unsaved)
{
    if (cpu->user_unsaved != unsaved) {
        cpu->user_unsaved = unsaved;
        scheduler_switch_changed(cpu);
    }
}

static void user_set(const struct trap_owner *owner, struct user_state *state)
{
    uintptr_t interrupts = interrupts_save();
    struct thread *self = thread_current();

    self->owner = owner;
    self->user = state;
    self->user_cpu = NOWHERE;
    set_unsaved(cpu_current(), false);
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

    set_unsaved(cpu_current(), false);
    cpu_here.current->user_cpu = NOWHERE;
    interrupts_restore(state);
}

void thread_user_save(struct thread *from)
{
    set_unsaved(cpu_current(), false);
    user_state_save(from->user);
}

void thread_user_left(void)
{
    struct cpu *cpu = cpu_current();
    uint64_t now = cpu_own_time(cpu);

    CPU_TIME(cpu->time_user += now);
    CPU_TIME(cpu->current->user_cycles += now);
}

/* The CPU's registers become those of SELF. */
static void load(struct cpu *cpu, struct thread *self)
{
    if (self->user_cpu != cpu->id || cpu->user_state != self->user) {
        user_state_load(self->user);
        self->user_cpu = cpu->id;
        cpu->user_state = self->user;
    }
    set_unsaved(cpu, true);
}

/* Whether there is something to do before SELF goes to user mode; interrupts off from here on to
 * there, so that nothing more comes unseen. */
static inline bool has_to_wait(const struct thread *self)
{
    return (__builtin_expect(cpu_here.attention, 0) && cpu_here.ipl == IPL_NONE) ||
           (__builtin_expect(self->interrupted, 0) && self->owner->interrupted);
}

/* What keeps SELF, whose FRAME it is, from going. */
static void wait_to_return(struct thread *self, struct trap_frame *frame)
{
    while (has_to_wait(self))
        if (cpu_here.attention && cpu_here.ipl == IPL_NONE) {
            interrupt_exit();
        } else {
            interrupts_enable();
            self->owner->interrupted(frame);
            interrupts_disable();
        }
}

static inline void start_time(struct cpu *cpu, struct thread *self)
{
    uint64_t now = cpu_own_time(cpu);

    CPU_TIME(cpu->time_user -= now);
    CPU_TIME(self->user_cycles -= now);
}

static inline bool has_to_load(const struct cpu *cpu, const struct thread *self)
{
    return !cpu->user_unsaved && user_state_is_used(self->user);
}

static __attribute__((noinline)) void return_slowly(struct thread *self, struct trap_frame *frame)
{
    struct cpu *cpu;

    wait_to_return(self, frame);
    cpu = cpu_current(); /* it may be another */
    if (has_to_load(cpu, self))
        load(cpu, self);
    start_time(cpu, self);
}

/* As a rule there is nothing to do, and nothing to save for it. */
void thread_user_return(struct trap_frame *frame)
{
    struct cpu *cpu = cpu_current();
    struct thread *self = cpu->current;

    if (__builtin_expect(has_to_wait(self) || has_to_load(cpu, self), 0))
        return_slowly(self, frame);
    else
        start_time(cpu, self);
}
