/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bare guest that makes a record of every instruction of work(), with its callers: so the records
 * are a trace, from which test_qpmu_callers.py finds out for itself who called whom. It prints
 * them, one a line: address, flags, callers; in hexadecimal.
 */
#ifdef __mips__
#include "tests/qemu/qpmu/malta.h"
#else
#include "tests/qemu/qpmu/pc.h"
#endif

#define OWN   16384
#define WORDS 65536
#define NEVER __attribute__((noinline, noclone))

static struct {
    struct {
        struct qpmu_record record;
        struct qpmu_callers callers;
    } each[OWN];
    uint64_t words[WORDS];
} own __attribute__((aligned(4096)));
static uint64_t other_stack[1024], main_pointer, other_pointer, jump[12];
static volatile int sink;

int work(void);
void swap(uint64_t *from, uint64_t *to), other_start(void), jump_to(uint64_t *jump);
int jump_set(uint64_t *jump) __attribute__((returns_twice));
void interrupt_here(void), handler(void), leaf_slot(void);

/* --- known calls --------------------------------------------------------------------------------
 */

NEVER int leaf(int n)
{
    __asm__ volatile("" : "+r"(n));
    return n + 1;
}

/* Ends in a jump to leaf. */
NEVER int tail(int n)
{
    sink = n;
    return leaf(n + 2);
}

NEVER int twice(int n)
{
    return leaf(n) + leaf(n + 1);
}

/* Deeper than a record has room for. */
NEVER int deep(int n)
{
    int below = n > 0 ? deep(n - 1) : twice(n);

    __asm__ volatile("" : "+r"(below));
    return below + leaf(n);
}

static int (*volatile pointer)(int) = twice;
static int (*volatile tail_pointer)(int) = tail;

NEVER int by_pointer(int n)
{
    return pointer(n) + tail_pointer(n);
}

/* What ends in a jump by pointer, to a function far away, with something on its stack or not. */
__attribute__((section(".text.far"))) NEVER int far_leaf(int n)
{
    __asm__ volatile("" : "+r"(n));
    return n + 3;
}

static int (*volatile far_pointer)(int) = far_leaf;

NEVER int tail_far(int n)
{
    sink = twice(n);
    return far_pointer(n);
}

NEVER int tail_far_at_once(int n)
{
    return far_pointer(n);
}

NEVER int ends_far(int n)
{
    return tail_far(n) + tail_far_at_once(n);
}

/* Left by a jump, three functions in. */
NEVER int descend(int n)
{
    sink = leaf(n);
    if (n == 0)
        jump_to(jump);
    else
        n = descend(n - 1);
    __asm__ volatile("" : "+r"(n));
    return n + 1;
}

NEVER int jumps(int n)
{
    if (jump_set(jump) == 0)
        return descend(n);
    n = twice(n);
    return n + tail(n);
}

/* --- two stacks ---------------------------------------------------------------------------------
 */

NEVER void other_turn(int n)
{
    sink = twice(n);
    swap(&other_pointer, &main_pointer);
    sink = leaf(n);
}

NEVER void other_work(void)
{
    for (int n = 0;; n++) {
        other_turn(n);
        sink = tail(n);
        swap(&other_pointer, &main_pointer);
    }
}

NEVER int turn(int n)
{
    swap(&main_pointer, &other_pointer);
    return leaf(n);
}

NEVER int turns(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += turn(i) + twice(i);
    return sum;
}

/* --- interrupts ---------------------------------------------------------------------------------
 */

void handle(void)
{
    sink = twice(sink);
}

NEVER int interrupted(int n)
{
    interrupt_here();
    return leaf(n);
}

NEVER int work(void)
{
    int sum = leaf(1) + tail(2) + twice(3) + by_pointer(4) + deep(3);

    sum += turns(3);
    sum += interrupted(1);
    sum += ends_far(3);
    sum += jumps(3);
    sum += turns(2);
    sum += deep(70);
    leaf_slot();
    return sum + leaf(sum);
}

/* --- machines -----------------------------------------------------------------------------------
 */

/* So much text needs a line that waits for its reader: bit 5 of register 5 says that it may go on.
 */
static void wait(void)
{
#ifdef __mips__
    while (!(UART[5] & 0x20))
        ;
#else
    uint8_t status = 0;

    do
        __asm__ volatile("inb %1, %0" : "=a"(status) : "d"((uint16_t)0x3fd));
    while (!(status & 0x20));
#endif
}

