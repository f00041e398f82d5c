/* SPDX-License-Identifier: BSD-2-Clause */
/* User and supervisor mode of MIPS (R10000 User's Manual 14.12, KSU): what comes out of it, and the
 * way back. */
#include <arch/cpu.h>
#include <arch/frame.h>
#include <arch/interrupt_flag.h>
#include <arch/pmu.h>
#include <arch/user.h>
#include <sys/pmc.h>
#include "arch/mips/trap.h"
#include "arch/mips/vector.h"
#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/trap.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/user_way.h"
#include "lib/string.h"

#define KSU_USER       0x10u
#define KSU_SUPERVISOR 0x08u

uintptr_t vector_user_stack;

/* In two registers: the result, and whether there is more to be done before user mode. */
struct call_end {
    long result;
    uint64_t more;
};

/* Called by vector.S. */
void user_trap(struct trap_frame *frame);
struct call_end user_call(struct trap_frame *frame, uintptr_t interrupts);
void user_call_rest(struct trap_frame *frame, long result);
void user_begin(struct trap_frame *frame);

/* The last before user mode, interrupts off. */
static inline void user_trap_go(struct trap_frame *frame)
{
    if (!thread_user_may_go())
        thread_user_wait(frame);
    if (user_state_is_used(cpu_here.current->user))
        frame->status |= STATUS_CU1 | STATUS_FR;
    vector_user_stack = (uintptr_t)(frame + 1);
    if (__builtin_expect(pmu_mode_is_told(), 0))
        pmu_mode((frame->status & STATUS_KSU) == KSU_SUPERVISOR ? PMC_MODE_S : PMC_MODE_U);
    thread_user_go();
}

static inline bool user_trap_is_left_told(void)
{
    return __builtin_expect(pmu_mode_hook != NULL, 0);
}

static inline struct call_end user_trap_call(struct trap_frame *frame, uintptr_t interrupts)
{
    const struct trap_owner *owner = thread_user_left()->owner;
    uint64_t wait;
    long result;

    interrupts_restore(interrupts);
    result = trap_system_call(owner, frame);
    interrupts_disable();
    if (trap_call_has_rest(result))
        return (struct call_end){result, true};
    wait = cpu_here.user_wait;
    if (__builtin_expect(wait == 0, 1))
        thread_user_go();
    return (struct call_end){result, wait};
}

static __attribute__((noinline)) struct call_end user_trap_call_told(struct trap_frame *frame,
                                                                     uintptr_t interrupts)
{
    pmu_mode(PMC_MODE_K);
    return user_trap_call(frame, interrupts);
}

/* INTERRUPTS: Status, with interrupts as the program had them. Nothing in FRAME is changed. */
struct call_end user_call(struct trap_frame *frame, uintptr_t interrupts)
{
    return user_trap_is_left_told() ? user_trap_call_told(frame, interrupts)
                                    : user_trap_call(frame, interrupts);
}

/* FRAME is whole. */
void user_call_rest(struct trap_frame *frame, long result)
{
    if (trap_frame_interrupts(frame))
        interrupts_enable();
    cpu_here.current->owner->call_rest(frame, result);
    interrupts_disable();
    user_trap_go(frame);
}

/* One in a branch's delay slot: where the branch leads depends on any register. */
static void user_trap_call_in_slot(const struct trap_owner *owner, struct trap_frame *frame)
{
    uint64_t next = branch_next(frame);
    long result;

    frame->badvaddr = frame->epc;
    if (next != 0)
        frame->epc = next;
    if (trap_frame_interrupts(frame))
        interrupts_enable();
    result = trap_system_call(owner, frame);
    owner->call_rest(frame, result);
    interrupts_disable();
}

void user_trap(struct trap_frame *frame)
{
    const struct thread *self;

    if (user_trap_is_left_told())
        pmu_mode(PMC_MODE_K);
    self = thread_user_left();
    if ((frame->cause & CAUSE_CODE) == 0)
        cpu_serve_pin((uint32_t)(frame->cause & frame->status));
    else if ((frame->cause & CAUSE_CODE) == CAUSE_CALL)
        user_trap_call_in_slot(self->owner, frame);
    else
        exception_dispatch(frame);
    user_trap_go(frame);
}

void user_begin(struct trap_frame *frame)
{
    interrupts_disable();
    user_trap_go(frame);
}

void user_frame_prepare(struct trap_frame *frame, enum user_mode mode, uint64_t pc, uint64_t sp,
                        uint64_t argument)
{
    memset(frame, 0, sizeof *frame);
    frame->epc = pc;
    frame->reg[29] = sp;
    frame->reg[4] = argument;
    frame->status = CP0_READ32(12) | STATUS_EXL | STATUS_UX | STATUS_SX |
                    (mode == USER_MODE_SUPERVISOR ? KSU_SUPERVISOR : KSU_USER);
}

void user_frame_sanitize(struct trap_frame *frame, const struct trap_frame *own)
{
    frame->status = own->status;
    frame->cause = own->cause;
    frame->badvaddr = own->badvaddr;
}
