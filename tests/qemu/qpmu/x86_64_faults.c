/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every fault that can happen in the middle of a block, and traps behind an instruction. What
 * faulted counts once, when it is done; what is skipped does not count; each handler has a known
 * length. test_qpmu_hard.py compares.
 */
#include "tests/qemu/qpmu/pc.h"

/* repair: gives the page at r14 all rights, and the next time the one behind it; 4 instructions,
 * one a branch, as all of these. skip: goes on at r15; 2, with an error code (skip_code) 3. back:
 * 1; enable: 2. */
__asm__(".text\n repair: addq $8, %rsp\n orb $7, (%r14)\n addq $8, %r14\n iretq\n"
        "skip_code: addq $8, %rsp\n"
        "skip: movq %r15, (%rsp)\n iretq\n"
        "back: iretq\n"
        "enable: clts\n iretq\n");
extern const char repair[], skip_code[], skip[], back[], enable[];

/* Pages 0 and 1 are away, 2 and 3 there, all empty. */
static void away(void)
{
    for (unsigned i = 0; i < 1024; i++)
        array[i] = ((volatile uint64_t *)pool)[i] = 0;
    hole(0, 0);
    hole(1, 0);
    hole(2, 7);
    hole(3, 7);
}

#define CASE(name, instructions, branches, code)                                                   \
    do {                                                                                           \
        away();                                                                                    \
        MEASURE(name, instructions, branches, code);                                               \
    } while (0)
/* A page that is there, but not to be written. */
#define READ_ONLY(name, instructions, branches, code)                                              \
    do {                                                                                           \
        away();                                                                                    \
        hole(0, 5);                                                                                \
        MEASURE(name, instructions, branches, code);                                               \
    } while (0)

static void data_pages(void)
{
    CASE("read", 7, 1, "nop\n movq (%%r8), %%rax\n nop");
    CASE("write", 7, 1, "nop\n movq %%rax, (%%r8)\n nop");
    CASE("modify", 7, 1, "nop\n addq $1, (%%r8)\n nop");
    CASE("locked", 7, 1, "nop\n lock addq $1, (%%r8)\n nop");
    CASE("exchange", 7, 1, "nop\n xchgq %%rax, (%%r8)\n nop");
    READ_ONLY("write_protected", 8, 1, "nop\n movq (%%r8), %%rax\n movq %%rax, (%%r8)\n nop");
    READ_ONLY("modify_protected", 7, 1, "nop\n addq $1, (%%r8)\n nop");
    READ_ONLY("locked_protected", 7, 1, "nop\n lock addq $1, (%%r8)\n nop");
    CASE("crossing_read", 10, 2, "movq 4092(%%r8), %%rax\n nop");
    CASE("crossing_write", 10, 2, "movq %%rax, 4092(%%r8)\n nop");
    CASE("crossing_half", 8, 1, "orb $7, (%%r14)\n addq $8, %%r14\n movq %%rax, 4092(%%r8)\n nop");
    CASE("first", 6, 1, "movq (%%r8), %%rax\n nop"); /* the first of a block: behind wrmsr */
    CASE("before_jump", 7, 2, "movq (%%r8), %%rax\n jmp 2f\n 2: nop");
    CASE("each", 15, 2,
         "nop\n movl (%%r8), %%eax\n nop\n movl 4096(%%r8), %%ebx\n nop\n"
         "movl 8192(%%r8), %%ecx\n nop");
    CASE("loop", 409, 102, LOOP(100, "movq (%%r8), %%rax\n movq 4096(%%r8), %%rax"));
}

static void stacks(void)
{
    CASE("push", 10, 1,
         "nop\n movq %%rsp, %%r9\n leaq 8(%%r8), %%rsp\n pushq %%rax\n"
         "movq %%r9, %%rsp\n nop");
    CASE("pop", 10, 1,
         "nop\n movq %%rsp, %%r9\n movq %%r8, %%rsp\n popq %%rax\n"
         "movq %%r9, %%rsp\n nop");
    CASE("pop_memory", 8, 1, "pushq %%rax\n nop\n popq (%%r8)\n nop");
    CASE("push_memory", 8, 1, "nop\n pushq (%%r8)\n popq %%rax\n nop");
    CASE("leave", 10, 1,
         "movq %%rbp, %%r9\n movq %%rsp, %%r10\n movq %%r8, %%rbp\n leave\n"
         "movq %%r9, %%rbp\n movq %%r10, %%rsp");
    CASE("pushf", 9, 1, "movq %%rsp, %%r9\n leaq 8(%%r8), %%rsp\n pushfq\n movq %%r9, %%rsp\n nop");
}

