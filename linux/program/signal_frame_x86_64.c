/* SPDX-License-Identifier: BSD-2-Clause */
/* Signal frames as Linux lays them on x86_64 (its asm/sigcontext.h, asm/ucontext.h), and what
 * exceptions mean (Intel SDM volume 3, 6.15). */
#include <arch/user.h>
#include "kernel/memory/kmem.h"
#include "kernel/thread/user.h"
#include "kernel/vm/vm_fault.h"
#include "lib/string.h"
#include "linux/program/call.h"
#include "linux/program/machine.h"

#define RED_ZONE         128u
#define FXSAVE_SIZE      512u
#define XSTATE_MAGIC1    0x46505853u
#define XSTATE_MAGIC2    0x46505845u
#define SOFTWARE_AT      464u /* in the FXSAVE area: what the kernel may use */
#define UC_FP_XSTATE     1u
#define UC_SIGCONTEXT_SS 2u
#define UC_STRICT_SS     4u

struct frame_context {
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip,
        rflags;
    uint16_t cs, gs, fs, ss;
    uint64_t error, trap, old_mask, address, float_state, reserved[8];
};

struct frame_ucontext {
    uint64_t flags, link;
    struct abi_stack stack;
    struct frame_context context;
    uint64_t mask[ABI_SIGNAL_WORDS];
};

struct frame_signal {
    uint64_t restorer;
    struct frame_ucontext uc;
    struct abi_siginfo info;
};

struct frame_software {
    uint32_t magic1, extended_size;
    uint64_t features;
    uint32_t size, padding[7];
};

static void frame_context_fill(struct frame_context *to, const struct trap_frame *from)
{
    *to = (struct frame_context){
        .r8 = from->r8,
        .r9 = from->r9,
        .r10 = from->r10,
        .r11 = from->r11,
        .r12 = from->r12,
        .r13 = from->r13,
        .r14 = from->r14,
        .r15 = from->r15,
        .rdi = from->rdi,
        .rsi = from->rsi,
        .rbp = from->rbp,
        .rbx = from->rbx,
        .rdx = from->rdx,
        .rax = from->rax,
        .rcx = from->rcx,
        .rsp = from->rsp,
        .rip = from->rip,
        .rflags = from->rflags,
        .cs = (uint16_t)from->cs,
        .ss = (uint16_t)from->ss,
    };
    if (from->vector < 32) {
        to->trap = from->vector;
        to->error = from->error;
    }
}

static void frame_context_take(struct trap_frame *to, const struct frame_context *from)
{
    to->r8 = from->r8;
    to->r9 = from->r9;
    to->r10 = from->r10;
    to->r11 = from->r11;
    to->r12 = from->r12;
    to->r13 = from->r13;
    to->r14 = from->r14;
    to->r15 = from->r15;
    to->rdi = from->rdi;
    to->rsi = from->rsi;
    to->rbp = from->rbp;
    to->rbx = from->rbx;
    to->rdx = from->rdx;
    to->rax = from->rax;
    to->rcx = from->rcx;
    to->rsp = from->rsp;
    to->rip = from->rip;
    to->rflags = from->rflags;
}

/* The floating-point area at AT, which is aligned to 64: false, if there is no memory. */
static bool frame_float_out(uint64_t at)
{
    uint32_t magic2 = XSTATE_MAGIC2;
    struct frame_software software;
    size_t size;
    const char *area = user_state_area(thread_user_state(), &size);

    memset(&software, 0, sizeof software);
    if (size > FXSAVE_SIZE) {
        software.magic1 = XSTATE_MAGIC1;
        software.extended_size = (uint32_t)size + (uint32_t)sizeof magic2;
        software.size = (uint32_t)size;
        software.features = user_state_features();
    }
    return copyout(area, (void *)at, size) == 0 &&
           copyout(&software, (void *)(at + SOFTWARE_AT), sizeof software) == 0 &&
           (size == FXSAVE_SIZE || copyout(&magic2, (void *)(at + size), sizeof magic2) == 0);
}

static bool frame_float_in(uint64_t at)
{
    size_t size, whole;
    struct frame_software software;
    struct user_state *state = thread_user_state();
    char *area;
    bool good;

    if (at == 0) {
        uint64_t tls = user_state_tls(state);

        user_state_reset(state);
        user_state_set_tls(state, tls);
        thread_user_state_changed();
        return true;
    }
    user_state_area(state, &whole);
    if (copyin((const void *)(at + SOFTWARE_AT), &software, sizeof software) != 0)
        return false;
    size = software.magic1 == XSTATE_MAGIC1 && software.size == whole ? whole : FXSAVE_SIZE;
    area = kmem_alloc(size);
    good =
        area && copyin((const void *)at, area, size) == 0 && user_state_set_area(state, area, size);
    kmem_free(area);
    thread_user_state_changed();
    return good;
}

/* With what aligns its parts, see signal_frame_push. */
uint64_t abi_signal_frame_most(void)
{
    size_t size;

    user_state_area(thread_user_state(), &size);
    return (sizeof(struct frame_signal) + 8 + 15 + size + sizeof(uint32_t) + 63 + 15 + 15) & ~15ull;
}

