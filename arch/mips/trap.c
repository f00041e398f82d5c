/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions of MIPS (MIPS R10000 User's Manual 14.14 and chapter 17): names, counters, frames,
 * stack walking. */
#include "kernel/interrupt/trap.h"
#include <arch/cpu.h>
#include <arch/frame.h>
#include <arch/trap.h>
#include <machine/register.h>
#include "arch/mips/trap.h"
#include "arch/mips/vector.h"
#include "kernel/console/panic_report.h"
#include "kernel/base/symbol.h"
#include "kernel/thread/thread.h"

#define CODES      32
#define TRAP(name) EVCNT_INITIALIZER(EVCNT_TYPE_TRAP, NULL, "cpu0", name)
#define GUARD      0x2000 /* bytes below a stack, see tlb.c */
/* Codes 1 to 5, TLB and address errors: those that set BadVAddr (14.13 in the manual). After all
 * others it holds what the last one of these has left. */
#define SETS_BADVADDR 0x3eu

#define TLB_MODIFIED 1
#define TLB_LOAD     2
#define TLB_STORE    3
#define RESERVED     10
#define COPROCESSOR  11

extern const char kernel_text_start[], kernel_text_end[];
extern const struct trap_frame exception_frame[];

static const char reserved[] = "reserved exception";

static struct evcnt traps[CODES] = {
    TRAP(reserved), /* 0: an interrupt, no exception */
    TRAP("TLB modified"),
    TRAP("TLB load"),
    TRAP("TLB store"),
    TRAP("address error load"),
    TRAP("address error store"),
    TRAP("bus error fetch"),
    TRAP("bus error data"),
    TRAP(reserved), /* a system call: trap_system_calls */
    TRAP("breakpoint"),
    TRAP("reserved instruction"),
    TRAP("coprocessor unusable"),
    TRAP("overflow"),
    TRAP("trap instruction"),
    TRAP("virtual coherency"),
    TRAP("floating point"),
    TRAP(reserved),
    TRAP(reserved),
    TRAP("coprocessor 2"),
    TRAP(reserved),
    TRAP(reserved),
    TRAP(reserved),
    TRAP("MDMX"),
    TRAP("watch"),
    TRAP("machine check"),
    TRAP(reserved),
    TRAP(reserved),
    TRAP(reserved),
    TRAP(reserved),
    TRAP(reserved),
    TRAP("cache error"),
    TRAP(reserved),
};

static struct evcnt nmi = TRAP("NMI");

static struct evcnt *trap_counter_of(unsigned code)
{
    if (code == TRAP_CALL)
        return &trap_system_calls;
    return traps[code].ev_name == reserved ? &traps[0] : &traps[code];
}

void trap_boot(void)
{
    for (unsigned i = 1; i < CODES; i++)
        if (i == TRAP_CALL || traps[i].ev_name != reserved)
            evcnt_attach_static(trap_counter_of(i));
    evcnt_attach_static(&traps[0]);
    evcnt_attach_static(&nmi);
}

extern struct evcnt tlb_refills; /* tlb.c, for vector.S */

/* Of the reserved ones the one that counts, and others that stay 0. */
const struct evcnt *trap_counter(unsigned n)
{
    const struct evcnt *const more[] = {&trap_system_calls, &tlb_refills, &nmi};

    return n < CODES ? &traps[n] : n < CODES + 3 ? more[n - CODES] : NULL;
}

const struct evcnt *trap_memory_counter(enum trap_memory what, unsigned n)
{
    const struct evcnt *const counters[][2] = {
        [TRAP_MEMORY_ABSENT] = {&traps[TLB_LOAD], &traps[TLB_STORE]},
        [TRAP_MEMORY_REFILL] = {&tlb_refills},
        [TRAP_MEMORY_PROTECTED] = {&traps[TLB_MODIFIED]},
    };

    return n < 2 ? counters[what][n] : NULL;
}

static bool trap_is_overrun(const struct thread *thread, uint64_t address)
{
    return thread && thread->stack && (uintptr_t)thread->stack - address - 1 < GUARD;
}

/* Called by vector.S and user_trap. */
void exception_dispatch(struct trap_frame *frame)
{
    unsigned code = frame->cause >> 2 & 31;
    struct trap trap = {.frame = frame,
                        .counter = trap_counter_of(code),
                        .address = frame->badvaddr,
                        .user = trap_frame_is_user(frame),
                        .translation = code >= TLB_MODIFIED && code <= TLB_STORE,
                        .write = code == TLB_MODIFIED || code == TLB_STORE};

    trap.cause = trap.counter->ev_name;
    if (!(SETS_BADVADDR >> code & 1)) {
        trap.address = frame->epc + (frame->cause & CAUSE_BD ? 4 : 0);
    } else if (!trap.user && trap_is_overrun(thread_current(), trap.address)) {
        trap.cause = "kernel stack overflow";
        trap.fatal = true;
    }
    if (frame == exception_frame) /* on no thread's stack: there is no way back */
        trap.fatal = true;
    trap.execute = code == TLB_LOAD && trap.user && trap.address - frame->epc <= 4;
    if (code == COPROCESSOR && trap.user && (frame->cause & CAUSE_CE) == CAUSE_CE1)
        trap.machine = user_first_float;
    if (code == RESERVED && trap.user)
        trap.machine = user_thread_pointer;
    trap_dispatch(&trap);
}

/* Called by vector.S: EPC is where the CPU was. */
void exception_nmi(struct trap_frame *frame)
{
    struct trap trap = {.frame = frame,
                        .counter = &nmi,
                        .cause = nmi.ev_name,
                        .address = frame->epc,
                        .fatal = true};

    trap_dispatch(&trap);
}

void trap_frame_print(const struct trap_frame *f)
{
    static const char names[32][3] = {"",   "at", "v0", "v1", "a0", "a1", "a2", "a3",
                                      "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3",
                                      "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7",
                                      "t8", "t9", "",   "",   "gp", "sp", "fp", "ra"};
    unsigned column = 0;

    for (unsigned i = 0; i < 32; i++)
        if (names[i][0])
            panic_printf("%s %016lx%c", names[i], f->reg[i], ++column % 4 ? ' ' : '\n');
    panic_printf("hi %016lx lo %016lx\n", f->hi, f->lo);
    panic_printf("epc %016lx status %08lx cause %08lx badvaddr %016lx\n", f->epc,
                 f->status & 0xffffffff, f->cause & 0xffffffff, f->badvaddr);
}

/*
 * Finds the caller: reads the function's beginning, up to PC, for the instruction that made the
 * frame (daddiu sp, sp, -size) and the one that saved ra (sd ra, offset(sp)). RA is used where the
 * function has not saved it, and where it has given its frame back (daddiu sp, sp, size): from
 * there to the jump that ends it, whose delay slot is told by the jump. False at the end.
 */
static bool trap_caller(uintptr_t *pc, uintptr_t *sp, uintptr_t *ra)
{
    uintptr_t offset;
    unsigned size = 0;
    long saved = -1;
    bool given_back = false, jumped = false;

    if (!symbol_find(*pc, &offset))
        return false;
    for (const uint32_t *at = (const uint32_t *)(*pc - offset); (uintptr_t)at < *pc; at++) {
        uint32_t word = *at;

        if ((word & 0xffff8000) == 0x67bd8000 && size == 0) /* daddiu sp, sp, -size */
            size = 0x10000 - (word & 0xffff);
        else if ((word & 0xffff8000) == 0xffbf0000 && size != 0) /* sd ra, offset(sp) */
            saved = word & 0x7fff;
        else if ((word & 0xffff8000) == 0x67bd0000) /* daddiu sp, sp, size */
            given_back = true;
        if (jumped)
            given_back = false;
        jumped = (word & 0xfc1fffff) == 0x00000008 || word >> 26 == 2; /* jr; j */
    }
    if (given_back) {
        size = 0;
        saved = -1;
    }
    if (saved >= 0 && thread_on_stack(*sp + (uintptr_t)saved))
        *ra = *(const uintptr_t *)(*sp + (uintptr_t)saved);
    *sp += size;
    *pc = *ra - 8; /* the call, not what follows it: that may be another function */
    *ra = 0;
    return *pc >= (uintptr_t)kernel_text_start && *pc < (uintptr_t)kernel_text_end;
}

void trap_backtrace(const struct trap_frame *frame, bool (*visit)(void *, uintptr_t),
                    void *argument)
{
    uintptr_t pc, sp, ra = 0;

    if (frame) {
        pc = frame->epc;
        sp = frame->reg[29];
        ra = frame->reg[31];
    } else {
        /* from here, of which the caller is the first to be shown */
        __asm__ volatile("dla %0, 1f\n1: move %1, $sp" : "=r"(pc), "=r"(sp));
        if (!trap_caller(&pc, &sp, &ra))
            return;
    }
    do {
        if (!visit(argument, pc))
            return;
    } while (trap_caller(&pc, &sp, &ra));
}

static bool trap_is_interrupt_vector(uintptr_t pc)
{
    return pc >= (uintptr_t)general_exception && pc < (uintptr_t)vector_interrupts_end;
}

/* general_exception has put struct interrupt_frame where its stack pointer is. What was interrupted
 * in the middle of another interrupt's handler ends the chain there: it did not call that handler.
 */
void trap_backtrace_interrupted(bool (*visit)(void *, uintptr_t), void *argument)
{
    uintptr_t pc, sp, ra = 0;
    bool found = false;

    __asm__ volatile("dla %0, 1f\n1: move %1, $sp" : "=r"(pc), "=r"(sp));
    while (trap_caller(&pc, &sp, &ra)) {
        if (trap_is_interrupt_vector(pc)) {
            const struct interrupt_frame *frame = (const void *)sp;

            if (found || !thread_on_stack(sp))
                return;
            pc = frame->epc;
            ra = frame->ra;
            sp += sizeof *frame;
            found = true;
        }
        if (found && !visit(argument, pc))
            return;
    }
}

uintptr_t trap_next_call(uintptr_t *at, uintptr_t end)
{
    while (*at + 4 <= end) {
        uint32_t word = *(const uint32_t *)*at;

        *at += 4;
        if (word >> 27 == 1) /* j, jal */
            return (*at & ~(uintptr_t)0xfffffff) | (word & 0x3ffffff) << 2;
    }
    return 0;
}
