/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions of x86_64 (Intel SDM volume 3, chapter 6): their names, counters and frames. */
#include "kernel/interrupt/trap.h"
#include "arch/x86_64/descriptor.h"
#include "arch/x86_64/evcnt_cells.h"
#include "arch/x86_64/machine_check.h"
#include "arch/x86_64/smp.h"
#include "arch/x86_64/step.h"
#include "arch/x86_64/trap_code.h"
#include "arch/x86_64/vector.h"
#include <arch/cpu.h>
#include <arch/frame.h>
#include <arch/trap.h>
#include "kernel/cpu/cpu_share.h"
#include "kernel/console/panic_report.h"
#include "kernel/base/symbol.h"
#include "kernel/thread/thread.h"
#include "lib/section.h"
#include "lib/string.h"

#define EXCEPTIONS         32
#define KERNEL_CODE        8
#define RET                0xc3
#define CALL               0xe8
#define JUMP               0xe9
#define PUSH_RBP           0x55
#define PROLOGUE           64 /* bytes from its beginning in which a function makes its frame */
#define SAVED_MAX          7  /* registers that a function may save before it calls others */
#define DEBUG              1
#define NMI                2
#define DOUBLE_FAULT       8
#define GENERAL_PROTECTION 13
#define PAGE_FAULT         14
#define MACHINE_CHECK      18
#define ERROR_PRESENT      0x1u /* of a page fault (Intel SDM volume 3, 4.7) */
#define ERROR_WRITE        0x2u
#define ERROR_FETCH        0x10u
#define TRAP(name)         EVCNT_INITIALIZER(EVCNT_TYPE_TRAP, NULL, "cpu0", name)
#define RESERVED_TRAP      TRAP(reserved)

static const char reserved[] = "reserved exception";

static SHARED_DATA struct evcnt traps[EXCEPTIONS] = {
    TRAP("divide error"),
    TRAP("debug"),
    TRAP("NMI"),
    TRAP("breakpoint"),
    TRAP("overflow"),
    TRAP("bound range"),
    TRAP("invalid opcode"),
    TRAP("no FPU"),
    TRAP("double fault"),
    TRAP("coprocessor overrun"),
    TRAP("invalid TSS"),
    TRAP("segment not present"),
    TRAP("stack fault"),
    TRAP("general protection"),
    TRAP("page fault"),
    RESERVED_TRAP,
    TRAP("FPU error"),
    TRAP("alignment check"),
    TRAP("machine check"),
    TRAP("SIMD error"),
    TRAP("virtualization"),
    TRAP("control protection"),
    RESERVED_TRAP,
    RESERVED_TRAP,
    RESERVED_TRAP,
    RESERVED_TRAP,
    RESERVED_TRAP,
    RESERVED_TRAP,
    TRAP("hypervisor injection"),
    TRAP("VMM communication"),
    TRAP("security"),
    RESERVED_TRAP,
};

/* Page faults at an address without a translation, and those that a translation does not allow. */
static struct evcnt absent =
    EVCNT_INITIALIZER(EVCNT_TYPE_TRAP, &traps[PAGE_FAULT], "cpu0", "page fault absent");
static struct evcnt protection =
    EVCNT_INITIALIZER(EVCNT_TYPE_TRAP, &traps[PAGE_FAULT], "cpu0", "page fault protection");

static void trap_attach(struct evcnt *counter)
{
    counter->ev_group = cpu_group();
    evcnt_attach_static(counter);
    cpu_shares_attach(counter);
}

void trap_boot(void)
{
    for (unsigned i = 0; i < EXCEPTIONS; i++)
        if (traps[i].ev_name != reserved)
            trap_attach(&traps[i]);
    trap_attach(&traps[15]);
    trap_attach(&absent);
    trap_attach(&protection);
    trap_attach(&trap_system_calls);
}

static uint64_t trap_fault_address(void)
{
    uint64_t address;

    __asm__ volatile("movq %%cr2, %0" : "=r"(address));
    return address;
}

static bool trap_step(struct trap_frame *frame)
{
    (void)frame;
    return step_trap();
}

/* Of the reserved ones the one that counts, and others that stay 0. */
const struct evcnt *trap_counter(unsigned n)
{
    return n < EXCEPTIONS ? &traps[n] : n == EXCEPTIONS ? &trap_system_calls : NULL;
}

const struct evcnt *trap_memory_counter(enum trap_memory what, unsigned n)
{
    const struct evcnt *const counters[] = {
        [TRAP_MEMORY_ABSENT] = &absent,
        [TRAP_MEMORY_REFILL] = NULL,
        [TRAP_MEMORY_PROTECTED] = &protection,
    };

    return n == 0 ? counters[what] : NULL;
}

static bool trap_is_overrun(const struct thread *thread, uint64_t address)
{
    return thread && thread->stack && address < (uint64_t)thread->stack &&
           address >= (uint64_t)thread->stack - 4096;
}