bool signal_frame_push(struct trap_frame *frame, struct task *task, int signal,
                       const struct signal_action *action, const struct abi_siginfo *info,
                       const struct signal_set *mask)
{
    uint64_t sp = signal_frame_place(task, action, frame->rsp - RED_ZONE), float_at;
    struct frame_signal *out;
    size_t size;
    bool good;

    if (!(action->flags & SA_RESTORER))
        return false;
    if (sp != frame->rsp - RED_ZONE)
        sp &= ~15ull;
    user_state_area(thread_user_state(), &size);
    float_at = (sp - size - sizeof(uint32_t)) & ~63ull;
    sp = ((float_at - sizeof *out) & ~15ull) - 8;
    out = kmem_zalloc(sizeof *out);
    if (!out)
        return false;
    out->restorer = action->restorer;
    out->uc.flags = UC_SIGCONTEXT_SS | UC_STRICT_SS | (size > FXSAVE_SIZE ? UC_FP_XSTATE : 0);
    signal_frame_stack_out(task, frame->rsp, &out->uc.stack);
    frame_context_fill(&out->uc.context, frame);
    out->uc.context.float_state = float_at;
    if (info->head.code > 0 && (signal == SIGSEGV || signal == SIGBUS))
        out->uc.context.address = info->fault.address;
    out->uc.context.old_mask = mask->word[0];
    out->uc.mask[0] = mask->word[0];
    out->info = *info;
    good = frame_float_out(float_at) && copyout(out, (void *)sp, sizeof *out) == 0;
    kmem_free(out);
    if (!good)
        return false;
    frame->rsp = sp;
    frame->rip = action->handler;
    frame->rdi = (uint64_t)signal;
    frame->rsi = sp + __builtin_offsetof(struct frame_signal, info);
    frame->rdx = sp + __builtin_offsetof(struct frame_signal, uc);
    frame->rax = 0;
    frame->rflags &= ~0x10500ull;    /* DF, TF, RF */
    frame->vector = FRAME_CALL_GATE; /* not by sysret: rcx and r11 are the program's */
    return true;
}

bool signal_frame_pop(struct trap_frame *frame, struct task *task)
{
    struct frame_ucontext uc;
    struct trap_frame new = *frame;
    struct signal_set mask;

    if (copyin((const void *)frame->rsp, &uc, sizeof uc) != 0 ||
        !frame_float_in(uc.context.float_state))
        return false;
    frame_context_take(&new, &uc.context);
    user_frame_sanitize(&new, frame);
    new.vector = FRAME_CALL_GATE;
    *frame = new;
    mask.word[0] = uc.mask[0];
    signal_set_mask(task, &mask);
    if (!(uc.stack.flags & SS_ONSTACK))
        task->alternate = uc.stack;
    else
        task->alternate.flags &= ~SS_ONSTACK;
    return true;
}

CALL(rt_sigreturn)
{
    if (!signal_frame_pop(frame, task_current()))
        signal_force(SIGSEGV, SI_KERNEL, 0);
    return -CALL_KEEP;
}

uint64_t signal_frame_stack(const struct trap_frame *frame)
{
    return frame->rsp;
}

/* x87's or SSE's flags: which of the exceptions that are not masked it was. */
static int signal_frame_x86_64_float_code(bool sse)
{
    size_t size;
    const uint8_t *area = user_state_area(thread_user_state(), &size);
    uint32_t flags, mask;

    if (sse) {
        memcpy(&flags, area + 24, sizeof flags);
        mask = flags >> 7;
    } else {
        mask = (uint32_t)(area[0] | area[1] << 8);
        flags = (uint32_t)(area[2] | area[3] << 8);
    }
    flags &= ~mask & 0x3f;
    return flags & 1      ? FPE_FLTINV
           : flags & 4    ? FPE_FLTDIV
           : flags & 8    ? FPE_FLTOVF
           : flags & 0x12 ? FPE_FLTUND
           : flags & 0x20 ? FPE_FLTRES
                          : 0;
}

int signal_of_trap(const struct trap *trap, int *code, uint64_t *address)
{
    const struct trap_frame *frame = trap->frame;

    *address = frame->rip;
    *code = SI_KERNEL;
    switch (frame->vector) {
    case 0:
        *code = FPE_INTDIV;
        return SIGFPE;
    case 1:
        *code = TRAP_TRACE;
        return SIGTRAP;
    case 3:
        *address = 0;
        return SIGTRAP;
    case 6:
        *code = ILL_ILLOPC + 1; /* ILL_ILLOPN, as Linux says for ud2 and its like */
        return SIGILL;
    case 16:
    case 19:
        *code = signal_frame_x86_64_float_code(frame->vector == 19);
        return SIGFPE;
    case 17:
        *code = BUS_ADRALN;
        *address = 0;
        return SIGBUS;
    case 12:
        *address = 0;
        return SIGBUS;
    default:
        *address = 0;
        return SIGSEGV;
    }
}
