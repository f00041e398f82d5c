/* SPDX-License-Identifier: BSD-2-Clause */
/* Signal frames as Linux lays them on MIPS, n64 (its asm/sigcontext.h, asm/ucontext.h), and what
 * exceptions mean (MIPS R10000 User's Manual, chapter 17). */
#include <arch/user.h>
#include "kernel/memory/kmem.h"
#include "kernel/thread/user.h"
#include "lib/string.h"
#include "linux/program/call.h"

#define A0      4
#define A1      5
#define A2      6
#define T9      25
#define SP      29
#define RA      31
#define USED_FP 1u

struct frame_context {
    uint64_t reg[32], fpreg[32];
    uint64_t hi, hi1, hi2, hi3, lo, lo1, lo2, lo3;
    uint64_t pc;
    uint32_t fcsr, used_math, dsp, reserved;
};

struct frame_ucontext {
    uint64_t flags, link;
    struct abi_stack stack;
    struct frame_context context;
    uint64_t mask[ABI_SIGNAL_WORDS];
};

struct frame_signal {
    uint32_t arguments[4], pad[2];
    struct abi_siginfo info;
    struct frame_ucontext uc;
};

static void frame_float_fill(struct frame_context *to)
{
    const struct user_state *state = thread_user_state();
    size_t size;
    const uint64_t *area = user_state_area(state, &size);

    if (!user_state_is_used(state))
        return;
    memcpy(to->fpreg, area, sizeof to->fpreg);
    to->fcsr = (uint32_t)area[32];
    to->used_math = USED_FP;
}

static void frame_float_take(const struct frame_context *from)
{
    uint64_t area[33];

    if (!(from->used_math & USED_FP))
        return;
    memcpy(area, from->fpreg, sizeof from->fpreg);
    area[32] = from->fcsr;
    user_state_set_area(thread_user_state(), area, sizeof area);
    thread_user_state_changed();
}

bool signal_frame_push(struct trap_frame *frame, struct task *task, int signal,
                       const struct signal_action *action, const struct abi_siginfo *info,
                       const struct signal_set *mask)
{
    struct frame_signal *out = kmem_zalloc(sizeof *out);
    uint64_t sp = signal_frame_place(task, action, frame->reg[SP]);
    bool good;

    if (!out)
        return false;
    sp = (sp - sizeof *out) & ~15ull;
    signal_frame_stack_out(task, frame->reg[SP], &out->uc.stack);
    memcpy(out->uc.context.reg, frame->reg, sizeof frame->reg);
    out->uc.context.hi = frame->hi;
    out->uc.context.lo = frame->lo;
    out->uc.context.pc = frame->epc;
    frame_float_fill(&out->uc.context);
    memcpy(out->uc.mask, mask->word, sizeof out->uc.mask);
    out->info = *info;
    good = copyout(out, (void *)sp, sizeof *out) == 0;
    kmem_free(out);
    if (!good)
        return false;
    frame->reg[SP] = sp;
    frame->reg[A0] = (uint64_t)signal;
    frame->reg[A1] = sp + __builtin_offsetof(struct frame_signal, info);
    frame->reg[A2] = sp + __builtin_offsetof(struct frame_signal, uc);
    frame->reg[RA] = task->program->trampoline;
    frame->reg[T9] = frame->epc = action->handler;
    return true;
}

bool signal_frame_pop(struct trap_frame *frame, struct task *task)
{
    struct frame_signal *in = kmem_alloc(sizeof *in);
    struct trap_frame new = *frame;
    struct signal_set mask;
    bool good = in && copyin((const void *)frame->reg[SP], in, sizeof *in) == 0;

    if (good) {
        memcpy(new.reg, in->uc.context.reg, sizeof new.reg);
        new.hi = in->uc.context.hi;
        new.lo = in->uc.context.lo;
        new.epc = in->uc.context.pc;
        frame_float_take(&in->uc.context);
        user_frame_sanitize(&new, frame);
        *frame = new;
        memcpy(mask.word, in->uc.mask, sizeof mask.word);
        signal_set_mask(task, &mask);
        task->alternate = in->uc.stack;
        task->alternate.flags &= ~SS_ONSTACK;
    }
    kmem_free(in);
    return good;
}

CALL(rt_sigreturn)
{
    if (!signal_frame_pop(frame, task_current()))
        signal_force(SIGSEGV, SI_KERNEL, 0);
    return -CALL_KEEP;
}

uint64_t signal_frame_stack(const struct trap_frame *frame)
{
    return frame->reg[SP];
}

static int signal_frame_mips_float_code(void)
{
    uint32_t cause = user_state_take_causes(thread_user_state());

    thread_user_state_changed();
    return cause & 16  ? FPE_FLTINV
           : cause & 8 ? FPE_FLTDIV
           : cause & 4 ? FPE_FLTOVF
           : cause & 2 ? FPE_FLTUND
           : cause & 1 ? FPE_FLTRES
                       : 0;
}

/* The code field of `break` and `teq`: 6 is overflow, 7 division by zero. */
static int signal_frame_mips_break_signal(const struct trap *trap, bool is_break, int *code)
{
    uint32_t word = 0, number;

    if (copyin((const void *)trap->address, &word, sizeof word) != 0)
        return SIGSEGV;
    number = is_break ? word >> 16 & 0x3ff : word >> 6 & 0x3ff;
    if (is_break && number == 0)
        number = word >> 6 & 0xfffff;
    if (number != 6 && number != 7) {
        *code = is_break ? TRAP_BRKPT : SI_KERNEL;
        return SIGTRAP;
    }
    *code = number == 6 ? FPE_INTOVF : FPE_INTDIV;
    return SIGFPE;
}

int signal_of_trap(const struct trap *trap, int *code, uint64_t *address)
{
    *address = trap->address;
    *code = SI_KERNEL;
    switch (trap->frame->cause >> 2 & 31) {
    case 4:
    case 5:
        if (trap->address >= 1ull << 40) {
            *code = SEGV_MAPERR;
            return SIGSEGV;
        }
        *code = BUS_ADRALN;
        return SIGBUS;
    case 6:
    case 7:
        *code = BUS_ADRERR;
        return SIGBUS;
    case 9:
        return signal_frame_mips_break_signal(trap, true, code);
    case 13:
        return signal_frame_mips_break_signal(trap, false, code);
    case 12:
        *code = FPE_INTOVF;
        return SIGFPE;
    case 15:
        *code = signal_frame_mips_float_code();
        return SIGFPE;
    default:
        *code = ILL_ILLOPC;
        return SIGILL;
    }
}
