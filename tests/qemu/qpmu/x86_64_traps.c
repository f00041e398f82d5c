/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions whose fetch faults, at the end of a page and across it, and debug exceptions: single
 * steps, breakpoints, watchpoints.
 */
#include "tests/qemu/qpmu/pc.h"

/* repair: 4 instructions, one a branch, as in x86_64_faults.c; step: 3, one a branch. */
__asm__(".text\n repair: addq $8, %rsp\n orb $7, (%r14)\n addq $8, %r14\n iretq\n"
        "skip: movq %r15, (%rsp)\n iretq\n"
        "step: incl steps(%rip)\n orl $0x10000, 16(%rsp)\n iretq\n"
        "back: iretq\n");
extern const char repair[], skip[], step[], back[];
volatile uint32_t steps;

/* What is put at PLACE of `pool`, and so of HOLE. */
#define CODE(place, code)                                                                          \
    do {                                                                                           \
        uint8_t *to_, *from_, *end_;                                                               \
        __asm__ volatile(".pushsection .rodata\n 8:\n" code "\n9:\n .popsection\n"                 \
                         "movq $8b, %0\n movq $9b, %1\n"                                           \
                         : "=r"(from_), "=r"(end_));                                               \
        for (to_ = &pool[0][place]; from_ < end_;)                                                 \
            *(volatile uint8_t *)to_++ = *from_++;                                                 \
    } while (0)
/* CODE at PLACE with page 1 away; all come back through r15. Five instructions lead there and one
 * follows, two of them branches: GO. */
