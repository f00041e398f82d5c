/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 256 vectors, 16 bytes each, from vector_table on. Exceptions (0-31) save everything; interrupts save what C
 * calls do not preserve. The saved RBP makes the interrupted function the caller in a stack trace.
 */
    .section .text.vectors, "ax"
    .globl vector_table
    .balign 16
vector_table:
    .set vector, 0
    .rept 32
    .balign 16
    /* 8, 10-14, 17, 21, 29, 30 come with an error code (Intel SDM volume 3, 6.15) */
    .if ((0x60227d00 >> vector) & 1) == 0
    pushq $0
    .endif
    pushq $vector
    jmp exception_common
    .set vector, vector + 1
    .endr
    .rept 224
    .balign 16
    pushq $vector
    jmp interrupt_common
    .set vector, vector + 1
    .endr

    .balign 16
    .globl interrupt_common, interrupt_return, evcnt_probe, evcnt_probe_end
    .type interrupt_common, @function
interrupt_common:
    pushq %rbp
    movq %rsp, %rbp
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    movl 8(%rbp), %eax
    cld
    movq vector_lines(, %rax, 8), %rdi
    call interrupt_dispatch
    movq 16(%rbp), %rax         /* where it returns to */
evcnt_probe:
    cmpb $0x65, (%rax)          /* GS: an increment, perhaps: <machine/evcnt.h> */
    je 2f
evcnt_probe_end:
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rdx
    popq %rcx
    popq %rax
    popq %rbp
    addq $8, %rsp
interrupt_return:
bench_timer_return:
    iretq
    .globl bench_timer_entry, bench_timer_return /* for tools/bench: the timer's vector, 240 */
    .set bench_timer_entry, vector_table + 240 * 16
2:  movq %rbp, %rdi
    call evcnt_restart
    jmp evcnt_probe_end
    .size interrupt_common, . - interrupt_common

    .globl exception_common
    .type exception_common, @function
exception_common:
    pushq %rbp
    pushq %rdi
    pushq %rsi
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rbx
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    cld
    movq %rsp, %rdi
    xorl %ebp, %ebp
    call exception_dispatch
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rbx
    popq %rdx
    popq %rcx
    popq %rax
    popq %rsi
    popq %rdi
    popq %rbp
    addq $16, %rsp
    iretq
    .size exception_common, . - exception_common

    .section .note.GNU-stack, "", @progbits
