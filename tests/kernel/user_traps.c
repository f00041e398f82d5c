/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of traps that return to user mode: each is counted once, and the program goes on with its
 * registers. */
#include <arch/frame.h>
#include <sys/evcnt.h>
#include "tests/kernel/selftest.h"
#include "kernel/cpu/cpu_share.h"
#include "kernel/interrupt/trap.h"
#include "lib/string.h"
#include "tests/kernel/user_program.h"
#include "tests/kernel/user_run.h"

#define CALLS 100000u
#define TURNS 100u

/* Each of the words of a frame is a register of its own, but for the last ones. */
#ifdef __mips__
#define REGISTERS  34u /* 0, k0 and k1 hold nothing; hi, lo */
#define IS_FREE(n) ((n) != 0 && (n) != 26 && (n) != 27)
USER_PROGRAM(call_loop, "1: syscall; b 1b; nop");
USER_PROGRAM(exception_loop, "1: break; b 1b; nop");
#define EXCEPTION_SIZE 4
#else
#define REGISTERS      15u
#define IS_FREE(n)     true
USER_PROGRAM(call_loop, "1: int $0x80; jmp 1b");
USER_PROGRAM(instruction_loop, "1: syscall; jmp 1b");
USER_PROGRAM(exception_loop, "1: ud2; jmp 1b");
#define EXCEPTION_SIZE 2
#endif

static uint64_t user_traps_counter(const char *name)
{
    const struct evcnt *ev = evcnt_lookup(cpu_group(), name);

    return ev ? evcnt_value(ev) : 0;
}

/* All exceptions and system calls; TLB refills are neither. */
static uint64_t user_traps_all_traps(void)
{
    const struct evcnt *ev;
    uint64_t sum = 0;

    TAILQ_FOREACH (ev, &allevents, ev_list)
        if (ev->ev_type == EVCNT_TYPE_TRAP && !ev->ev_share && !ev->ev_parent &&
            strncmp(ev->ev_name, "TLB refill", 10) != 0)
            sum += evcnt_value(ev);
    return sum;
}

static bool count_down(struct user_run *run, struct trap_frame *frame)
{
    (void)frame;
    return --*(unsigned *)run->more > 0;
}

static int check_calls(const struct user_program *program)
{
    unsigned left = CALLS;
    struct user_run run = {.pc = USER_CODE, .call = count_down, .more = &left};
    uint64_t calls = user_traps_counter("system call"), all = user_traps_all_traps();
    int result;

    SELFTEST_CHECK(user_program_load(program, true) == 0);
    result = user_enter(&run);
    calls = user_traps_counter("system call") - calls;
    all = user_traps_all_traps() - all;
    user_program_unload();
    SELFTEST_EQUAL(result, 0);
    SELFTEST_CHECK(run.called);
    SELFTEST_EQUAL(left, 0);
    SELFTEST_EQUAL(calls, CALLS);
    SELFTEST_EQUAL(all, CALLS);
    return 0;
}

SELFTEST(user_calls, "user-calls",
         "100,000 system calls are counted exactly, each way to make them")
{
    int result = check_calls(&call_loop);

#ifndef __mips__
    if (result == 0)
        result = check_calls(&instruction_loop);
#endif
    return result;
}

static uint64_t pattern(unsigned n)
{
    return 0x0123456789abcdefull * (n + 1) ^ (uint64_t)n << 56;
}

/* What the two tests below note. */
struct watch {
    unsigned left, faults;
    const char *wrong;
    unsigned wrong_register;
};

static bool is_intact(const struct trap_frame *frame, struct watch *watch)
{
    for (unsigned n = 0; n < REGISTERS; n++) {
        if (IS_FREE(n) && ((const uint64_t *)frame)[n] != pattern(n)) {
            watch->wrong = "a register is not what it was";
            watch->wrong_register = n;
            return false;
        }
    }
    return true;
}

/* The program finds nothing of its memory any more when it goes on. */
static bool take_away(struct user_run *run, const struct trap *trap)
{
    struct watch *watch = run->more;

    if (!is_intact(trap->frame, watch) || --watch->left == 0)
        return false;
    trap_frame_set_pc(trap->frame, trap_frame_pc(trap->frame) + EXCEPTION_SIZE);
    user_program_unmap();
    return true;
}

static bool give_back(struct user_run *run, const struct trap *trap)
{
    struct watch *watch = run->more;

    if (!trap->execute || trap->write || trap->address != trap_frame_pc(trap->frame))
        watch->wrong = "a fault of the wrong kind";
    if (!is_intact(trap->frame, watch) || watch->wrong || user_program_map() != 0)
        return false;
    watch->faults++;
    return true;
}

