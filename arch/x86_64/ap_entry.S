/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the CPUs other than the first begin: in real mode, at the start of a page that the start-up IPI names (Intel
 * SDM volume 3, 9.4.4). smp.c copies ap_start to that page, fills in struct ap_start_values behind the code, and
 * starts them one at a time.
 *
 * From 16 bits to 64 in one step: with EFER.LME set, turning on protection and paging together enters long mode
 * (Intel SDM volume 3, 9.8.5). The tables see this page at its physical address.
 */
#define EFER        0xc0000080
#define GS_BASE     0xc0000101
#define CODE        8
#define DATA        16
#define PAGE        0x8000 /* AP_START_PAGE of smp.c */
#define LOW(symbol) (PAGE + (symbol)-ap_start)

    .section .rodata.ap_start, "a"
    .globl ap_start, ap_start_values, ap_start_end
    .code16
    .balign 16
ap_start:
    cli
    cld
    xorw %ax, %ax
    movw %ax, %ds
    lgdtl LOW(gdt_pointer)
    movl LOW(value_cr4), %eax
    movl %eax, %cr4
    movl LOW(value_cr3), %eax
    movl %eax, %cr3
    movl $EFER, %ecx
    movl LOW(value_efer), %eax
    xorl %edx, %edx
    wrmsr
    movl LOW(value_cr0), %eax
    movl %eax, %cr0
    ljmpl $CODE, $LOW(long_mode)

    .code64
long_mode:
    movl $DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    xorl %eax, %eax
    movl %eax, %fs
    movl %eax, %gs
    movl $GS_BASE, %ecx
    movl LOW(value_gs), %eax
    movl LOW(value_gs) + 4, %edx
    wrmsr
    movq LOW(value_stack), %rsp
    xorl %ebp, %ebp
    pushq $0                /* no return address: a stack trace ends here */
    movq $smp_enter, %rax
    jmp *%rax

    .balign 8
gdt:
    .quad 0, 0x00af9a000000ffff, 0x00cf92000000ffff
gdt_pointer:
    .word . - gdt - 1
    .long LOW(gdt)

    .balign 8
ap_start_values:            /* struct ap_start_values */
value_cr0:
    .quad 0
value_cr3:
    .quad 0
value_cr4:
    .quad 0
value_efer:
    .quad 0
value_gs:
    .quad 0
value_stack:
    .quad 0
ap_start_end:

    .section .note.GNU-stack, "", @progbits
