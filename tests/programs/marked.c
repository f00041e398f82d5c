/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * marked [WORD]...: a freestanding program, every instruction of which is known from outside: it
 * begins at `_start` and its last one is the system call at `last`. Between the instructions at
 * `loop_begin` and `loop_end` it works TURNS times the number of words, and each kind of
 * instruction that counters are known to count wrong is among that: repeated ones, taken and
 * untaken branches likely with their slots, first touches of pages, divisions, floating point. Its
 * status is a digit sum of what it worked out.
 */
#define TURNS 100
#define PAGE  4096
#define PAGES 64

static unsigned char memory[PAGES * PAGE];
static unsigned table[256];

#ifdef __x86_64__
__asm__(".globl _start\n_start: mov (%rsp),%rdi\n and $-16,%rsp\n call work\n"
        " mov %eax,%edi\n mov $60,%eax\n.globl last\nlast: syscall\n hlt");

static unsigned machine(unsigned value)
{
    unsigned long count = value % 40; /* also none */
    unsigned char *to = memory;

    __asm__ volatile("rep stosb" : "+c"(count), "+D"(to) : "a"(value) : "memory");
    return memory[3];
}

#define MARK(name) __asm__ volatile(".globl " name "\n" name ": nop" ::: "memory")
#else
__asm__(".set push\n.set noreorder\n.globl __start\n__start: ld $4,0($29)\n dli $5,-16\n"
        " and $29,$29,$5\n jal work\n nop\n move $4,$2\n li $2,5058\n"
        ".globl last\nlast: syscall\n nop\n.set pop");

/* A branch likely, whose slot is executed when it is taken. */
static unsigned machine(unsigned value)
{
    unsigned long sum = 1;

    __asm__ volatile(".set push\n.set noreorder\n.set noat\n"
                     "andi $1,%1,1\n bnel $1,$0,1f\n daddiu %0,%0,5\n daddiu %0,%0,7\n1:\n"
                     "andi $1,%1,6\n beql $1,$0,2f\n lbu %0,%2\n daddiu %0,%0,9\n2:\n.set pop"
                     : "+&r"(sum)
                     : "r"((unsigned long)value), "m"(memory[3])
                     : "$1");
    return (unsigned)sum;
}

#define MARK(name) __asm__ volatile(".globl " name "\n" name ": ssnop" ::: "memory")
#endif

static unsigned turn(unsigned seed)
{
    double product = 1;

    for (unsigned i = 0; i < 256; i++) {
        seed = seed * 1103515245 + 12345;
        table[i] = seed >> 8;
        if (table[i] % 3 == 0)
            product = product * 1.0001 + table[i] / 7;
    }
    for (unsigned i = 1; i < 256; i++) {
        unsigned value = table[i], at = i;

        for (; at > 0 && table[at - 1] > value; at--)
            table[at] = table[at - 1];
        table[at] = value;
    }
    memory[seed % sizeof memory]++;
    return table[128] + (unsigned)product + machine(seed >> 9);
}

static __attribute__((noinline)) unsigned turns(long count)
{
    unsigned sum = 0;

    for (long i = 0; i < count; i++)
        sum += turn(sum);
    return sum;
}

__attribute__((used)) unsigned work(long words)
{
    unsigned sum;

    MARK("loop_begin");
    sum = turns(words * TURNS);
    MARK("loop_end");
    while (sum > 63)
        sum = sum / 10 + sum % 10;
    return sum;
}