/* Calls, jumps and returns through memory: what is in the page is written through `pool`. */
static void transfers(void)
{
    CASE("call", 10, 2,
         "movq %%rsp, %%r9\n leaq 8(%%r8), %%rsp\n nop\n call 2f\n"
         "2: movq %%r9, %%rsp\n nop");
    CASE("call_register", 11, 2,
         "movq %%rsp, %%r9\n leaq 8(%%r8), %%rsp\n leaq 2f(%%rip), %%rax\n"
         "nop\n call *%%rax\n 2: movq %%r9, %%rsp\n nop");
    CASE("call_memory", 10, 2,
         "leaq 2f(%%rip), %%rax\n movq %%rax, pool\n nop\n call *(%%r8)\n"
         "2: popq %%rax\n nop");
    CASE("jump_memory", 9, 2,
         "leaq 2f(%%rip), %%rax\n movq %%rax, pool\n nop\n jmp *(%%r8)\n"
         "2: nop");
    CASE("return", 12, 2,
         "leaq 2f(%%rip), %%rax\n movq %%rax, pool\n movq %%rsp, %%r9\n"
         "movq %%r8, %%rsp\n nop\n ret\n 2: movq %%r9, %%rsp\n nop");
    CASE("return_far", 14, 2,
         "leaq 2f(%%rip), %%rax\n movq %%rax, pool\n movq $8, pool + 8\n"
         "movq %%rsp, %%r9\n movq %%r8, %%rsp\n nop\n lretq\n"
         "2: movq %%r9, %%rsp\n nop\n nop");
}

/* String instructions: 1 for each, however often it was begun. */
static void strings(void)
{
    CASE("movs_source", 8, 1, "movl %[array], %%edi\n movq %%r8, %%rsi\n movsq\n nop");
    CASE("movs_target", 8, 1, "movl %[array], %%esi\n movq %%r8, %%rdi\n movsq\n nop");
    CASE("movs_both", 12, 2, "leaq 4096(%%r8), %%rdi\n movq %%r8, %%rsi\n movsq\n nop");
    CASE("cmps_both", 12, 2, "leaq 4096(%%r8), %%rdi\n movq %%r8, %%rsi\n cmpsq\n nop");
    CASE("lods", 7, 1, "movq %%r8, %%rsi\n lodsq\n nop");
    CASE("rep_stos", 13, 2,
         "movl $6000, %%ecx\n movq %%r8, %%rdi\n xorl %%eax, %%eax\n"
         "rep stosb\n nop");
    CASE("rep_movs", 13, 2,
         "movl $6000, %%ecx\n movq %%r8, %%rdi\n movl %[array], %%esi\n"
         "rep movsb\n nop");
    CASE("rep_cmps", 13, 2,
         "movl $6000, %%ecx\n movq %%r8, %%rdi\n movl %[array], %%esi\n"
         "repe cmpsb\n nop");
    CASE("rep_scas", 13, 2,
         "movl $6000, %%ecx\n movq %%r8, %%rdi\n movl $77, %%eax\n"
         "repne scasb\n nop");
    CASE("rep_one", 8, 1, "movl $1, %%ecx\n movq %%r8, %%rdi\n rep stosb\n nop");
    CASE("rep_none", 4, 0, "xorl %%ecx, %%ecx\n movq %%r8, %%rdi\n rep stosb\n nop");
}

