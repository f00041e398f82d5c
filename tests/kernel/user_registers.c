/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of programs that lose their CPU to each other, and change it, and keep every register; and
 * of what a system call leaves in registers. They are looked at in an exception. */
#include <arch/frame.h>
#include "kernel/cpu/cpu.h"
#include "kernel/lock/spinlock.h"
#include "kernel/thread/thread.h"
#include "tests/kernel/crowd.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/user_program.h"
#include "tests/kernel/user_run.h"

#define PROGRAMS 6u
#define SLICE    64u /* of the data, for each: how many turns are left */
#define TURNS    1000000ul
#define CALLS    200u
#define LOST     5u /* times that each is to lose its CPU */

/* Each of the words of a frame is a register of its own, but for the last ones. */
#ifdef __mips__
#define REGISTERS      34u /* 0, k0 and k1 hold nothing; v0 turns; a0 is the slice; hi, lo */
#define IS_FREE(n)     ((n) != 0 && (n) != 26 && (n) != 27 && (n) != 2 && (n) != 4)
#define SLICE_REGISTER 4
#define EXCEPTION_SIZE 4
USER_PROGRAM(turns, "1: ld $2, 0($4); daddiu $2, $2, -1; bnez $2, 1b; sd $2, 0($4)\n"
                    "break; b 1b; nop");
USER_PROGRAM(calling, "1: syscall; break; b 1b; nop");
/* What MIPS Linux leaves unchanged by a call: v1, a0-a2, a4, a5, s0-s7, t9, gp, sp, fp, ra. */
#define KEPT         0xf2ff0378u
#define IS_KEPT(n)   ((n) < 32 && (KEPT >> (n) & 1))
#define IS_RESULT(n) ((n) == 2 || (n) == 7) /* v0; a3: whether it is an error */
#define RESULT       2
#else
#define REGISTERS      15u
#define IS_FREE(n)     ((n) != SLICE_REGISTER)
#define SLICE_REGISTER 13 /* rdi */
#define EXCEPTION_SIZE 2
USER_PROGRAM(turns, "1: decq (%rdi); jnz 1b; ud2; jmp 1b");
USER_PROGRAM(calling, "1: syscall; ud2; jmp 1b");
#define IS_KEPT(n)     (!IS_RESULT(n))
#define IS_RESULT(n)   ((n) == 4 || (n) == 10 || (n) == 11) /* r11: flags; rcx: rip; rax */
#define RESULT         11
#endif

struct watch {
    unsigned program, calls, wrong;
    uint64_t involuntary;
};

/* Sums over the programs; under the lock. */
static struct spinlock sums_lock = SPINLOCK_INITIALIZER("test");
static unsigned next, wrong, failed;
static uint64_t lost;

static uint64_t value(unsigned program, unsigned n)
{
    return 0x0123456789abcdeful * (n + 1) ^ (uint64_t)(program + 1) << 56;
}

static uint64_t *turns_left(unsigned program)
{
    return (uint64_t *)user_program_data() + program * SLICE / sizeof(uint64_t);
}

static bool user_registers_look(struct user_run *run, const struct trap *trap)
{
    struct watch *watch = run->more;
    struct trap_frame *frame = trap->frame;

    for (unsigned n = 0; n < REGISTERS; n++)
        watch->wrong += IS_FREE(n) && ((uint64_t *)frame)[n] != value(watch->program, n);
    *turns_left(watch->program) = TURNS;
    trap_frame_set_pc(frame, trap_frame_pc(frame) + EXCEPTION_SIZE);
    return ++watch->calls < CALLS && thread_current()->involuntary - watch->involuntary < LOST;
}

