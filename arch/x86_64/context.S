/* SPDX-License-Identifier: BSD-2-Clause */
/* Switching stacks, and the kernel's setjmp. See arch/include/arch/context.h and trap.h. */
    .text
    .globl context_switch, context_first, trap_jump_set, trap_jump_to
    .type context_switch, @function
context_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    pushq %rdx
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    movq $0, 8(%rdi)            /* struct thread: on_cpu; others may continue it from here on */
    popq %rdx
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    testl $0x200, %edx          /* RFLAGS.IF */
    jz 1f
    sti
1:  ret
    .size context_switch, . - context_switch

/* Where context_prepare lets a new stack return to: aligned as after a call from nowhere. */
    .type context_first, @function
context_first:
    pushq $0
    jmp thread_start
    .size context_first, . - context_first

    .type trap_jump_set, @function
trap_jump_set:
    movq %rbx, (%rdi)
    movq %rbp, 8(%rdi)
    movq %r12, 16(%rdi)
    movq %r13, 24(%rdi)
    movq %r14, 32(%rdi)
    movq %r15, 40(%rdi)
    movq %rsp, 48(%rdi)
    movq (%rsp), %rax
    movq %rax, 56(%rdi)
    xorl %eax, %eax
    ret
    .size trap_jump_set, . - trap_jump_set

    .type trap_jump_to, @function
trap_jump_to:
    movq (%rdi), %rbx
    movq 8(%rdi), %rbp
    movq 16(%rdi), %r12
    movq 24(%rdi), %r13
    movq 32(%rdi), %r14
    movq 40(%rdi), %r15
    movq 48(%rdi), %rsp
    movq 56(%rdi), %rax
    movq %rax, (%rsp)
    movl $1, %eax
    ret
    .size trap_jump_to, . - trap_jump_to

    .section .note.GNU-stack, "", @progbits