static struct evcnt *trap_counter_of(uint64_t vector)
{
    if (vector == FRAME_CALL_GATE)
        return &trap_system_calls;
    return traps[vector].ev_name == reserved ? &traps[15] : &traps[vector];
}

/* Called by vector.S and user_trap. */
void exception_dispatch(struct trap_frame *frame);
void exception_dispatch(struct trap_frame *frame)
{
    struct trap trap = {.frame = frame,
                        .counter = trap_counter_of(frame->vector),
                        .address = frame->rip,
                        .user = trap_frame_is_user(frame),
                        .fatal = frame->vector == NMI || frame->vector == DOUBLE_FAULT ||
                                 frame->vector == MACHINE_CHECK};

    trap.cause = trap.counter->ev_name;
    if (frame->vector == DEBUG && !trap.user)
        trap.machine = trap_step;
    if (frame->vector == PAGE_FAULT) {
        trap.address = trap_fault_address();
        trap.translation = true;
        trap.part = frame->error & ERROR_PRESENT ? &protection : &absent;
        trap.write = (frame->error & ERROR_WRITE) != 0;
        trap.execute = (frame->error & ERROR_FETCH) != 0;
    } else if (frame->vector == DOUBLE_FAULT) {
        trap.address = trap_fault_address();
        if (trap_is_overrun(thread_current(), trap.address))
            trap.cause = "kernel stack overflow (double fault)";
    } else if (frame->vector == MACHINE_CHECK) {
        trap.cause = machine_check_cause(trap.cause, &trap.address);
    } else if (frame->vector == NMI && smp_stopping()) {
        panic_stopped(frame);
    }
    if ((frame->vector == PAGE_FAULT || frame->vector == GENERAL_PROTECTION) && !trap.user &&
        evcnt_fault(frame))
        return;
    trap_dispatch(&trap);
}

void trap_frame_print(const struct trap_frame *f)
{
    panic_printf("rax %016lx rbx %016lx rcx %016lx rdx %016lx\n", f->rax, f->rbx, f->rcx, f->rdx);
    panic_printf("rsi %016lx rdi %016lx rbp %016lx rsp %016lx\n", f->rsi, f->rdi, f->rbp, f->rsp);
    panic_printf("r8  %016lx r9  %016lx r10 %016lx r11 %016lx\n", f->r8, f->r9, f->r10, f->r11);
    panic_printf("r12 %016lx r13 %016lx r14 %016lx r15 %016lx\n", f->r12, f->r13, f->r14, f->r15);
    panic_printf("rip %016lx rflags %08lx cs %02lx error %lx cr2 %016lx\n", f->rip, f->rflags,
                 f->cs, f->error, trap_fault_address());
}

bool trap_is_return_to_caller(uintptr_t address, uintptr_t function)
{
    uintptr_t call = address - 5, called, start, end, to;

    if (!symbol_range(call, &start, &end))
        return false;
    called = trap_next_call(&call, address);
    if (called == function)
        return true;
    if (called == 0 || !symbol_range(called, &start, &end) || called != start)
        return false;
    do
        to = trap_next_call(&start, end);
    while (to != 0 && (to != function || ((const uint8_t *)start)[-1] != JUMP));
    return to != 0;
}

/* Whether ADDRESS follows a call through a register or memory: ff /2 (SDM volume 2, CALL), perhaps
 * after a REX prefix. */
static bool trap_is_return_to_pointer_call(uintptr_t address)
{
    static const uint8_t sizes[4] = {2, 3, 6, 2}; /* by mod, without a SIB byte */
    uintptr_t offset;

    if (!symbol_find(address, &offset) || offset < 7)
        return false;
    for (unsigned size = 2; size <= 7; size++) {
        const uint8_t *code = (const uint8_t *)address - size;
        unsigned left = size, mod;

        if ((*code & 0xf0) == 0x40) {
            code++;
            left--;
        }
        mod = code[1] >> 6;
        if (code[0] != 0xff || (code[1] >> 3 & 7) != 2)
            continue;
        if (mod == 0 && (code[1] & 7) == 5) /* relative to RIP */
            mod = 2;
        if (left == sizes[mod] + (mod != 3 && (code[1] & 7) == 4 ? 1u : 0))
            return true;
    }
    return false;
}

const uint8_t *trap_find_frame(const uint8_t *start, const uint8_t *end, const uint8_t **push)
{
    *push = NULL;
    for (const uint8_t *code = start; code + 3 <= end && code < start + PROLOGUE; code++) {
        if (*code == PUSH_RBP)
            *push = code;
        else if (*push && code[0] == 0x48 && code[1] == 0x89 && code[2] == 0xe5)
            return code;
    }
    return NULL;
}

/*
 * Where a function that was stopped at RIP returns to, if RBP is still, or again, its caller's: at
 * its beginning and end (`push %rbp; mov %rsp, %rbp` ... `pop %rbp; ret`), and in functions without
 * a frame. There the return address lies behind a few saved registers, and follows a call of this
 * very function, or it is the first word, and follows a call through a pointer. 0: RBP is the
 * function's own.
 */
