/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an INIT leaves of a CPU's counters: everything (SDM volume 3, 9.1: MSRs stay as they are).
 * CPU 1 is in a SITUATION, gets an INIT there, is started again, and first reads what its counters
 * hold: what they held, and if they run, the 35 instructions of its start (pc_cpus.h) and 2 more,
 * of which JUMPS are counted as such: one of them, a far one, in a compatibility segment.
 */
#include "tests/qemu/qpmu/pc.h"
#include "tests/qemu/qpmu/pc_cpus.h"

#define ARRIVAL     (TRAMPOLINE + 2)
#define JUMPS       5
#define BEGUN_LOOP  100 /* turns before the INIT, or more */
#define EVENT_COUNT 7

enum situation { NOTHING, STOPPED, RUNNING, USERS, HALTED, STRING, SITUATIONS };

struct qpmu_slot other_slot __attribute__((aligned(4096)));
uint64_t arrived[2], turns;
static uint64_t other_stacks[512], user_stack[64] __attribute__((aligned(16)));
static uint64_t turned; /* `turns` when it came */
static volatile int begun, situation, measured, models;
/* Before the INIT and behind it: the registers of `events`. */
static const uint32_t events[EVENT_COUNT] = {0xc1, 0xc2, 0x186, 0x187, 0x38d, 0x38e, 0x38f};
static uint64_t before[EVENT_COUNT], after[EVENT_COUNT], loop[2];

void other_goes_on(void);

__asm__(".text\n other_cpu:\n"
        "   movl $0xc1, other_slot + 0x18\n movl $0xc1, %ecx\n rdmsr\n"
        "   movq other_slot + 0x10, %rax\n movq %rax, arrived\n"
        "   movl $0xc2, other_slot + 0x18\n movl $0xc2, %ecx\n rdmsr\n"
        "   movq other_slot + 0x10, %rax\n movq %rax, arrived + 8\n"
        "   call other_goes_on\n");

static void registers(uint64_t *to)
{
    for (unsigned i = 0; i < EVENT_COUNT; i++)
        to[i] = get(&other_slot, events[i]);
}

static void select(uint64_t first, uint64_t second)
{
    put(&other_slot, 0x38f, 0);
    put(&other_slot, 0x186, first);
    put(&other_slot, 0x187, second);
    put(&other_slot, 0xc1, 0);
    put(&other_slot, 0xc2, 0);
}

/* The wrmsr that starts the counters, which counts, and CODE behind it, which does not end. */
#define FOR_EVER(code)                                                                             \
    do {                                                                                           \
        *(volatile uint64_t *)&other_slot.value = 0xf;                                             \
        *(volatile uint32_t *)&other_slot.number = 0x38f;                                          \
        __asm__ volatile("movl $0x38f, %%ecx\n wrmsr\n" code                                       \
                         :                                                                         \
                         : [stack] "r"(user_stack + 64), [buffer] "i"(array)                       \
                         : "rax", "rcx", "rdx", "rdi", "memory", "cc");                            \
    } while (0)

/* 401 instructions and 100 jumps, and 4 as in MEASURE. */
static void measure_loop(void)
{
    select(SELECT(INSTRUCTIONS, 3), SELECT(BRANCHES, 3));
    *(volatile uint64_t *)&other_slot.value = 0xf;
    *(volatile uint32_t *)&other_slot.number = 0x38f;
    __asm__ volatile(
        "movl $0x38f, %%ecx\n wrmsr\n" LOOP(100, "nop\n nop") "movq $0, other_slot + 0x10\n"
                                                              "movl $0x38f, other_slot + 0x18\n"
                                                              "movl $0x38f, %%ecx\n wrmsr"
        :
        :
        : "rax", "rbx", "rcx", "rdx", "memory", "cc");
}

