/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function that is nearly always where it has nothing left to do but to return: who called it is
 * then, on MIPS, in the register again, besides the stack. tests/qemu/test_chains.py begins a
 * profile meanwhile.
 */
#include "kernel/time/clock.h"
#include "tests/kernel/selftest.h"

#define TURNS   1000000ul
#define TAIL_NS 300000000u

void profile_tail(unsigned long turns);
#ifdef __mips__
__asm__(".pushsection .text\n"
        ".set push\n"
        ".set noreorder\n"
        ".globl profile_tail\n"
        ".type profile_tail, @function\n"
        "profile_tail:\n"
        "	daddiu $sp, $sp, -16\n"
        "	sd $31, 8($sp)\n"
        "	move $31, $0\n"
        "	ld $31, 8($sp)\n"
        "1:	bnez $4, 1b\n"
        "	daddiu $4, $4, -1\n"
        "	jr $31\n"
        "	daddiu $sp, $sp, 16\n"
        ".size profile_tail, . - profile_tail\n"
        ".set pop\n"
        ".popsection\n");
#else
__asm__(".pushsection .text\n"
        ".globl profile_tail\n"
        ".type profile_tail, @function\n"
        "profile_tail:\n"
        "1:	dec %rdi\n"
        "	jns 1b\n"
        "	ret\n"
        ".size profile_tail, . - profile_tail\n"
        ".popsection\n");
#endif

SELFTEST_ONLY_NAMED(profile_tails, "profile-tails",
                    "work for a profile that begins before a return")
{
    uint64_t end = clock_now() + TAIL_NS;

    while (clock_now() < end)
        profile_tail(TURNS);
    return 0;
}
