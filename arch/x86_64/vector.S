/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways into the kernel: the 256 vectors, 16 bytes each, from vector_table on, and system calls. An interrupt of the kernel
 * saves what C calls do not preserve; the saved RBP makes the interrupted function the caller in a stack trace. Exceptions,
 * and all that comes out of user mode, save everything (struct trap_frame).
 *
 * GS is the user's until swapgs: in user mode the kernel's base waits in the other MSR. NMIs, double faults and machine
 * checks may come before that swapgs or after the one on the way back, so they set GS for themselves (paranoid_common).
 */
#include <machine/frame.h>
#include "arch/x86_64/descriptor.h"
#include "arch/x86_64/user.h"

#define GENERAL_PROTECTION 13

    .section .text.vectors, "ax"

/* A nop that becomes clac where the CPU has SMAP (paging.c): a user may have set RFLAGS.AC, and so may an interrupted copyin. */
    .macro forbid_user_pages
8:  .byte 0x0f, 0x1f, 0x00
    .pushsection link_set_clac_sites, "a"
    .quad 8b
    .popsection
    .endm

    .macro save_registers
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
    movq %rsp, %rdi
    xorl %ebp, %ebp
    .endm

    .macro save_all
    save_registers
    cld
    .endm

    .macro restore_all
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
    .endm

    .globl vector_table
    .balign 16                  /* no two differ above their low 16 bits: linker.ld asserts it for descriptor.c */
vector_table:
    .set vector, 0
    .rept 32
    .balign 16
    /* 8, 10-14, 17, 21, 29, 30 come with an error code (Intel SDM volume 3, 6.15) */
    .if ((0x60227d00 >> vector) & 1) == 0
    pushq $0
    .endif
    pushq $vector
    .if vector == 2 || vector == 8 || vector == 18
    jmp paranoid_common
    .else
    jmp exception_common
    .endif
    .set vector, vector + 1
    .endr
    .balign 16
    .globl vector_interrupts, vector_table_end
vector_interrupts:
    .rept 224
    .balign 16
    pushq $vector
    jmp interrupt_common
    .set vector, vector + 1
    .endr

    .balign 16
vector_table_end:
    .globl interrupt_common, interrupt_return, evcnt_probe
    .type interrupt_common, @function
interrupt_common:
    testb $3, 16(%rsp)          /* CS */
    jnz 3f
    forbid_user_pages
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
1:  popq %r11
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
    .globl bench_timer_entry, bench_timer_return /* for tools/bench: the timer's vector, 224 */
    .set bench_timer_entry, vector_table + 224 * 16
2:  movq %rbp, %rdi
    call evcnt_restart
    jmp 1b
3:  pushq (%rsp)                /* the vector stays where an error code would lie */
    jmp user_common
    .size interrupt_common, . - interrupt_common

    .globl exception_common
    .type exception_common, @function
exception_common:
    testb $3, 24(%rsp)          /* CS */
    jnz user_common
    cmpq $user_iret, 16(%rsp)   /* RIP */
    je 1f
    forbid_user_pages
    save_all
    call exception_dispatch
    restore_all
    iretq
/* A program's frame that iretq refuses: it has all its registers, and had its GS; it gets the exception. */
1:  swapgs
    movq 40(%rsp), %rsp         /* RSP: there lie RIP, CS, RFLAGS, RSP, SS */
    pushq $0
    pushq $GENERAL_PROTECTION
    jmp user_trapped
    .size exception_common, . - exception_common

/* On a stack of its own, which lies in this CPU's copy of the kernel's data: that tells the right GS base. */
    .type paranoid_common, @function
paranoid_common:
    forbid_user_pages
    save_all
    movl $MSR_GS_BASE, %ecx
    rdmsr
    movl %eax, %r12d
    movl %edx, %r13d
    movq %rsp, %rax
    shrq $39, %rax              /* CPU_STRIDE is 2^39; the first CPU's data are in the topmost */
    incl %eax
    shlq $39, %rax
    movq %rax, %rdx
    shrq $32, %rdx
    wrmsr
    call exception_dispatch
    movl $MSR_GS_BASE, %ecx
    movl %r12d, %eax
    movl %r13d, %edx
    wrmsr
    restore_all
    iretq
    .size paranoid_common, . - paranoid_common

/* int $0x80; of the kernel it is an exception like others. */
    .globl call_gate
    .balign 16
    .type call_gate, @function
call_gate:
    pushq $0
    pushq $FRAME_CALL_GATE
    jmp exception_common
    .size call_gate, . - call_gate

/* syscall: RCX is RIP, R11 is RFLAGS, and the stack is the user's still. Nothing can come in between but an NMI
 * or a machine check. */
    .globl call_instruction
    .balign 16
    .type call_instruction, @function
call_instruction:
    swapgs
    movq %rsp, %gs:user_stack_pointer
    movq %gs:task_state + 4, %rsp   /* stack[0] */
    pushq $USER_DATA_SEGMENT
    pushq %gs:user_stack_pointer
    pushq %r11
    pushq $USER_CODE_SEGMENT
    pushq %rcx
    pushq $0
    pushq $FRAME_CALL_INSTRUCTION
    save_registers              /* DF is off: FMASK */
    call user_call
    jmp user_go
    .size call_instruction, . - call_instruction

/* Everything else out of user mode, and the way back. */
    .type user_common, @function
user_common:
    swapgs
    forbid_user_pages
user_trapped:
    save_all
    call user_trap
user_go:                            /* RSP is the frame: the next one lies where it does */
    leaq FRAME_SIZE(%rsp), %rax
    movq %rax, %gs:task_state + 4
    restore_all
    swapgs
user_iret:
    iretq
    .size user_common, . - user_common

/* user_start(frame): frames of this thread lie below this stack pointer from now on. */
    .globl user_start
    .type user_start, @function
user_start:
    cli
    movq %rdi, %rsi
    subq $FRAME_SIZE, %rsp
    andq $-16, %rsp
    movq %rsp, %rdi
    movl $FRAME_SIZE / 8, %ecx
    rep movsq
    movq %rsp, %rdi
    xorl %ebp, %ebp
    call user_begin
    jmp user_go
    .size user_start, . - user_start

    .bss
    .balign 8
user_stack_pointer:
    .skip 8

    .section .note.GNU-stack, "", @progbits
