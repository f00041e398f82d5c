/* SPDX-License-Identifier: BSD-2-Clause */
/* Into user mode and out of it. What interrupts a user continues below the stack pointer that is noted here. */
#include "arch/x86_64/descriptor.h"
#include "arch/x86_64/user.h"

    .text
    .globl user_enter_at, user_call, user_leave
    .type user_enter_at, @function
user_enter_at:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, %rax
    andq $-16, %rsp             /* as the CPU does it with the stack that it is given */
    pushq %rax
    pushq %rdi
    movq %rsp, (%rsi)
    pushq $USER_DATA_SEGMENT
    pushq USER_RUN_SP(%rdi)
    pushq %rdx
    pushq $USER_CODE_SEGMENT
    pushq USER_RUN_PC(%rdi)
    movq USER_RUN_ARGUMENT(%rdi), %rdi
    iretq
    .size user_enter_at, . - user_enter_at

/* `int $USER_VECTOR`, out of user mode: RIP, CS, RFLAGS, RSP, SS lie below what user_enter_at pushed. */
    .balign 16
    .type user_call, @function
user_call:
    testb $3, 8(%rsp)
    jz 2f
    cld
    movq (%rsp), %rsi
    movq %rax, %rdx
    addq $40, %rsp
    popq %rdi
    movb $1, USER_RUN_CALLED(%rdi)
1:  movq %rsi, USER_RUN_AT(%rdi)
    movq %rdx, USER_RUN_RESULT(%rdi)
    movl $KERNEL_DATA_SEGMENT, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    movq (%rsp), %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
2:  iretq                       /* the kernel does not call itself */
    .size user_call, . - user_call

/* user_leave(stack, at, result): the same for a fault. */
    .type user_leave, @function
user_leave:
    movq %rdi, %rsp
    popq %rdi
    movb $0, USER_RUN_CALLED(%rdi)
    jmp 1b
    .size user_leave, . - user_leave

    .section .note.GNU-stack, "", @progbits