static uintptr_t trap_bare_return(uintptr_t rip, uintptr_t rsp, uintptr_t rbp)
{
    const uintptr_t *sp = (const uintptr_t *)rsp, *own = (const uintptr_t *)rbp;
    const uint8_t *frame, *push;
    uintptr_t start, end;

    if (!symbol_range(rip, &start, &end) || !thread_on_stack(rsp))
        return 0;
    if (rip == start || *(const uint8_t *)rip == RET)
        return sp[0];
    frame = trap_find_frame((const uint8_t *)start, (const uint8_t *)end, &push);
    if (frame && rip <= (uintptr_t)frame)
        return sp[rip > (uintptr_t)push];
    if (frame && thread_on_stack(rbp + 8) && trap_is_return_to_caller(own[1], start))
        return 0;
    if (frame && (uintptr_t)push == start) /* given up some instructions before ret? */
        return trap_is_return_to_caller(sp[0], start) ? sp[0] : 0;
    for (unsigned i = 0; i < SAVED_MAX && thread_on_stack((uintptr_t)(sp + i)); i++) {
        if ((uintptr_t)(sp + i) == rbp + 8)
            return 0;
        if (trap_is_return_to_caller(sp[i], start))
            return sp[i];
    }
    return trap_is_return_to_pointer_call(sp[0]) ? sp[0] : 0;
}

void trap_backtrace(const struct trap_frame *frame, bool (*visit)(void *, uintptr_t),
                    void *argument)
{
    const uintptr_t *pointer = frame ? (const uintptr_t *)frame->rbp : __builtin_frame_address(0);
    uintptr_t from = frame ? trap_bare_return(frame->rip, frame->rsp, frame->rbp) : 0;

    if (frame && (!visit(argument, frame->rip) || (from && !visit(argument, from - 1))))
        return;
    while (thread_on_stack((uintptr_t)pointer)) {
        const uintptr_t *next = (const uintptr_t *)pointer[0];

        if (!pointer[1] || !visit(argument, pointer[1] - 1) || next <= pointer)
            return;
        pointer = next;
    }
}

/* A vector, kernel text, the kernel's code segment, and the address right above the frame, which
 * the CPU had aligned; or the user's segments. */
static bool trap_is_interrupt_frame(const struct interrupt_frame *frame)
{
    uintptr_t offset;

    if (!thread_on_stack((uintptr_t)&frame->ss) || frame->vector < EXCEPTIONS ||
        frame->vector >= VECTORS)
        return false;
    if (frame->cs == USER_CODE_SEGMENT)
        return frame->ss == USER_DATA_SEGMENT;
    return frame->cs == KERNEL_CODE && frame->rsp - (uintptr_t)(frame + 1) < 16 &&
           symbol_find(frame->rip, &offset);
}

/*
 * Some handlers use RBP for other things, so the frame is looked for word by word: but only from
 * where their callees' frames end on. Below, what nobody has written yet may be an earlier
 * interrupt's.
 */
const struct interrupt_frame *trap_interrupt_frame(const void *from)
{
    const uintptr_t *word = from;

    if (!thread_in_interrupt())
        return NULL;
    while (!trap_is_interrupt_frame((const void *)word) && *word > (uintptr_t)word &&
           thread_on_stack(*word))
        word = (const uintptr_t *)*word;
    while (thread_on_stack((uintptr_t)word) && !trap_is_interrupt_frame((const void *)word))
        word++;
    return thread_on_stack((uintptr_t)word) ? (const void *)word : NULL;
}

/* What was interrupted in the middle of another interrupt's handler ends the chain there. */
void trap_backtrace_interrupted(bool (*visit)(void *, uintptr_t), void *argument)
{
    const struct interrupt_frame *frame = trap_interrupt_frame(__builtin_frame_address(0));
    const uintptr_t *pointer;
    uintptr_t from;

    if (!frame || frame->cs != KERNEL_CODE)
        return;
    from = trap_bare_return(frame->rip, frame->rsp, frame->rbp);
    if (!visit(argument, frame->rip) || (from && !visit(argument, from - 1)))
        return;
    pointer = (const uintptr_t *)frame->rbp;
    while (thread_on_stack((uintptr_t)(pointer + 1)) && (uintptr_t)pointer >= frame->rsp) {
        const uintptr_t *next = (const uintptr_t *)pointer[0];

        if (!pointer[1] || !visit(argument, pointer[1] - 1) || next <= pointer)
            return;
        pointer = next;
    }
}

/* Byte by byte: that something else looks like a call of a function is most unlikely. */
uintptr_t trap_next_call(uintptr_t *at, uintptr_t end)
{
    for (; *at + 5 <= end; ++*at) {
        const uint8_t *code = (const uint8_t *)*at;
        int32_t distance;

        if (code[0] != CALL && code[0] != JUMP)
            continue;
        __builtin_memcpy(&distance, code + 1, sizeof distance);
        return ++*at + 4 + (uintptr_t)(intptr_t)distance;
    }
    return 0;
}
