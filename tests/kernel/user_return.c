/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the way back to user mode: what a program's owner may give it there. */
#include <arch/frame.h>
#include <arch/user.h>
#include "kernel/cpu/cpu.h"
#include <sys/evcnt.h>
#include "kernel/cpu/cpu_share.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/user.h"
#include "lib/string.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/until.h"
#include "tests/kernel/user_program.h"
#include "tests/kernel/user_run.h"

#define ROUNDS 200u
#define WORD   0x1234567890abcdeful

/* A first call; then what the thread pointer tells. */
#ifdef __mips__
USER_PROGRAM(pointer, "syscall; .word 0x7c02e83b\n" /* rdhwr $2, $29; and in a delay slot */
                      "b 1f; .word 0x7c03e83b; 1: daddu $2, $2, $3; syscall; nop");
USER_PROGRAM(call_and_break, "syscall; break; nop");
USER_PROGRAM(forever, "1: b 1b; nop");
USER_PROGRAM(store_all, "syscall; mtc1 $0, $f0; syscall\n"
                        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,"
                        "23,24,25,26,27,28,29,30,31\n sdc1 $f\\n, \\n * 8($4)\n.endr\n"
                        "syscall; nop");
#define STORED    (32 * 8u)
#define EXPECTED  (2 * USER_DATA)
#define EMULATED  2u /* `rdhwr` */
#define PREPARING 2u /* calls before the last one */
#else
USER_PROGRAM(pointer, "syscall; movq %fs:0, %rax; syscall");
USER_PROGRAM(again, "1: syscall; jmp 1b");
USER_PROGRAM(call_and_break, "syscall; ud2");
USER_PROGRAM(forever, "1: jmp 1b");
USER_PROGRAM(store_all, "syscall; .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
                        "movups %xmm\\n, \\n * 16(%rdi)\n.endr\n syscall");
#define STORED    (16 * 16u)
#define EXPECTED  WORD
#define EMULATED  0u
#define PREPARING 1u
#endif

static uint64_t user_return_counter(const char *name)
{
    const struct evcnt *ev = evcnt_lookup(cpu_group(), name);

    return ev ? evcnt_value(ev) : 0;
}

static int run_once(const struct user_program *program, struct user_run *run)
{
    int result;

    SELFTEST_CHECK(user_program_load(program, true) == 0);
    *(uint64_t *)user_program_data() = WORD;
    result = user_enter(run);
    return result;
}

/* At the first call; false at the second, which ends the run. */
static bool set_pointer(struct user_run *run, struct trap_frame *frame)
{
    unsigned *calls = run->more;

    (void)frame;
    user_state_set_tls(thread_user_state(), USER_DATA);
    thread_user_state_changed();
    return ++*calls == 1;
}

SELFTEST(user_tls, "user-tls", "a program finds its thread pointer")
{
    unsigned calls = 0;
    struct user_run run = {.pc = USER_CODE, .sp = USER_DATA, .call = set_pointer, .more = &calls};
    uint64_t reserved = user_return_counter("reserved instruction");
    int result = run_once(&pointer, &run);

    user_program_unload();
    SELFTEST_EQUAL(result, 0);
    SELFTEST_CHECK(run.called);
    SELFTEST_EQUAL(run.result, EXPECTED);
    SELFTEST_EQUAL(user_return_counter("reserved instruction") - reserved, EMULATED);
    return 0;
}

/* Bits that no CPU would load come from a program too. */
static bool set_area(struct user_run *run, struct trap_frame *frame)
{
    static uint8_t ones[16384];
    unsigned *calls = run->more;
    size_t size;

    (void)frame;
    user_state_area(thread_user_state(), &size);
    memset(ones, 0xff, sizeof ones);
    if (size > sizeof ones || user_state_set_area(thread_user_state(), ones, 256))
        return false; /* too short for anybody */
    if (!user_state_set_area(thread_user_state(), ones, size))
        return false;
    thread_user_state_changed();
    return ++*calls <= PREPARING;
}

SELFTEST(user_area, "user-area",
         "floating point that a program's owner gives it is loaded, whatever it is")
{
    unsigned calls = 0, wrong = 0;
    struct user_run run = {.pc = USER_CODE,
                           .sp = USER_DATA + USER_SIZE,
                           .argument = USER_DATA + 64,
                           .call = set_area,
                           .more = &calls};
    int result = run_once(&store_all, &run);
    const uint8_t *stored = (const uint8_t *)user_program_data() + 64;

    for (unsigned i = 0; i < STORED; i++)
        wrong += stored[i] != 0xff;
    user_program_unload();
    SELFTEST_EQUAL(result, 0);
    SELFTEST_CHECK(run.called);
    SELFTEST_EQUAL(calls, PREPARING + 1);
    SELFTEST_EQUAL(wrong, 0);
    return 0;
}

