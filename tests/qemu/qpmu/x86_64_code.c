/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code that changes itself. What is changed is a jump's distance: 0 goes through three instructions
 * more than 3 does, so that the count tells which of them was executed.
 */
#include "tests/qemu/qpmu/pc.h"

#define CASE MEASURE
/* The place to be changed, a jump over what follows. Executed: 4 or 1; set to 4, as at first, or
 * to 1 by SHORT. */
#define PLACE  "jmp 0f\n 0: nop\n nop\n nop\n"
#define SPOT   "4: " PLACE
#define SHORT  "movb $3, 4f + 1(%%rip)\n"
#define SHORTB "movb $3, 4b + 1(%%rip)\n"
#define LONGB  "movb $0, 4b + 1(%%rip)\n"

/* Changes of what is ahead. Behind the measurement the place is set back. */
static __attribute__((noinline)) void ahead(void)
{
    CASE("next", 3, 1, SHORT SPOT LONGB);
    CASE("same_block", 6, 1, SHORT "nop\n nop\n nop\n" SPOT LONGB);
    CASE("next_block", 7, 2, SHORT "nop\n nop\n jmp 2f\n 2: nop\n" SPOT LONGB);
    CASE("same_page", 5, 3, SHORT "jmp 4f\n .skip 1000\n" SPOT "jmp 2f\n .skip 1000\n 2: " LONGB);
    CASE("next_page", 5, 3, SHORT "jmp 4f\n .skip 5000\n" SPOT "jmp 2f\n .skip 5000\n 2: " LONGB);
    CASE("mapped_high", 6, 1,
         "leaq 4f(%%rip), %%rax\n addq %[high], %%rax\n"
         "movb $3, 1(%%rax)\n nop\n" SPOT LONGB);
    CASE("by_string", 10, 1,
         "leaq 4f + 1(%%rip), %%rdi\n movl $1, %%ecx\n movl $3, %%eax\n nop\n"
         "rep stosb\n nop\n nop\n" SPOT LONGB " nop");
    CASE("by_push", 9, 1,
         "movq %%rsp, %%r9\n movq 4f(%%rip), %%rax\n movb $3, %%ah\n"
         "leaq 4f + 8(%%rip), %%rsp\n pushq %%rax\n movq %%r9, %%rsp\n nop\n" SPOT LONGB);
    CASE("by_modify", 4, 1, "addb $3, 4f + 1(%%rip)\n nop\n" SPOT LONGB);
    CASE("by_exchange", 5, 1, "movl $3, %%eax\n xchgb %%al, 4f + 1(%%rip)\n nop\n" SPOT LONGB);
    CASE("by_call", 10, 3,
         "movq %%rsp, %%r9\n leaq 3f + 12(%%rip), %%rsp\n nop\n call 2f\n"
         "jmp 4f\n 2: movb $3, 4f + 1(%%rip)\n nop\n movq %%r9, %%rsp\n jmp 4f\n"
         ".balign 64\n 3: .skip 64\n" SPOT LONGB);
}

/* What has just been executed, itself, and back and forth in a loop. */
static __attribute__((noinline)) void behind(void)
{
    CASE("last", 6, 1, SPOT SHORTB LONGB);
    CASE("loop", 854, 200,
         LOOP(100, "xorb $3, 4f + 1(%%rip)\n" SPOT "nop\n nop\n nop") "nop\n" LONGB "nop");
    CASE("loop_behind", 854, 200,
         LOOP(100, SPOT "nop\n xorb $3, 4b + 1(%%rip)\n nop\n nop") "nop\n" LONGB "nop");
    CASE("loop_blocks", 1054, 400,
         LOOP(100, "xorb $3, 4f + 1(%%rip)\n jmp 2f\n 2:" SPOT
                   "nop\n jmp 3f\n 3: nop\n nop") "nop\n" LONGB "nop");
    CASE("itself", 5, 0, "nop\n 5: movb $0xc6, 5b(%%rip)\n nop\n nop\n nop");
    CASE("itself_loop", 401, 100, LOOP(100, "5: movb $0xc6, 5b(%%rip)\n nop"));
    CASE("immediate", 5, 0, "nop\n 5: movb $0, 5b + 6(%%rip)\n nop\n movb $0, 5b + 6(%%rip)\n nop");
    CASE("countdown", 403, 100, "nop\n nop\n" LOOP(100, "incb 5f + 1(%%rip)\n 5: movb $0, %%al"));
}

/* A function that is written anew for each call: ret behind 0 to 99 nops. */
static __attribute__((noinline)) void writes(void)
{
    CASE("grow", 1 + 100 * 8 + 4950, 300,
         LOOP(100, "movl $100, %%ecx\n subl %%ebx, %%ecx\n movb $0x90, pool + 15(%%rcx)\n"
                   "movb $0xc3, pool + 16(%%rcx)\n call pool + 16"));
}

void guest(void)
{
    make_task();
    say("magic", (uint64_t)hypercall());
    write(0x38f, 0);
    write(0x186, SELECT(INSTRUCTIONS, 3));
    write(0x187, SELECT(BRANCHES, 3));
    for (unsigned pass = 0; pass < 2; pass++) {
        say("pass", pass);
        ahead();
        behind();
        writes();
        write(0x188, SELECT(0xc5, 3)); /* with all models */
        write(0x189, SELECT(0x412e, 3));
    }
    end();
}