static void put(const char *text)
{
    for (; *text; text++) {
        const char one[2] = {*text, '\0'};

        wait();
        print(one);
    }
}

static void hex(uint64_t value)
{
    char digits[18], *p = &digits[17];

    *p = '\0';
    do
        *--p = "0123456789abcdef"[value % 16];
    while ((value /= 16) != 0);
    put(p);
}

#ifdef __mips__
__asm__(".text\n .set push\n .set noreorder\n .set noat\n"
        ".globl swap\n .type swap, @function\n"
        "swap: sd $16, -8($sp)\n sd $17, -16($sp)\n sd $18, -24($sp)\n sd $19, -32($sp)\n"
        "   sd $20, -40($sp)\n sd $30, -48($sp)\n sd $31, -56($sp)\n sd $sp, 0($4)\n"
        "   ld $sp, 0($5)\n ld $16, -8($sp)\n ld $17, -16($sp)\n ld $18, -24($sp)\n"
        "   ld $19, -32($sp)\n ld $20, -40($sp)\n ld $30, -48($sp)\n ld $31, -56($sp)\n"
        "   jr $31\n nop\n .size swap, . - swap\n"
        ".globl other_start\n .type other_start, @function\n"
        "other_start: jal other_work\n nop\n .size other_start, . - other_start\n"
        ".globl jump_set\n .type jump_set, @function\n"
        "jump_set: sd $16, 0($4)\n sd $17, 8($4)\n sd $18, 16($4)\n sd $19, 24($4)\n"
        "   sd $30, 32($4)\n sd $sp, 40($4)\n sd $31, 48($4)\n jr $31\n move $2, $0\n"
        "   .size jump_set, . - jump_set\n"
        ".globl jump_to\n .type jump_to, @function\n"
        "jump_to: ld $16, 0($4)\n ld $17, 8($4)\n ld $18, 16($4)\n ld $19, 24($4)\n"
        "   ld $30, 32($4)\n ld $sp, 40($4)\n ld $31, 48($4)\n jr $31\n li $2, 1\n"
        "   .size jump_to, . - jump_to\n"
        ".globl interrupt_here\n .type interrupt_here, @function\n"
        "interrupt_here: syscall\n jr $31\n nop\n .size interrupt_here, . - interrupt_here\n"
        /* A call whose delay slot raises an exception, and is executed again with it. */
        ".globl leaf_slot\n .type leaf_slot, @function\n"
        "leaf_slot: daddiu $sp, $sp, -16\n sd $31, 8($sp)\n lui $15, 0x40\n jal leaf\n"
        "   lw $4, 8($15)\n ld $31, 8($sp)\n jr $31\n daddiu $sp, $sp, 16\n"
        "   .size leaf_slot, . - leaf_slot\n"
        ".globl handler\n .type handler, @function\n"
        "handler: daddiu $sp, $sp, -32\n sd $31, 24($sp)\n sd $4, 16($sp)\n sd $2, 8($sp)\n"
        "   jal handle\n nop\n ld $31, 24($sp)\n ld $4, 16($sp)\n ld $2, 8($sp)\n"
        "   daddiu $sp, $sp, 32\n dmfc0 $26, $14\n daddiu $26, $26, 4\n dmtc0 $26, $14\n ehb\n"
        "   eret\n .size handler, . - handler\n"
        "vector: dla $26, handler\n jr $26\n nop\n vector_end:\n"
        ".set pop\n");
extern const char vector[], vector_end[];

static void arrange(void)
{
    begin();
    copy(0xffffffff80000180, vector, vector_end);
    entries(0);
    other_pointer = (uint64_t)(other_stack + 1024);
    other_stack[1024 - 7] = (uint64_t)other_start;
}

static void ask(void *place)
{
    __asm__ volatile("sltiu $0, $0, 0x5150\n sw $0, 0(%0)" : : "r"(place) : "memory");
}

static void sample(void)
{
    slot.reload[0] = 0x7fffffff;
    slot.reload_on = 1;
    WRITE(0, 0);
    WRITE(1, 0x7fffffff);
    WRITE(0, CONTROL(15, 15));
    sink = work();
    WRITE(0, 0);
}