/* Every register of a program, with ones where it may not choose them, but its place. */
static bool spoil(struct user_run *run, struct trap_frame *frame)
{
    struct trap_frame own = *frame;

    (void)run;
    memset(frame, 0xff, sizeof *frame);
    trap_frame_set_pc(frame, trap_frame_pc(&own));
#ifndef __mips__
    frame->rflags &= ~0x40100ull; /* TF, AC: it would stop at once */
#endif
    user_frame_sanitize(frame, &own);
    return true;
}

static bool see_all(struct user_run *run, const struct trap *trap)
{
    *(struct trap_frame *)run->more = *trap->frame;
    return false;
}

SELFTEST(user_sanitized, "user-sanitized",
         "a frame full of ones goes to user mode as a program's, with its interrupts on")
{
    struct trap_frame seen = {0};
    struct user_run run = {
        .pc = USER_CODE, .sp = USER_DATA, .call = spoil, .exception = see_all, .more = &seen};
    int result = run_once(&call_and_break, &run);

    user_program_unload();
    SELFTEST_EQUAL(result, 0);
    SELFTEST_CHECK(!run.called);
    SELFTEST_CHECK(trap_frame_is_user(&seen));
    SELFTEST_CHECK(trap_frame_interrupts(&seen));
#ifdef __mips__
    SELFTEST_EQUAL(seen.status & 0xffff0000, 0);
    for (unsigned n = 1; n < 32; n++)
        SELFTEST_CHECK(seen.reg[n] == UINT64_MAX || n == 26 || n == 27); /* k0, k1 */
#else
    /* All flags of a program but TF, AC; RF is the exception's own; IF and bit 1. */
    SELFTEST_EQUAL(seen.rflags, 0x210ed7);
    SELFTEST_EQUAL(seen.r15, UINT64_MAX);
#endif
    return 0;
}

#ifndef __mips__
/* What iretq itself refuses: a segment that is none. */
static bool break_segment(struct user_run *run, struct trap_frame *frame)
{
    if (++*(unsigned *)run->more > ROUNDS)
        return false;
    frame->rbx = *(unsigned *)run->more;
    frame->cs = 0x7b;
    return true;
}

static bool mend_segment(struct user_run *run, const struct trap *trap)
{
    if (trap->frame->cs != 0x7b || trap->frame->rbx != *(unsigned *)run->more || !trap->user)
        return false;
    trap->frame->cs = 0x33;
    return true;
}

SELFTEST(user_refused, "user-refused",
         "a frame that the CPU refuses is the program's exception, and it can go on after it")
{
    unsigned calls = 0;
    struct user_run run = {
        .pc = USER_CODE, .call = break_segment, .exception = mend_segment, .more = &calls};
    uint64_t protections = user_return_counter("general protection");
    int result = run_once(&again, &run);

    user_program_unload();
    SELFTEST_EQUAL(result, 0);
    SELFTEST_CHECK(run.called);
    SELFTEST_EQUAL(calls, ROUNDS + 1);
    SELFTEST_EQUAL(user_return_counter("general protection") - protections, ROUNDS);
    return 0;
}
#endif

static volatile unsigned taken;
static volatile bool ended;

static bool user_return_take(struct user_run *run, struct trap_frame *frame)
{
    (void)run;
    if (!trap_frame_is_user(frame) || !thread_interruption_take())
        return false;
    taken++;
    return taken < ROUNDS;
}

static void run_forever(void *argument)
{
    thread_set_aspace(user_program_space());
    user_enter(argument);
    ended = true;
}

/* On the last CPU, and on several its own interrupts say that it was called, not found by a tick.
 * Where the host is late a tick now and then comes first, and the next call finds the last one's
 * interrupt still pending: two calls, one interrupt.
 */
SELFTEST(user_interrupted, "user-interrupted",
         "a program that only turns is interrupted, each time, on its way back to user mode")
{
    struct user_run run = {.pc = USER_CODE, .sp = USER_DATA, .interrupted = user_return_take};
    const struct evcnt *pokes = evcnt_lookup("cpu", "reschedule");
    unsigned cpu = cpu_count() - 1, sent = 0, reached;
    uint64_t before, poked, end = until_deadline();
    struct thread *thread;

    SELFTEST_CHECK(user_program_load(&forever, true) == 0);
    taken = 0;
    ended = false;
    SELFTEST_EQUAL(thread_create("turns", THREAD_PRIORITY_NORMAL, run_forever, &run, &thread), 0);
    SELFTEST_EQUAL(thread_set_affinity(thread, 1u << cpu), 0);
    thread_sleep(20000000);
    before = pokes ? evcnt_cpu_value(pokes, cpu) : 0;
    while (taken < ROUNDS && !ended && clock_now() < end) {
        thread_interrupt(thread);
        sent++;
        if (cpu == 0)
            thread_yield();
        else if (!until_at_least(&taken, sent))
            break;
    }
    reached = taken;
    if (reached < ROUNDS)
        user_program_unmap(); /* that ends it */
    poked = pokes ? evcnt_cpu_value(pokes, cpu) - before : 0;
    thread_join(thread);
    user_program_unload();
    SELFTEST_EQUAL(reached, ROUNDS);
    SELFTEST_CHECK(cpu == 0 || poked >= sent / 2);
    return 0;
}
