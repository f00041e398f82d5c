/* SPDX-License-Identifier: BSD-2-Clause */
/* For perf: two functions of which the first works three times as much as the other, and no C
 * library. */
__attribute__((noinline, noclone)) static void turn(unsigned long turns)
{
    __asm__ volatile("1: dec %0\n jnz 1b" : "+r"(turns) : : "cc");
}

__attribute__((noinline, noclone)) void larger(void)
{
    __asm__ volatile("mov $7500000, %%ecx\n 1: dec %%rcx\n jnz 1b" : : : "rcx", "cc");
}

__attribute__((noinline, noclone)) void smaller(void)
{
    __asm__ volatile("mov $2500000, %%ecx\n 1: dec %%rcx\n jnz 1b" : : : "rcx", "cc");
}

__attribute__((noreturn, force_align_arg_pointer)) void _start(void)
{
    turn(1);
    larger();
    smaller();
    __asm__ volatile("syscall" : : "a"(231), "D"(0)); /* exit_group */
    __builtin_unreachable();
}
