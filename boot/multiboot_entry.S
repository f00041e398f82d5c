/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a multiboot loader (GRUB, QEMU -kernel; Multiboot Specification 0.6.96) to C in long mode: 32-bit protected
 * mode without paging in, EAX = magic, EBX = physical address of the multiboot information.
 *
 * The page tables have the first 4 GiB in 2 MiB pages, seen at 0 (until paging_protect), at the direct map and, the
 * first GiB, at the kernel's link address.
 */
#define KERNEL_BASE     0xffffffff80000000
#define PHYS(symbol)    ((symbol)-KERNEL_BASE)
#define MULTIBOOT_MAGIC 0x1badb002
#define MULTIBOOT_FLAGS 3 /* page-aligned modules, memory map */
#define LOADER_MAGIC    0x2badb002
#define COM1            0x3f8
#define HAS_MEMORY      1 /* bit of the information's flags: mem_upper, in KiB from 1 MiB on, is at 8 */
#define MEM_UPPER       8
#define STACK_SIZE      8192
#define PCI_ADDRESS     0xcf8
#define PCI_DATA        0xcfc
#define PM(reg)         (0x80000b00 + (reg)) /* its configuration address: bus 0, device 1, function 3 */
#define PIIX4_PM        0x71138086
#define PM_PORT         0x600

    .globl start, boot_stack, boot_stack_end

    .section .boot.header, "ax"
    .balign 4
    .long MULTIBOOT_MAGIC, MULTIBOOT_FLAGS, -(MULTIBOOT_MAGIC + MULTIBOOT_FLAGS)

    .section .boot.text, "ax"
    .code32
start:
    cli
    cld
    movl $PHYS(boot_stack_end), %esp
    cmpl $LOADER_MAGIC, %eax
    movl $PHYS(.Lno_magic), %esi
    jne multiboot_refuse
    movl %ebx, %ebp                     /* multiboot information */
    movl $0x80000001, %eax
    cpuid
    testl $(1 << 29), %edx              /* long mode: CPUID 80000001h EDX bit 29 */
    movl $PHYS(.Lno_long_mode), %esi
    jz multiboot_refuse
    testb $HAS_MEMORY, (%ebp)
    jz 0f
    movl MEM_UPPER(%ebp), %eax
    addl $1024, %eax
    shll $10, %eax
    jc 0f
    cmpl $PHYS(kernel_end), %eax
    movl $PHYS(.Lno_memory), %esi
    jb multiboot_refuse
0:
    movl $PHYS(boot_pdpt), %edi         /* four directories; the kernel's GiB is entry 510 of another table */
    movl $PHYS(boot_pd) + 3, %eax
    movl %eax, PHYS(boot_pdpt_kernel) + 510 * 8
    movl $4, %ecx
2:  movl %eax, (%edi)
    addl $4096, %eax
    addl $8, %edi
    loop 2b
    movl $PHYS(boot_pdpt) + 3, %eax
    movl %eax, PHYS(boot_pml4)
    movl %eax, PHYS(boot_pml4) + 256 * 8
    movl $PHYS(boot_pdpt_kernel) + 3, PHYS(boot_pml4) + 511 * 8

    movl %cr4, %eax
    orl $0x20, %eax                     /* PAE */
    movl %eax, %cr4
    movl $PHYS(boot_pml4), %eax
    movl %eax, %cr3
    movl $0xc0000080, %ecx              /* EFER: long mode */
    rdmsr
    orl $0x100, %eax
    wrmsr
    movl %cr0, %eax
    orl $0x80010001, %eax               /* paging, write protection in the kernel too */
    movl %eax, %cr0
    lgdt PHYS(boot_gdt_pointer)
    ljmp $8, $PHYS(long_mode)

    .macro configure reg, value         /* there may be no memory for a stack */
    movw $PCI_ADDRESS, %dx
    movl $PM(\reg), %eax
    outl %eax, %dx
    movw $PCI_DATA, %dx
    movl $\value, %eax
    outl %eax, %dx
    .endm

/*
 * Prints the string at ESI on COM1, switches off as piix4_pm_poweroff() would where the chip is at its place on QEMU's
 * board (function 3 of device 1), and else stops.
 */
multiboot_refuse:
    movw $COM1 + 5, %dx
    inb %dx, %al
    testb $0x20, %al
    jz multiboot_refuse
    lodsb
    testb %al, %al
    jz 3f
    movw $COM1, %dx
    outb %al, %dx
    jmp multiboot_refuse
3:  movw $PCI_ADDRESS, %dx
    movl $PM(0), %eax
    outl %eax, %dx
    movw $PCI_DATA, %dx
    inl %dx, %eax
    cmpl $PIIX4_PM, %eax
    jne 4f
    configure 0x40, PM_PORT | 1         /* PMBA */
    configure 0x04, 1                   /* command: answers at its ports */
    configure 0x80, 1                   /* PMREGMISC: enabled */
    movw $PM_PORT + 4, %dx
    movw $0x2000, %ax                   /* PMCNTRL: soft off */
    outw %ax, %dx
4:  cli
    hlt
    jmp 4b

.Lno_magic:
    .asciz "panic: boot: not started by a multiboot loader (wrong magic number)\r\n"
.Lno_long_mode:
    .asciz "panic: boot: this CPU has no 64-bit mode\r\n"

.Lno_memory:
    .asciz "panic: boot: the kernel does not fit in this machine's memory\r\n"

    .code64
long_mode:
    movabsq $high, %rax
    jmp *%rax

    .balign 8
boot_gdt:
    .quad 0, 0x00af9a000000ffff, 0x00cf92000000ffff
boot_gdt_pointer:
    .word . - boot_gdt - 1
    .long PHYS(boot_gdt)

    .text
high:
    movl $16, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    xorl %eax, %eax
    movl %eax, %fs
    movl %eax, %gs
    movq $boot_stack_end, %rsp
    movl %ebp, %edi
    xorl %ebp, %ebp
    pushq $0
    pushq $0
    call multiboot_start
4:  cli
    hlt
    jmp 4b

    .section .bss..shared, "aw", @nobits /* one for all CPUs: lib/section.h */
    .balign 4096
    .globl boot_pml4, boot_pdpt, boot_pdpt_kernel
boot_pml4:
    .skip 4096
boot_pdpt:
    .skip 4096
boot_pdpt_kernel:
    .skip 4096

    .section .rodata
    .balign 4096
boot_pd:                                /* 2048 entries of 2 MiB: present, writable, large */
    .set entry, 0x83
    .rept 2048
    .quad entry
    .set entry, entry + 0x200000
    .endr

    .section .bss..stacks, "aw", @nobits
    .balign 4096
boot_stack:
    .skip STACK_SIZE
boot_stack_end:

    .section .note.GNU-stack, "", @progbits
