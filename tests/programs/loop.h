/* SPDX-License-Identifier: BSD-2-Clause */
/* A loop whose instructions are known, whatever the compiler. */
#pragma once

/* 2 instructions a turn, of N + 1 turns on MIPS and N on x86_64. */
static void loop(unsigned long n)
{
#ifdef __mips__
    __asm__ volatile(".set push\n\t.set noreorder\n1:\tbnez %0, 1b\n\tdaddiu %0, %0, -1\n\t.set pop"
                     : "+r"(n));
#else
    __asm__ volatile("1:\tdec %0\n\tjnz 1b" : "+r"(n));
#endif
}