static void errors(void)
{
    CASE("divide", 6, 1, "leaq 2f(%%rip), %%r15\n xorl %%ecx, %%ecx\n nop\n divl %%ecx\n 2: nop");
    CASE("divide_memory", 12, 3,
         "leaq 2f(%%rip), %%r15\n nop\n divl (%%r8)\n nop\n jmp 3f\n"
         "2: nop\n nop\n jmp 4f\n 3: nop\n 4: nop\n");
    CASE("divide_overflow", 8, 1,
         "leaq 2f(%%rip), %%r15\n movl $1, %%ecx\n movl $5, %%edx\n nop\n"
         "idivl %%ecx\n nop\n 2: nop\n nop");
    CASE("general", 7, 1,
         "leaq 2f(%%rip), %%r15\n movl $1, %%eax\n shlq $63, %%rax\n"
         "movq (%%rax), %%rax\n nop\n 2: nop");
    CASE("general_write", 7, 1,
         "leaq 2f(%%rip), %%r15\n movl $1, %%eax\n shlq $63, %%rax\n"
         "movq %%rax, (%%rax)\n nop\n 2: nop");
    CASE("segment", 6, 1,
         "leaq 2f(%%rip), %%r15\n movl $0x7f8, %%eax\n movl %%eax, %%fs\n nop\n"
         "2: nop");
    CASE("task", 6, 1, "leaq 2f(%%rip), %%r15\n movl $0x7f8, %%eax\n ltr %%ax\n nop\n 2: nop");
    CASE("stack", 10, 1,
         "leaq 2f(%%rip), %%r15\n movq %%rsp, %%r9\n movl $1, %%eax\n"
         "shlq $63, %%rax\n movq %%rax, %%rsp\n pushq %%rax\n nop\n"
         "2: movq %%r9, %%rsp\n nop");
    CASE("return_bad", 10, 1,
         "leaq 2f(%%rip), %%r15\n movq %%rsp, %%r9\n pushq $0x7f8\n nop\n"
         "pushq $0x7f8\n lretq\n 2: movq %%r9, %%rsp\n nop");
    CASE("iret_bad", 13, 1,
         "leaq 2f(%%rip), %%r15\n movq %%rsp, %%r9\n pushq $16\n pushq %%r9\n"
         "pushfq\n pushq $0x7f8\n pushq %%r15\n nop\n iretq\n"
         "2: movq %%r9, %%rsp\n nop");
    CASE("undefined", 5, 1, "leaq 2f(%%rip), %%r15\n nop\n ud2\n 2: nop");
    CASE("undefined_1", 5, 1, "leaq 2f(%%rip), %%r15\n nop\n .byte 0x0f, 0xb9, 0xc0\n 2: nop");
    CASE("undefined_32", 5, 1, "leaq 2f(%%rip), %%r15\n nop\n .byte 0x06\n 2: nop");
    CASE("undefined_lock", 5, 1, "leaq 2f(%%rip), %%r15\n nop\n .byte 0xf0, 0x90\n 2: nop");
    CASE("undefined_form", 5, 1, "leaq 2f(%%rip), %%r15\n nop\n .byte 0x8d, 0xc0\n 2: nop");
    CASE("rdpmc", 5, 1, "leaq 2f(%%rip), %%r15\n nop\n rdpmc\n 2: nop");
    CASE("breakpoint", 4, 2, "nop\n int3\n nop");
    CASE("software", 4, 2, "nop\n int $0x80\n nop");
}

/* The FPU's owner is somebody else. */
static void fpu(void)
{
    __asm__ volatile("movq %%cr0, %%rax\n orl $8, %%eax\n movq %%rax, %%cr0" : : : "rax");
    CASE("vector_off", 5, 1, "nop\n movups 8192(%%r8), %%xmm0\n nop");
    __asm__ volatile("movq %%cr0, %%rax\n orl $8, %%eax\n movq %%rax, %%cr0" : : : "rax");
    CASE("x87_off", 5, 1, "nop\n fninit\n nop");
    __asm__ volatile("movq %%cr0, %%rax\n orl $8, %%eax\n movq %%rax, %%cr0" : : : "rax");
    CASE("vector_away", 8, 2, "movups (%%r8), %%xmm0\n nop");
}

void guest(void)
{
    make_task();
    for (unsigned vector = 0; vector < 32; vector++)
        gate(vector, vector == 8 || (vector >= 10 && vector <= 13) ? skip_code : skip, 1);
    gate(3, back, 1), gate(7, enable, 1), gate(14, repair, 1), gate(128, back, 1);
    say("magic", (uint64_t)hypercall());
    write(0x38f, 0);
    write(0x186, SELECT(INSTRUCTIONS, 3));
    write(0x187, SELECT(BRANCHES, 3));
    for (unsigned pass = 0; pass < 2; pass++) {
        say("pass", pass);
        MEASURE("nothing", 0, 0, "");
        data_pages();
        stacks();
        transfers();
        strings();
        errors();
        fpu();
        write(0x188, SELECT(0xc5, 3)); /* with all models */
        write(0x189, SELECT(0x412e, 3));
    }
    end();
}