#define GO "leaq 2f(%%rip), %%r15\n addq $8, %%r14\n leaq 8192(%%r8), %%r9\n"
#define AWAY(name, place, instructions, branches, code)                                            \
    do {                                                                                           \
        hole(0, 7);                                                                                \
        hole(1, 0);                                                                                \
        hole(2, 0);                                                                                \
        CODE(place, code "\n jmp *%%r15");                                                         \
        MEASURE(name, instructions, branches,                                                      \
                GO "leaq " #place "(%%r8), %%rax\n jmp *%%rax\n 2: nop");                          \
    } while (0)
/* The same with all pages there and the data's page away. */
#define THERE(name, place, instructions, branches, code)                                           \
    do {                                                                                           \
        hole(0, 7);                                                                                \
        hole(1, 7);                                                                                \
        hole(2, 0);                                                                                \
        CODE(place, code "\n jmp *%%r15");                                                         \
        MEASURE(name, instructions, branches,                                                      \
                GO "addq $8, %%r14\n leaq " #place "(%%r8), %%rax\n jmp *%%rax\n 2: nop");         \
    } while (0)

/* 6 around, 1 for the jump at the end, 4 for each fault. */
static void fetches(void)
{
    AWAY("fall", 4093, 15, 3, "nop\n nop\n nop\n nop");
    AWAY("cross", 4094, 13, 3, "nop\n movl $0x12345678, %%ebx");
    AWAY("cross_load", 4094, 16, 4, "movq (%%r9), %%rbx");
    AWAY("cross_add", 4094, 16, 4, "addq %%rbx, (%%r9)");
    AWAY("jump", 4096, 12, 3, "nop");
    AWAY("jump_over", 4090, 13, 4, "jmp 1f\n .skip 8\n 1: nop");
    AWAY("branch_over", 4088, 14, 4, "xorl %%ebx, %%ebx\n jz 1f\n .skip 8\n 1: nop");
    THERE("last_load", 4093, 13, 3, "movq (%%r9), %%rbx");
    THERE("last_add", 4093, 13, 3, "addq %%rbx, (%%r9)");
    THERE("across_load", 4094, 13, 3, "movq (%%r9), %%rbx");
    THERE("across_add", 4095, 14, 3, "addq %%rbx, (%%r9)\n nop");
    THERE("across_loop", 4090, 309, 102,
          "movl $100, %%ebx\n 1: movl $0x12345678, %%ecx\n decl %%ebx\n jnz 1b");
    hole(1, 0);
    CODE(4096, "ret");
    MEASURE("call", 9, 3, "leaq 4096(%%r8), %%rax\n addq $8, %%r14\n call *%%rax\n nop");
    hole(1, 0);
    CODE(4094, "rep stosb");
    CODE(4096, "jmp *%%r15");
    MEASURE("string_last", 15, 3,
            GO "movl $10, %%ecx\n movl %[array], %%edi\n"
               "leaq 4094(%%r8), %%rax\n jmp *%%rax\n 2: nop\n nop");
    hole(1, 0);
    CODE(4095, "rep stosb\n jmp *%%r15");
    MEASURE("string_across", 15, 3,
            GO "movl $10, %%ecx\n movl %[array], %%edi\n"
               "leaq 4095(%%r8), %%rax\n jmp *%%rax\n 2: nop\n nop");
}

/* popf turns the trap on, which comes behind the next instruction for the first time. How often it
 * comes is told too, but not for a string (TRAPS is 0): with -icount QEMU traps once more. */
#define TRAP_ON  "pushfq\n orl $0x100, (%%rsp)\n popfq\n"
#define TRAP_OFF "\n pushfq\n andl $~0x100, (%%rsp)\n popfq"
#define STEPS(name, traps, instructions, branches, code)                                           \
    do {                                                                                           \
        steps = 0;                                                                                 \
        hole(0, 0);                                                                                \
        MEASURE(name, instructions + 3 * steps, branches + steps, code);                           \
        if (traps)                                                                                 \
            tell(name "_traps", steps, 0, traps, 0);                                               \
    } while (0)

static void single_steps(void)
{
    STEPS("step", 6, 9, 0, TRAP_ON "nop\n nop\n nop" TRAP_OFF);
    STEPS("step_memory", 5, 8, 0, TRAP_ON "addq $1, %c[array]\n movq %c[array], %%rax" TRAP_OFF);
    STEPS("step_jumps", 7, 10, 4, TRAP_ON "jmp 2f\n 2: call 3f\n jmp 4f\n 3: ret\n 4:" TRAP_OFF);
    STEPS("step_page", 5, 12, 1, TRAP_ON "nop\n movq (%%r8), %%rax" TRAP_OFF);
    STEPS("step_divide", 6, 9, 0,
          "\n" TRAP_ON "xorl %%edx, %%edx\n movl $1, %%ecx\n divl %%ecx" TRAP_OFF);
    STEPS("step_loop", 34, 37, 10, TRAP_ON LOOP(10, "nop") TRAP_OFF);
    STEPS("step_string", 0, 10, 0,
          TRAP_ON "movl $5, %%ecx\n movl %[array], %%edi\n rep stosb\n nop" TRAP_OFF);
    STEPS("step_interrupt", 5, 10, 2, TRAP_ON "nop\n int $0x80\n nop" TRAP_OFF);
}

/* dr7: local breakpoint 0, of instructions or of writes to 8 bytes. */
#define DR7_EXECUTE 0x401
#define DR7_WRITE   0x90401
#define DR7_ACCESS  0xb0401

static void debug(uint64_t address, uint64_t control)
{
    __asm__ volatile("movq %0, %%dr0\n movq %1, %%dr7" : : "r"(address), "r"(control));
}

static __attribute__((noinline)) void breakpoints(void)
{
    extern const char stop_here[], stop_there[];

    debug((uint64_t)stop_here, DR7_EXECUTE);
    STEPS("execute", 1, 4, 0, "nop\n nop\n .globl stop_here\n stop_here: nop\n nop");
    debug((uint64_t)stop_there, DR7_EXECUTE);
    STEPS("execute_loop", 10, 31, 10, LOOP(10, ".globl stop_there\n stop_there: nop"));
    debug((uint64_t)array, DR7_WRITE);
    STEPS("watch", 1, 4, 0, "nop\n movq %c[array], %%rax\n movq %%rax, %c[array]\n nop");
    STEPS("watch_loop", 10, 41, 10, LOOP(10, "movq %%rax, %c[array]\n nop"));
    STEPS("watch_modify", 10, 41, 10, LOOP(10, "addq %%rax, %c[array]\n nop"));
    debug((uint64_t)array, DR7_ACCESS);
    STEPS("watch_access", 2, 4, 0, "nop\n movq %c[array], %%rax\n movq %%rax, %c[array]\n nop");
    debug(0, 0);
}

void guest(void)
{
    make_task();
    for (unsigned vector = 0; vector < 32; vector++)
        gate(vector, skip, 1);
    gate(1, step, 1), gate(14, repair, 1), gate(128, back, 1);
    say("magic", (uint64_t)hypercall());
    write(0x38f, 0);
    write(0x186, SELECT(INSTRUCTIONS, 3));
    write(0x187, SELECT(BRANCHES, 3));
    for (unsigned pass = 0; pass < 2; pass++) {
        say("pass", pass);
        fetches();
        single_steps();
        breakpoints();
        write(0x188, SELECT(0xc5, 3)); /* with all models */
        write(0x189, SELECT(0x412e, 3));
    }
    end();
}
