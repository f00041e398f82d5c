/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of system calls in the delay slots of branches: the program goes on where the branch leads.
 * For MIPS. */
#ifdef __mips__
#include <arch/frame.h>
#include "tests/kernel/selftest.h"
#include "tests/kernel/user_program.h"
#include "tests/kernel/user_run.h"

/*
 * Each case branches with a call in its slot, and adds its own power of two to s0 where it should
 * get to, 2^40 and more where it should not.
 */
#define TAKEN(n, before, branch)                                                                   \
    before "\n" branch "; syscall\n"                                                               \
           "li $2, 1; dsll32 $2, $2, 8; b 8f; daddu $16, $16, $2\n"                                \
           "7: li $2, 1; dsll $2, $2, " #n "; daddu $16, $16, $2\n8:\n"
#define PASSED(n, before, branch)                                                                  \
    before "\n" branch "; syscall\n"                                                               \
           "li $2, 1; dsll $2, $2, " #n "; b 8f; daddu $16, $16, $2\n"                             \
           "7: li $2, 1; dsll32 $2, $2, 8; daddu $16, $16, $2\n8:\n"
#define MINUS "li $17, -1"
#define ZERO  "move $17, $0"
#define PLUS  "li $17, 1"
#define CASES 27u
/* clang-format off */
USER_PROGRAM(branches,
    "b 5f; move $16, $0\n"
    "li $2, 1; dsll $2, $2, 26; b 6f; daddu $16, $16, $2\n" /* at USER_CODE + 8 */
    "5:\n"
    TAKEN(0, ZERO, "beq $17, $0, 7f") PASSED(1, PLUS, "beq $17, $0, 7f")
    TAKEN(2, PLUS, "bne $17, $0, 7f") PASSED(3, ZERO, "bne $17, $0, 7f")
    TAKEN(4, MINUS, "blez $17, 7f") TAKEN(5, ZERO, "blez $17, 7f") PASSED(6, PLUS, "blez $17, 7f")
    TAKEN(7, PLUS, "bgtz $17, 7f") PASSED(8, ZERO, "bgtz $17, 7f") PASSED(9, MINUS, "bgtz $17, 7f")
    TAKEN(10, MINUS, "bltz $17, 7f") PASSED(11, ZERO, "bltz $17, 7f")
    TAKEN(12, ZERO, "bgez $17, 7f") PASSED(13, MINUS, "bgez $17, 7f")
    TAKEN(14, MINUS, "bltzal $17, 7f") TAKEN(15, PLUS, "bgezal $17, 7f")
    TAKEN(16, ZERO, "beql $17, $0, 7f") TAKEN(17, PLUS, "bnel $17, $0, 7f")
    TAKEN(18, ZERO, "blezl $17, 7f") TAKEN(19, PLUS, "bgtzl $17, 7f")
    TAKEN(20, ZERO, "bgezl $17, 7f") TAKEN(21, "", "b 7f")
    TAKEN(22, "bal 9f; nop; 9: daddiu $18, $31, 28", "jr $18")
    TAKEN(23, "bal 9f; nop; 9: daddiu $18, $31, 28", "jalr $19, $18")
    TAKEN(24, "mtc1 $0, $f0; c.eq.s $f0, $f0", "bc1t 7f") PASSED(25, "", "bc1f 7f")
    ".word 0x08000000 | 0x400008 >> 2; syscall; dsll32 $16, $16, 8\n" /* j */
    "6: syscall; nop");
/* clang-format on */

static bool count(struct user_run *run, struct trap_frame *frame)
{
    unsigned *calls = run->more;

    return ++*calls <= CASES && trap_frame_is_user(frame);
}

static uint64_t sum;

static bool count_and_see(struct user_run *run, struct trap_frame *frame)
{
    sum = frame->reg[16];
    return count(run, frame);
}

SELFTEST(user_branches, "user-branches",
         "a system call in a branch's delay slot goes where it leads")
{
    unsigned calls = 0;
    struct user_run run = {.pc = USER_CODE, .sp = USER_DATA, .call = count_and_see, .more = &calls};
    int result;

    SELFTEST_CHECK(user_program_load(&branches, true) == 0);
    result = user_enter(&run);
    user_program_unload();
    SELFTEST_EQUAL(result, 0);
    SELFTEST_CHECK(run.called);
    SELFTEST_EQUAL(sum, (1u << CASES) - 1);
    SELFTEST_EQUAL(calls, CASES + 1);
    return 0;
}
#endif
