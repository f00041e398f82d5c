/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of what a program keeps in the CPU besides its frame: several lose their CPU to each other
 * again and again, and each finds its own. */
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/cpu/cpu.h"
#include "kernel/lock/spinlock.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/user.h"
#include "lib/string.h"
#include "tests/kernel/crowd.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/user_program.h"
#include "tests/kernel/user_run.h"

#define PROGRAMS 6u
#define SLICE    8192u /* of the data, for each */
#define BEFORE   64u   /* in it: what is loaded */
#define AFTER    4096u /* what is stored after the turns, of which the first word says how many */
#define TURNS    3000000ul
#define LOST     5u   /* times that each is to lose its CPU */
#define ROUNDS   200u /* at most; on several CPUs one may never lose its own */
#define MANY     20u  /* then */

/* The argument is the slice. */
#ifdef __mips__
#define NUMBERS 33u         /* FCSR is the last word */
#define CONTROL 0x0000007du /* flags; rounds to zero */
#define EACH_REGISTER(instruction, from)                                                           \
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,"   \
    "31\n" instruction " $f\\n, " from " + \\n * 8($4)\n.endr\n"
USER_PROGRAM(floating,
             "ld $5, 0($4)\n" EACH_REGISTER(
                 "ldc1",
                 "64") "ld $6, 64 + 256($4)\n"
                       "ctc1 $6, $31; 1: daddiu $5, $5, -1; bnez $5, 1b; nop\n" EACH_REGISTER(
                           "sdc1", "4096") "cfc1 $6, $31; sd $6, 4096 + 256($4)\n"
                                           "syscall; nop");
#else
#define NUMBERS           73u /* YMM0-15 or XMM0-15 and nothing, 8 of x87, MXCSR and FCW in the last word */
#define CONTROL           0x0f7f00003fbfull /* flags none; precision 53; round to zero, underflow to 0 */
#define EACH(instruction) ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n" instruction "\n.endr\n"
#define LOAD              "movq (%rdi), %rcx\n"
#define LOAD_X87                                                                                   \
    ".irp n,0,1,2,3,4,5,6,7\nfldl 64 + 512 + \\n * 8(%rdi)\n.endr\n"                               \
    "ldmxcsr 64 + 576(%rdi); fldcw 64 + 580(%rdi)\n1: decq %rcx; jnz 1b\n"
#define STORE_X87                                                                                  \
    ".irp n,7,6,5,4,3,2,1,0\nfstpl 4096 + 512 + \\n * 8(%rdi)\n.endr\n"                            \
    "stmxcsr 4096 + 576(%rdi); fnstcw 4096 + 580(%rdi); int $0x80\n"
USER_PROGRAM(floating, LOAD EACH("movups 64 + \\n * 32(%rdi), %xmm\\n")
                           LOAD_X87 EACH("movups %xmm\\n, 4096 + \\n * 32(%rdi)") STORE_X87);
USER_PROGRAM(vectors, LOAD EACH("vmovups 64 + \\n * 32(%rdi), %ymm\\n")
                          LOAD_X87 EACH("vmovups %ymm\\n, 4096 + \\n * 32(%rdi)") STORE_X87);

static bool has_avx(void)
{
    uint32_t features[4];

    cpuid(1, features);
    return (features[2] & 3u << 27) == 3u << 27; /* OSXSAVE and AVX */
}
#endif

/* Sums over the programs; under the lock. */
static struct spinlock sums_lock = SPINLOCK_INITIALIZER("test");
static unsigned next, bad, failed;
static uint64_t lost;
static bool with_upper_halves;

/* Numbers, no NaNs, all different. */
static uint64_t number(unsigned program, unsigned n)
{
    return 0x3ff0000000000000ull + ((uint64_t)program << 40) + n * 0x100010001ull;
}

static bool is_kept(unsigned n)
{
    return with_upper_halves || n >= 64 || n % 4 < 2;
}

static unsigned differences(const uint64_t *before, const uint64_t *after)
{
    unsigned sum = 0;

    for (unsigned n = 0; n < NUMBERS; n++)
        sum += is_kept(n) && after[n] != before[n];
    return sum;
}

static unsigned take_number(void)
{
    uintptr_t state = spinlock_acquire(&sums_lock);
    unsigned mine = next++;

    spinlock_release(&sums_lock, state);
    return mine;
}

static void user_float_run_one(void *unused)
{
    unsigned program = take_number(), wrong = 0, errors = 0;
    char *slice = (char *)user_program_data() + program * SLICE;
    uint64_t *before = (uint64_t *)(slice + BEFORE), involuntary = thread_current()->involuntary;
    struct user_run run = {.pc = USER_CODE, .argument = USER_DATA + program * SLICE};
    uintptr_t state;

    (void)unused;
    thread_set_aspace(user_program_space());
    for (unsigned n = 0; n < NUMBERS; n++)
        before[n] = number(program, n);
    before[NUMBERS - 1] = CONTROL;
    *(uint64_t *)slice = TURNS;
    for (unsigned round = 0; round < (cpu_count() > 1 ? MANY : ROUNDS); round++) {
        memset(slice + AFTER, 0, NUMBERS * sizeof(uint64_t));
        errors += user_enter(&run) != 0 || !run.called;
        wrong += differences(before, (const uint64_t *)(slice + AFTER));
        if (thread_current()->involuntary >= involuntary + LOST)
            break;
    }
    state = spinlock_acquire(&sums_lock);
    failed += errors;
    bad += wrong;
    lost += thread_current()->involuntary - involuntary;
    spinlock_release(&sums_lock, state);
}

static int user_float_check(const struct user_program *program)
{
    int result;

    next = bad = failed = 0;
    lost = 0;
    SELFTEST_CHECK(user_program_load(program, true) == 0);
    result = crowd_run(PROGRAMS, user_float_run_one, NULL);
    user_program_unload();
    SELFTEST_EQUAL(failed, 0);
    SELFTEST_EQUAL(bad, 0);
    SELFTEST_CHECK(lost > 0 || cpu_count() >= PROGRAMS);
    return result;
}

static int check_all(void)
{
    int result;

#ifdef __mips__
    with_upper_halves = true;
    result = user_float_check(&floating);
#else
    with_upper_halves = false;
    result = user_float_check(&floating);
    with_upper_halves = true;
    if (result == 0 && has_avx())
        result = user_float_check(&vectors);
#endif
    return result;
}

SELFTEST_ONE_CPU(user_float, "user-float",
                 "programs that take a CPU from each other find their floating point again")
{
    return check_all();
}

SELFTEST(user_float_cpus, "user-float-cpus", "the same where they may change their CPU")
{
    return check_all();
}
