/* SPDX-License-Identifier: BSD-2-Clause */
/* cross_page KIND TURNS: calls a function of three instructions, whose second one lies in two
 * pages, TURNS times; 8 instructions each. x86_64. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)

#define FUNCTION(name, back, first, second)                                                        \
    void name(char *data);                                                                         \
    __asm__(".text\n.balign 4096\n.skip 4096 - " #back "\n" #name ":\n" first "\n" second "\nret"  \
            "\n")

FUNCTION(load, 10, "lea 8(%rsp), %rdx", "xor %fs:0x28, %rdx");
FUNCTION(store, 8, "lea 8(%rsp), %rdx", "movl $5, 0x100(%rdi)");
FUNCTION(number, 8, "lea 8(%rsp), %rdx", "movabs $0x1122334455667788, %rax");
FUNCTION(load_behind_store, 8, "mov %rdx, 8(%rdi)", "xor %fs:0x28, %rdx");

static const struct {
    const char *name;
    void (*call)(char *data);
} kinds[] = {
    {"load", load}, {"store", store}, {"number", number}, {"load_behind_store", load_behind_store}};

static void turn(void (*call)(char *data), char *data, long turns)
{
    __asm__ volatile("1: mov %2, %%rdi\n nop\n call *%1\n dec %0\n jnz 1b"
                     : "+r"(turns)
                     : "r"(call), "r"(data)
                     : "rax", "rdx", "rdi", "memory", "cc");
}

int main(int argc, char **argv)
{
    static char data[4096];

    for (unsigned i = 0; argc == 3 && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(argv[1], kinds[i].name) == 0) {
            turn(kinds[i].call, data, atol(argv[2]));
            return 0;
        }
    fprintf(stderr, "usage: cross_page KIND TURNS\n");
    return 2;
}

#else

int main(void)
{
    fprintf(stderr, "cross_page: no instruction lies in two pages here\n");
    return 2;
}

#endif
