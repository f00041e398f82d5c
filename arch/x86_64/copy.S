/* SPDX-License-Identifier: BSD-2-Clause */
/* Copying from and to a user's pages: see <arch/copy.h>. */

/* A fault AT goes on at GO_ON. */
    .macro fixup at, go_on
    .pushsection link_set_trap_fixups, "a"
    .quad \at, \go_on
    .popsection
    .endm

    .text
    .globl copy_guarded, copy_string_guarded, copy_swap_guarded
    .type copy_guarded, @function
copy_guarded:
    movq %rdx, %rcx
    andl $7, %edx
    shrq $3, %rcx
1:  rep movsq
    movl %edx, %ecx
2:  rep movsb
3:  movq %rcx, %rax
    ret
4:  leaq (%rdx, %rcx, 8), %rax  /* words are left, and perhaps bytes */
    ret
    fixup 1b, 4b
    fixup 2b, 3b
    .size copy_guarded, . - copy_guarded

    .type copy_string_guarded, @function
copy_string_guarded:
    xorl %eax, %eax
1:  cmpq %rdx, %rax
    je 3f
2:  movb (%rsi, %rax), %cl
    movb %cl, (%rdi, %rax)
    incq %rax
    testb %cl, %cl
    jnz 1b
    ret
3:  xorl %eax, %eax
    ret
4:  movq $-1, %rax
    ret
    fixup 2b, 4b
    .size copy_string_guarded, . - copy_string_guarded

    .type copy_swap_guarded, @function
copy_swap_guarded:
    movl %esi, %eax
1:  lock cmpxchgl %edx, (%rdi)
    movl %eax, %eax             /* without a sign */
    ret
2:  movq $-1, %rax
    ret
    fixup 1b, 2b
    .size copy_swap_guarded, . - copy_swap_guarded

    .section .note.GNU-stack, "", @progbits
