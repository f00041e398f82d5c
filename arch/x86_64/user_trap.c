/* SPDX-License-Identifier: BSD-2-Clause */
/* Ring 3: what a CPU needs for it, what comes out of it, and the way back (Intel SDM volume 3, 5.8,
 * 6.12, 7.7). */
#include <arch/user.h>
#include <arch/cpu.h>
#include <arch/frame.h>
#include <arch/interrupt_flag.h>
#include <arch/memory.h>
#include "arch/x86_64/descriptor.h"
#include "arch/x86_64/user.h"
#include "arch/x86_64/vector.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/interrupt/trap.h"
#include "kernel/thread/user_way.h"
#include "lib/string.h"

#define EXCEPTIONS  32
#define FLAGS_FIXED 0x2u
#define EFER        0xc0000080u
#define EFER_SCE    1u /* syscall is an instruction */
#define STAR        0xc0000081u
#define LSTAR       0xc0000082u
#define FMASK       0xc0000084u
#define FMASK_FLAGS 0x47700u /* AC, NT, IOPL, DF, IF, TF are off in the kernel */
#define STAR_KERNEL 8ull
#define STAR_USER   (0x20ull | 3) /* sysret's segments are 8 and 16 above */

_Static_assert(CPU_STRIDE == 1ul << 39, "vector.S:paranoid_common");

/* Of a program's flags (Intel SDM volume 1, 3.4.3), those that are its own to choose. */
#define FLAGS_USER 0x250dd5ull /* CF PF AF ZF SF TF DF OF, RF AC ID */

/* Called by vector.S. */
void exception_dispatch(struct trap_frame *frame);
void user_trap(struct trap_frame *frame);
void user_call(struct trap_frame *frame);
void user_begin(struct trap_frame *frame);

void user_boot(void)
{
    msr_write(EFER, msr_read(EFER) | EFER_SCE);
    msr_write(STAR, STAR_USER << 48 | STAR_KERNEL << 32);
    msr_write(LSTAR, (uintptr_t)call_instruction);
    msr_write(FMASK, FMASK_FLAGS);
    user_state_boot();
}

/* The frame is whole, and what remains of a call can be done at once. */
static inline void user_trap_call(const struct trap_owner *owner, struct trap_frame *frame)
{
    long result;

    if (trap_frame_interrupts(frame))
        interrupts_enable();
    result = trap_system_call(owner, frame);
    if (trap_call_has_rest(result))
        owner->call_rest(frame, result);
    else
        trap_frame_set_result(frame, (uint64_t)result);
    interrupts_disable();
}

void user_trap(struct trap_frame *frame)
{
    const struct thread *self = thread_user_left();

    if (frame->vector == FRAME_CALL_GATE)
        user_trap_call(self->owner, frame);
    else if (frame->vector >= EXCEPTIONS)
        interrupt_dispatch(vector_lines[frame->vector]);
    else
        exception_dispatch(frame);
    thread_user_return(frame);
}

/* The same for `syscall`, the shortest way. */
void user_call(struct trap_frame *frame)
{
    user_trap_call(thread_user_left()->owner, frame);
    thread_user_return(frame);
}

void user_begin(struct trap_frame *frame)
{
    thread_user_return(frame);
}

void user_frame_prepare(struct trap_frame *frame, enum user_mode mode, uint64_t pc, uint64_t sp,
                        uint64_t argument)
{
    (void)mode;
    memset(frame, 0, sizeof *frame);
    frame->rip = pc;
    frame->rsp = sp;
    frame->rdi = argument;
    frame->cs = USER_CODE_SEGMENT;
    frame->ss = USER_DATA_SEGMENT;
    frame->rflags = FLAGS_FIXED | (interrupts_enabled() ? RFLAGS_IF : 0);
}

void user_frame_sanitize(struct trap_frame *frame, const struct trap_frame *own)
{
    frame->cs = USER_CODE_SEGMENT;
    frame->ss = USER_DATA_SEGMENT;
    frame->rflags = (frame->rflags & FLAGS_USER) | (own->rflags & ~FLAGS_USER);
}

/* Where a program has asked for alignment checks, it has what it asked for. */
enum user_access user_access_unaligned(struct trap_frame *frame, bool refuse)
{
    (void)frame;
    (void)refuse;
    return USER_ACCESS_OTHER;
}
