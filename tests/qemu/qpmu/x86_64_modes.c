/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which instruction was the kernel's and which the user's: counter 0 counts in ring 0, counter 1 in
 * ring 3. Kernel and user are in halves of the address space as KERNEL and USER say: 0 or HIGH.
 */
#include "tests/qemu/qpmu/pc.h"

/* As in x86_64_faults.c; skip goes on at r12. leave: an interrupt that is the user's end: 2.
 * call: what syscall calls: 2. */
__asm__(".text\n repair: addq $8, %rsp\n orb $7, (%r14)\n addq $8, %r14\n iretq\n"
        "skip_code: addq $8, %rsp\n"
        "skip: movq %r12, (%rsp)\n iretq\n"
        "back: iretq\n"
        "leave: movq %r13, %rsp\n jmp *%r15\n"
        "system: nop\n sysretq\n"
        "tick: pushq %rax\n movb $0x20, %al\n outb %al, $0x20\n incl ticks(%rip)\n popq %rax\n"
        "   iretq\n");
extern const char repair[], skip_code[], skip[], back[], leave[], system[], tick[];
volatile uint32_t ticks;

/* In the kernel: 16 to go there and back, 2 of them in `leave`; in user mode: CODE and the int. */
#define USER_PART(name, kernel, user, code)                                                        \
    do {                                                                                           \
        hole(0, 0);                                                                                \
        hole(1, 0);                                                                                \
        ticks = 0;                                                                                 \
        MEASURE(                                                                                   \
            name, 16 + (kernel) + 6 * ticks, (user) + 1,                                           \
            "leaq 8f(%%rip), %%r15\n movl $7f, %%r12d\n addq %[user], %%r12\n movq %%rsp, %%r13\n" \
            "movl $6f, %%eax\n addq %[user], %%rax\n nop\n nop\n"                                  \
            "pushq $0x1b\n pushq %%r13\n pushq $0x202\n pushq $0x23\n pushq %%rax\n iretq\n"       \
            "6:" code "\n 7: int $0x81\n 8:");                                                     \
    } while (0)

static __attribute__((noinline)) void users(void)
{
    MEASURE("kernel", 3, 0, "nop\n nop\n nop");
    USER_PART("user", 0, 3, "nop\n nop\n nop");
    USER_PART("loop", 0, 401, LOOP(100, "nop\n nop"));
    USER_PART("interrupt", 1, 3, "nop\n int $0x80\n nop");
    USER_PART("breakpoint", 1, 3, "nop\n int3\n nop");
    USER_PART("interrupt_loop", 100, 301, LOOP(100, "int $0x80"));
    USER_PART("system_call", 2, 3, "nop\n syscall\n nop");
    USER_PART("page", 4, 3, "nop\n movq (%%r8), %%rax\n nop");
    USER_PART("page_write", 4, 3, "nop\n addq %%rax, (%%r8)\n nop");
    USER_PART("page_across", 8, 3, "nop\n movq %%rax, 4092(%%r8)\n nop");
    USER_PART("string", 8, 5, "movl $6000, %%ecx\n movq %%r8, %%rdi\n nop\n rep stosb\n nop");
    USER_PART("division", 2, 2, "nop\n xorl %%ecx, %%ecx\n divl %%ecx\n nop");
    USER_PART("undefined", 2, 1, "nop\n ud2\n nop");
    USER_PART("undefined_32", 2, 1, "nop\n .byte 6\n nop");
    USER_PART("halt", 3, 1, "nop\n hlt\n nop");
    USER_PART("no_interrupts", 3, 1, "nop\n cli\n nop");
    USER_PART("input", 3, 2, "nop\n movl $0x70, %%edx\n inb %%dx, %%al\n nop");
    USER_PART("control", 3, 1, "nop\n movq %%cr0, %%rax\n nop");
    USER_PART("register", 3, 1, "nop\n rdmsr\n nop");
    USER_PART("counter", 3, 1, "nop\n rdpmc\n nop");
    USER_PART("interrupt_forbidden", 3, 1, "nop\n int $0x82\n nop");
    USER_PART("other_segment", 3, 2, "nop\n movl $0x10, %%eax\n movl %%eax, %%ss\n nop");
}

/* The same while a timer interrupts. */
static __attribute__((noinline)) void timer(void)
{
    out(0x21, 0xfe);
    USER_PART("timer_loop", 0, 400001, LOOP(100000, "nop\n nop"));
    USER_PART("timer_string", 0, 601,
              LOOP(100, "movl $30000, %%ecx\n movl %[array], %%edi\n nop\n rep stosb"));
    out(0x21, 0xff);
}

static void __attribute__((noinline)) kernel(void)
{
    for (unsigned vector = 0; vector < 32; vector++)
        gate(vector, (vector == 8 || (vector >= 10 && vector <= 13) ? skip_code : skip), 1);
    gate(3, back, 1), gate(14, repair, 1), gate(32, tick, 1);
    gate(128, back, 1), gate(129, leave, 1), gate(130, back, 1);
    idt[130].kind &= 0x9fff; /* not for users */
    set_msr(0xc0000081, 8ull << 32 | 0x10ull << 48);
    set_msr(0xc0000082, (uint64_t)system + KERNEL);
    set_msr(0xc0000084, 0);
    out(0x20, 0x11), out(0x21, 32), out(0x21, 4), out(0x21, 1), out(0x21, 0xff);
    out(0x43, 0x34), out(0x40, 400 & 0xff), out(0x40, 400 >> 8);
    say("magic", (uint64_t)hypercall());
    write(0x38f, 0);
    write(0x186, SELECT(INSTRUCTIONS, 2));
    write(0x187, SELECT(INSTRUCTIONS, 1));
    for (unsigned pass = 0; pass < 2; pass++) {
        say("pass", pass);
        if (!(slot.features & QPMU_MODES)) { /* and so they stay 0 */
            MEASURE("refused", -4, 0, LOOP(100, "nop"));
            continue;
        }
        users();
        timer();
        write(0x188, SELECT(0xc5, 3)); /* with all models */
        write(0x189, SELECT(0x412e, 3));
    }
    end();
}

void guest(void)
{
    make_task();
    ((void (*)(void))((uint64_t)kernel + KERNEL))();
}