SELFTEST(user_resolved, "user-resolved",
         "after a fault that was resolved a program goes on with all its registers")
{
    struct watch watch = {.left = TURNS};
    struct trap_frame begin;
    struct user_run run = {
        .pc = USER_CODE, .exception = take_away, .fault = give_back, .more = &watch};
    uint64_t all = user_traps_all_traps();
    int result;

    user_frame_prepare(&begin, USER_MODE_USER, USER_CODE, 0, 0);
    for (unsigned n = 0; n < REGISTERS; n++)
        if (IS_FREE(n))
            ((uint64_t *)&begin)[n] = pattern(n);
    run.begin = &begin;
    SELFTEST_CHECK(user_program_load(&exception_loop, false) == 0);
    result = user_enter(&run);
    all = user_traps_all_traps() - all;
    user_program_unload();
    SELFTEST_EQUAL(result, 0);
    if (watch.wrong)
        return selftest_fail("%s: %u", watch.wrong, watch.wrong_register);
    SELFTEST_CHECK(!run.called);
    SELFTEST_EQUAL(watch.faults, TURNS);
    SELFTEST_EQUAL(all, 2 * TURNS); /* as many exceptions, as many faults */
    return 0;
}

/*
 * Each exception once. The program's register r15, s7 says how far the next instruction is that it
 * goes on with.
 */
#ifdef __mips__
#define SKIP(n) "li $23, " #n "\n"
#define EXPECTED                                                                                   \
    {                                                                                              \
        {"breakpoint", NULL, 1},                                                                   \
        {"trap instruction", NULL, 1},                                                             \
        {"reserved instruction", NULL, 1},                                                         \
        {"address error load", "TLB load", 3},                                                     \
        {"TLB store", NULL, 1},                                                                    \
        {"overflow", NULL, 1},                                                                     \
        {"coprocessor unusable", NULL, 2},                                                         \
        {"system call", NULL, 1},                                                                  \
    }
#define STEP_REGISTER(frame) (frame)->reg[23]
USER_PROGRAM(exceptions, SKIP(4) "break; teq $0, $0, 7; .word 0x7c00003f; lw $2, 1($29)\n"
                                 "lui $2, 0x8000; lw $3, 0($2); sw $0, 16($0); lui $2, 0x7fff\n"
                                 "add $3, $2, $2; mtc1 $0, $f0; mtc1 $0, $f0\n"
                                 "mfc0 $2, $12; lw $2, 16($0); syscall; nop");
#else
#define SKIP(n) "movl $" #n ", %r15d\n"
#define EXPECTED                                                                                   \
    {                                                                                              \
        {"breakpoint", NULL, 1}, {"invalid opcode", NULL, 1},     {"divide error", NULL, 1},       \
        {"page fault", NULL, 3}, {"general protection", NULL, 3}, {"system call", NULL, 1},        \
    }
#define STEP_REGISTER(frame) (frame)->r15
USER_PROGRAM(exceptions,
             SKIP(0) "int3\n" SKIP(
                 2) "ud2; xorl %ecx, %ecx; movl $1, %eax; cltd\n"
                    "idivl %ecx; movb %al, (%rcx)\n" /* no page; then the kernel's, twice */
                    "movq $-4096, %rbx; movb (%rbx), %al; movb %al, (%rbx)\n"
                    "movq $1, %rbx; shlq $62, %rbx; movb (%rbx), %al\n" /* no address */
                    "int $0x21\n" SKIP(1) "hlt; int $0x80");
#endif

static bool step_over(struct user_run *run, const struct trap *trap)
{
    ++*(unsigned *)run->more;
    trap_frame_set_pc(trap->frame, trap_frame_pc(trap->frame) + STEP_REGISTER(trap->frame));
    return true;
}

SELFTEST(user_exceptions, "user-exceptions",
         "exceptions of a program are counted once each, under their names, and it goes on")
{
    static const struct {
        const char *name, *other; /* GXemul has its own idea of some */
        unsigned count;
    } expected[] = EXPECTED;
    uint64_t before[sizeof expected / sizeof expected[0]], all = user_traps_all_traps();
    unsigned seen = 0, sum = 0;
    struct user_run run = {.pc = USER_CODE, .sp = USER_DATA, .exception = step_over, .more = &seen};
    int result;

    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++)
        before[i] = user_traps_counter(expected[i].name) +
                    (expected[i].other ? user_traps_counter(expected[i].other) : 0);
    SELFTEST_CHECK(user_program_load(&exceptions, true) == 0);
    result = user_enter(&run);
    all = user_traps_all_traps() - all;
    user_program_unload();
    SELFTEST_EQUAL(result, 0);
    SELFTEST_CHECK(run.called);
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        uint64_t now = user_traps_counter(expected[i].name) +
                       (expected[i].other ? user_traps_counter(expected[i].other) : 0);

        if (now - before[i] != expected[i].count)
            return selftest_fail("%s: %lu, not %u", expected[i].name,
                                 (unsigned long)(now - before[i]), expected[i].count);
        sum += expected[i].count;
    }
    SELFTEST_EQUAL(all, sum);
    return 0;
}
