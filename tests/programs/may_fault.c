/* SPDX-License-Identifier: BSD-2-Clause */
/* may_fault KIND TURNS PROCESSES: each runs TURNS times eight instructions that could fault, and do
 * not, and two or three that cannot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EIGHT(text) text "\n" text "\n" text "\n" text "\n" text "\n" text "\n" text "\n" text "\n"
#if defined(__x86_64__)
#define LOOP(name, text)                                                                           \
    static void name(long turns)                                                                   \
    {                                                                                              \
        __asm__ volatile("1: " EIGHT(text) "dec %0\n jnz 1b"                                       \
                         : "+r"(turns)                                                             \
                         : "a"(0), "d"(0), "c"(7)                                                  \
                         : "xmm0", "xmm1", "memory", "cc");                                        \
    }

LOOP(divide, "div %%ecx")
LOOP(sum, "paddb %%xmm0, %%xmm1")
LOOP(number, "mulsd %%xmm0, %%xmm1")
LOOP(other, "fnop")
#else
#define LOOP(name, text)                                                                           \
    static void name(long turns)                                                                   \
    {                                                                                              \
        __asm__ volatile("1: " EIGHT(text) "daddiu %0, %0, -1\n bnez %0, 1b\n nop"                 \
                         : "+r"(turns)                                                             \
                         :                                                                         \
                         : "$8", "$f0", "$f2", "memory");                                          \
    }

LOOP(divide, "teq $0, $29") /* what a compiler puts behind each division */
LOOP(sum, "dadd $8, $0, $0")
LOOP(number, "mul.d $f0, $f2, $f2")
LOOP(other, "cfc1 $8, $31")
#endif

static const struct {
    const char *name;
    void (*run)(long turns);
} kinds[] = {{"divide", divide}, {"sum", sum}, {"number", number}, {"other", other}};

int main(int argc, char **argv)
{
    for (unsigned i = 0; argc == 4 && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(argv[1], kinds[i].name) == 0) {
            for (int left = atoi(argv[3]); left > 1 && fork() == 0; left--)
                ;
            kinds[i].run(atol(argv[2]));
            wait(NULL);
            return 0;
        }
    fprintf(stderr, "usage: may_fault KIND TURNS PROCESSES\n");
    return 2;
}
