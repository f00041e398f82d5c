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
#include "kernel/thread/user.h"
#include "lib/string.h"

#define KSU_USER       0x10u
#define KSU_SUPERVISOR 0x08u

uintptr_t vector_user_stack;

/* Called by vector.S. */
void user_trap(struct trap_frame *frame);
bool user_call(struct trap_frame *frame);
void user_begin(struct trap_frame *frame);

/* The last before user mode, interrupts off. */
static inline void go(struct trap_frame *frame)
{
    thread_user_return(frame);
    if (user_state_is_used(cpu_here.current->user))
        frame->status |= STATUS_CU1 | STATUS_FR;
    vector_user_stack = (uintptr_t)(frame + 1);
    if (__builtin_expect(pmu_mode_is_told(), 0))
        pmu_mode((frame->status & STATUS_KSU) == KSU_SUPERVISOR ? PMC_MODE_S : PMC_MODE_U);
}

static inline void leave(void)
{
    if (__builtin_expect(pmu_mode_hook != NULL, 0))
        pmu_mode(PMC_MODE_K);
    thread_user_left();
}

static __attribute__((noinline)) void skip_branch(struct trap_frame *frame)
{
    uint64_t next = branch_next(frame);

    if (next != 0)
        frame->epc = next;
}

/* Returns whether registers that calls preserve may be others in FRAME than they were. */
bool user_call(struct trap_frame *frame)
{
    leave();
    frame->badvaddr = frame->epc;
    if (__builtin_expect(frame->cause & CAUSE_BD, 0))
        skip_branch(frame);
    else
        frame->epc += 4;
    trap_system_call(frame);
    go(frame);
    return frame->cause == 0;
}

void user_trap(struct trap_frame *frame)
{
    leave();
    if ((frame->cause & CAUSE_CODE) == 0)
        cpu_serve_pin((uint32_t)(frame->cause & frame->status));
    else
        exception_dispatch(frame);
    go(frame);
}

void user_begin(struct trap_frame *frame)
{
    interrupts_disable();
    go(frame);
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
    frame->cause = 0; /* all registers are new, see user_call */
    frame->badvaddr = own->badvaddr;
}