static void stop_here(void)
{
    put(&other_slot, 0x38d, 0x3);
    measure_loop();
    put(&other_slot, 0x4c2, (1ull << 48) - 1); /* and over the end */
    put(&other_slot, 0x38f, 2);
    __asm__ volatile("jmp 1f\n 1:");
    put(&other_slot, 0x38f, 0);
    registers(before);
    for (;;)
        __atomic_fetch_add(&turns, 1, __ATOMIC_RELAXED);
}

void other_goes_on(void)
{
    if (other_slot.magic == 0)
        __asm__ volatile("nopl 0x5150(%%rax)\n movl $0, (%0)" : : "r"(&other_slot) : "memory");
    registers(after);
    turned = turns;
    turns = 0;
    measured = 0;
    begun = 1;
    while (begun == 1)
        take_turns();
    measure_loop();
    loop[0] = get(&other_slot, 0xc1) - 4;
    loop[1] = get(&other_slot, 0xc2);
    measured = 1;
    while (begun == 2)
        take_turns();
    if (models)
        put(&other_slot, 0x188, SELECT(0x412e, 3));
    switch (situation) {
    case STOPPED:
        stop_here();
        break;
    case RUNNING:
        select(SELECT(INSTRUCTIONS, 3), SELECT(BRANCHES, 3));
        FOR_EVER("1: incq turns\n jmp 1b");
        break;
    case USERS:
        select(SELECT(INSTRUCTIONS, 2), SELECT(INSTRUCTIONS, 1));
        FOR_EVER("pushq $0x1b\n pushq %[stack]\n pushq $2\n pushq $0x23\n pushq $1f\n iretq\n"
                 "1: incq turns\n jmp 1b");
        break;
    case HALTED:
        select(SELECT(INSTRUCTIONS, 3), SELECT(BRANCHES, 3));
        FOR_EVER("movl $100, turns\n 1: hlt\n jmp 1b");
        break;
    default:
        select(SELECT(INSTRUCTIONS, 3), SELECT(BRANCHES, 3));
        FOR_EVER("1: movl $4000, %%ecx\n movl %[buffer], %%edi\n rep stosb\n incq turns\n jmp 1b");
    }
}

/* What CPU 1 found when it came from WHERE. Its last turn may have been cut off anywhere. */
static void check(enum situation where)
{
    uint64_t jumps = arrived[1] - JUMPS, all = arrived[0] - ARRIVAL - 1;

    switch (where) {
    case NOTHING:
        return;
    case STOPPED:
        tell("stopped", arrived[0], arrived[1], before[0], before[1]);
        for (unsigned i = 2; i < EVENT_COUNT; i++)
            tell("registers", after[i], events[i], before[i], events[i]);
        tell("overflowed", before[5], 0, 2, 0);
        break;
    case RUNNING:
        tell("running", all - jumps, turned - jumps <= 1, turned, 1);
        break;
    case USERS:
        tell("users", all, 2 * turned - arrived[1] <= 1, 6, 1);
        break;
    case HALTED:
        tell("halted", all - 1 <= 1, jumps, 1, 0);
        break;
    default:
        tell("string", all - 5 * jumps <= 4, turned - jumps <= 1, 1, 1);
    }
    tell("loop", loop[0], loop[1], 401, 100);
}

static void go_through(void)
{
    enum situation last = NOTHING;

    for (unsigned next = STOPPED; next <= SITUATIONS; next++) {
        if (next == USERS && !(other_slot.features & QPMU_MODES))
            continue;
        begun = 0;
        start_cpu(1, other_stacks + 512, &begun);
        situation = (int)next;
        begun = 2;
        while (!measured)
            take_turns();
        check(last);
        last = next;
        begun = 3;
        while (next < SITUATIONS && *(volatile uint64_t *)&turns < BEGUN_LOOP)
            take_turns();
    }
}

void guest(void)
{
    say("magic", (uint64_t)hypercall());
    for (unsigned pass = 0; pass < 2; pass++) {
        say("pass", pass);
        models = (int)pass;
        go_through();
    }
    end();
}