static void user_registers_run_one(void *unused)
{
    struct watch watch = {.involuntary = thread_current()->involuntary};
    struct user_run run = {.exception = user_registers_look, .more = &watch};
    uintptr_t state = spinlock_acquire(&sums_lock);
    struct trap_frame begin;
    bool bad;

    (void)unused;
    watch.program = next++;
    spinlock_release(&sums_lock, state);
    thread_set_aspace(user_program_space());
    user_frame_prepare(&begin, USER_MODE_USER, USER_CODE, 0, 0);
    for (unsigned n = 0; n < REGISTERS; n++)
        if (IS_FREE(n))
            ((uint64_t *)&begin)[n] = value(watch.program, n);
    ((uint64_t *)&begin)[SLICE_REGISTER] = USER_DATA + watch.program * SLICE;
    *turns_left(watch.program) = TURNS;
    run.begin = &begin;
    bad = user_enter(&run) != 0 || run.called || watch.calls == 0;
    state = spinlock_acquire(&sums_lock);
    failed += bad;
    wrong += watch.wrong;
    lost += thread_current()->involuntary - watch.involuntary;
    spinlock_release(&sums_lock, state);
}

SELFTEST(user_registers, "user-registers",
         "programs that are preempted and change their CPU keep every register")
{
    int result;

    next = wrong = failed = 0;
    lost = 0;
    SELFTEST_CHECK(user_program_load(&turns, true) == 0);
    result = crowd_run(PROGRAMS, user_registers_run_one, NULL);
    user_program_unload();
    SELFTEST_EQUAL(failed, 0);
    SELFTEST_EQUAL(wrong, 0);
    SELFTEST_CHECK(lost > 0 || cpu_count() >= PROGRAMS);
    return result;
}

/* A call with nothing to be done after it, in which others run now and then. */
static long call_quickly(struct user_run *run)
{
    struct watch *watch = run->more;

    if (watch->calls % 3 != 0)
        thread_yield();
    return (long)watch->calls + 1;
}

static bool call_look(struct user_run *run, const struct trap *trap)
{
    struct watch *watch = run->more;
    uint64_t *words = (uint64_t *)trap->frame;

    for (unsigned n = 0; n < REGISTERS; n++) {
        uint64_t own = value(watch->program, n);

        /* The kernel's own numbers, and other programs', are in no register. */
        if (IS_KEPT(n))
            watch->wrong += words[n] != own;
        else if (IS_FREE(n) && !IS_RESULT(n))
            watch->wrong += words[n] != own && words[n] != 0;
        words[n] = n == RESULT ? words[n] : own;
    }
    watch->wrong += words[RESULT] != watch->calls + 1;
    trap_frame_set_pc(trap->frame, trap_frame_pc(trap->frame) + EXCEPTION_SIZE);
    return ++watch->calls < CALLS;
}

static void user_registers_call(void *unused)
{
    struct watch watch = {0};
    struct user_run run = {.quick = call_quickly, .exception = call_look, .more = &watch};
    uintptr_t state = spinlock_acquire(&sums_lock);
    struct trap_frame begin;
    int error;

    (void)unused;
    watch.program = next++;
    spinlock_release(&sums_lock, state);
    thread_set_aspace(user_program_space());
    user_frame_prepare(&begin, USER_MODE_USER, USER_CODE, 0, 0);
    for (unsigned n = 0; n < REGISTERS; n++)
        ((uint64_t *)&begin)[n] = value(watch.program, n);
    run.begin = &begin;
    error = user_enter(&run);
    state = spinlock_acquire(&sums_lock);
    failed += error != 0 || watch.calls != CALLS;
    wrong += watch.wrong;
    spinlock_release(&sums_lock, state);
}

SELFTEST(user_call_registers, "user-call-registers",
         "a system call leaves a program's registers as Linux does, and nobody else's in them")
{
    int result;

    next = wrong = failed = 0;
    SELFTEST_CHECK(user_program_load(&calling, true) == 0);
    result = crowd_run(PROGRAMS, user_registers_call, NULL);
    user_program_unload();
    SELFTEST_EQUAL(failed, 0);
    SELFTEST_EQUAL(wrong, 0);
    return result;
}