#else
__asm__(".text\n"
        ".globl swap\n .type swap, @function\n"
        "swap: pushq %rbx\n pushq %rbp\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
        "   movq %rsp, (%rdi)\n movq (%rsi), %rsp\n"
        "   popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbp\n popq %rbx\n ret\n"
        "   .size swap, . - swap\n"
        ".globl other_start\n .type other_start, @function\n"
        "other_start: call other_work\n .size other_start, . - other_start\n"
        /* As C libraries have it: a jump, and no return. */
        ".globl jump_set\n .type jump_set, @function\n"
        "jump_set: movq %rbx, (%rdi)\n movq %rbp, 8(%rdi)\n movq %r12, 16(%rdi)\n"
        "   movq %r13, 24(%rdi)\n movq %r14, 32(%rdi)\n movq %r15, 40(%rdi)\n"
        "   leaq 8(%rsp), %rax\n movq %rax, 48(%rdi)\n movq (%rsp), %rax\n movq %rax, 56(%rdi)\n"
        "   xorl %eax, %eax\n ret\n .size jump_set, . - jump_set\n"
        ".section .text.far, \"ax\"\n .skip 8192\n" /* farther than a function is long */
        ".globl jump_to\n .type jump_to, @function\n"
        "jump_to: movq (%rdi), %rbx\n movq 8(%rdi), %rbp\n movq 16(%rdi), %r12\n"
        "   movq 24(%rdi), %r13\n movq 32(%rdi), %r14\n movq 40(%rdi), %r15\n"
        /* The interrupt's handler changes nothing of what this jump is. */
        "   movq 48(%rdi), %rsp\n int $0x40\n movl $1, %eax\n jmp *56(%rdi)\n"
        "   .size jump_to, . - jump_to\n"
        "   .skip 8192\n .text\n"
        ".globl interrupt_here\n .type interrupt_here, @function\n"
        "interrupt_here: int $0x40\n ret\n .size interrupt_here, . - interrupt_here\n"
        ".globl leaf_slot\n .type leaf_slot, @function\n"
        "leaf_slot: ret\n .size leaf_slot, . - leaf_slot\n"
        ".globl handler, handler_end\n .type handler, @function\n"
        "handler: pushq %rax\n pushq %rcx\n pushq %rdx\n pushq %rsi\n pushq %rdi\n"
        "   pushq %r8\n pushq %r9\n pushq %r10\n pushq %r11\n call handle\n"
        "   popq %r11\n popq %r10\n popq %r9\n popq %r8\n popq %rdi\n popq %rsi\n popq %rdx\n"
        "   popq %rcx\n popq %rax\n iretq\n .size handler, . - handler\n handler_end:\n");
extern const char handler_end[];

static void arrange(void)
{
    make_task();
    gate(0x40, (const char *)handler, 0);
    slot.gates = (uint64_t)handler;
    slot.gates_end = (uint64_t)handler + 1;
    say("magic", (uint64_t)hypercall());
    other_pointer = (uint64_t)(other_stack + 1024 - 8);
    other_stack[1024 - 2] = (uint64_t)other_start;
}

static void ask(void *place)
{
    __asm__ volatile("nopl 0x5150(%%rax)\n movl $0, (%0)" : : "r"(place) : "memory");
}

static void sample(void)
{
    slot.reload[0] = (1ull << 48) - 1;
    slot.reload_on = 1;
    write(0x186, 0);
    write(0xc1, (1ull << 48) - 1);
    write(0x186, SELECT(INSTRUCTIONS, 3));
    sink = work();
    write(0x186, 0);
}
#endif

void guest(void)
{
    arrange();
    slot.ring_size = OWN;
    slot.ring_words = WORDS;
    slot.flags |= QPMU_RING_NEXT;
    ask(&own);
    say("words", *(volatile uint32_t *)&slot.ring_words);
    while (!*(volatile uint32_t *)&slot.following)
        ;
    sample();
    say("dropped", *(volatile uint32_t *)&slot.dropped);
    while (slot.tail != *(volatile uint32_t *)&slot.head) {
        const struct qpmu_record *record = &own.each[slot.tail % OWN].record;
        const struct qpmu_callers *callers = &own.each[slot.tail++ % OWN].callers;

        put("at ");
        hex(record->pc);
        put(" ");
        hex(callers->flags);
        for (uint32_t i = 0; i < callers->count; i++) {
            put(" ");
            hex(own.words[(callers->first + i) % WORDS]);
        }
        put("\n");
    }
    wait();
    end();
}
