/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters that interrupt, of a PC that knows nothing of qpmu (its transparent mode): every CPU
 * samples a loop, and compares the place of each interrupt, to the instruction, with what follows
 * from the period. The counters stand still while the handler runs (freeze on PMI) but for what it
 * executes after it has set them going again. At last a timer's interrupt comes at one instruction
 * after the other, that of the overflow among them: an NMI goes before it (SDM volume 3, 7.9).
 */
#include <stdbool.h>

#include "tests/qemu/qpmu/pc.h"
#include "tests/qemu/qpmu/pc_cpus.h"

#ifndef CPUS
#define CPUS 1
#endif
#ifndef SAMPLES
#define SAMPLES 20000 /* of each CPU in each pass */
#endif
#define PERIOD 101u
#define BEGINS 1u            /* the wrmsr that sets counters going is counted */
#define LEAVES 4u            /* instructions that the handler executes while it counts, with that */
#define SHORT  (LEAVES + 2u) /* a period that ends in the first block behind the handler */
#define TURN   4u            /* instructions of a turn of the loop */

/* SDM volume 4, table 2-2. */
#define PERFCTR0      0xc1
#define PERFEVTSEL0   0x186
#define DEBUGCTL      0x1d9
#define FIXED_CTRL    0x38d
#define GLOBAL_STATUS 0x38e
#define GLOBAL_CTRL   0x38f
#define OVF_CTRL      0x390
#define FREEZE_ON_PMI (1u << 12)
#define ENABLE_INT    (1u << 20) /* of PERFEVTSEL, beside what SELECT says */
#define LAPIC         0xfee00000u
#define LVTPC         0x340u
#define VECTOR        0x40u
#define NMI           0x400u
#define LVT_TIMER     0x320u
#define TIMER_COUNT   0x380u
#define TIMER_DIVIDE  0x3e0u
#define DIVIDE_BY_1   0xbu
#define TIMER_VECTOR  0x41u
#define TIMES         600u /* nanoseconds; with -icount shift=1 half as many instructions */

enum pass { PASS_VECTOR, PASS_NMI, PASS_NESTED, PASS_SHORT, PASS_TIMER, PASS_FAULT, PASSES };
static const char *const names[PASSES] = {"vector", "nmi", "nested", "short", "timer", "fault"};
static const uint64_t interrupts[PASSES] = {SAMPLES, SAMPLES, SAMPLES, SAMPLES, TIMES, 1};

struct place {
    uint64_t rip, turns; /* turns that are left */
};
static struct place places[CPUS][SAMPLES + 8];
static uint64_t stacks[CPUS][512] __attribute__((aligned(16)));
static volatile uint64_t wrong[CPUS], taken[CPUS], first[CPUS], was[CPUS], should[CPUS];
static volatile int begun[CPUS], done[CPUS];
static volatile uint64_t ticks[CPUS];
static unsigned starting;
#define NONE ((const struct place *)~0ull)
/* Kept in RAM while the machine is reset. */
static volatile uint64_t *const boots = (volatile uint64_t *)0x3000000;

extern const char sampled[], handler[], timer[], work[], faulting[], missing[], found[];

/*
 * r8: where the next place goes. r9, r10: the next two presets. r11: the LAPIC. r12: what LVTPC is
 * to say. r13: the timer's interrupts. r14: the last place, behind which nothing is set going. rbx:
 * the turns. The loop's other registers are the handler's.
 */
__asm__(".text\n .balign 16\n"
        "handler: movq (%rsp), %rax\n movq %rax, (%r8)\n movq %rbx, 8(%r8)\n addq $16, %r8\n"
        "   movl $0x390, %ecx\n movl $1, %eax\n xorl %edx, %edx\n wrmsr\n"
        "   movl $0xc1, %ecx\n movl %r9d, %eax\n wrmsr\n xchgq %r9, %r10\n"
        "   movl %r12d, 0x340(%r11)\n movl $0, 0xb0(%r11)\n"
        "   cmpq %r14, %r8\n jae 1f\n"
        "   movl $0x38f, %ecx\n movl $1, %eax\n"
        "   wrmsr\n nop\n nop\n iretq\n" /* LEAVES */
        "1: iretq\n"
        "timer: incq (%r13)\n movl $0, 0xb0(%r11)\n iretq\n"
        "missing: addq $8, %rsp\n" /* what the jump leads to is not there */
        "found: movq $resumed, (%rsp)\n iretq\n"
        "faulting: movl $0x38f, %ecx\n movl $1, %eax\n xorl %edx, %edx\n wrmsr\n"
        "   nop\n nop\n jmp *0x20000000\n"
        "resumed: nop\n nop\n nop\n"
        "   movl $0x38f, %ecx\n xorl %eax, %eax\n xorl %edx, %edx\n wrmsr\n ret\n"
        "work: movl $0x38f, %ecx\n movl $1, %eax\n xorl %edx, %edx\n wrmsr\n"
        "sampled: nop\n movq (%rsp), %rax\n decq %rbx\n jnz sampled\n"
        "   movl $0x38f, %ecx\n xorl %eax, %eax\n xorl %edx, %edx\n wrmsr\n ret\n");

static inline uint64_t msr(uint32_t number)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(number));
    return low | (uint64_t)high << 32;
}

/* CODE, interrupted; *NEXT_PLACE is where the next place goes, LAST_PLACE ends it. */
static void work_on(const char *code, unsigned cpu, struct place **next_place, uint64_t presets[2],
                    uint32_t lvtpc, uint64_t turns, const struct place *last_place)
{
    register struct place *next __asm__("r8") = *next_place;
    register uint64_t preset __asm__("r9") = presets[0];
    register uint64_t other __asm__("r10") = presets[1];
    register uint64_t at __asm__("r11") = LAPIC;
    register uint64_t entry __asm__("r12") = lvtpc;
    register volatile uint64_t *ticked __asm__("r13") = &ticks[cpu];
    register const struct place *last __asm__("r14") = last_place;
    register uint64_t left __asm__("rbx") = turns;

    __asm__ volatile("sti\n call *%8\n cli"
                     : "+r"(next), "+r"(preset), "+r"(other), "+r"(left)
                     : "r"(at), "r"(entry), "r"(ticked), "r"(last), "r"(code)
                     : "rax", "rcx", "rdx", "memory", "cc");
    *next_place = next;
}

/* Counter 0 counts PERIOD instructions, and tells as LVTPC says. */
static void prepare(uint32_t lvtpc, uint64_t period)
{
    volatile uint32_t *apic = (volatile uint32_t *)(uint64_t)LAPIC;

    apic[0xf0 / 4] = 0x1ff; /* software enable */
    set_msr(GLOBAL_CTRL, 0);
    set_msr(OVF_CTRL, msr(GLOBAL_STATUS));
    set_msr(DEBUGCTL, FREEZE_ON_PMI);
    set_msr(PERFEVTSEL0, SELECT(INSTRUCTIONS, 3) | ENABLE_INT);
    set_msr(PERFCTR0, -period);
    apic[LVTPC / 4] = lvtpc;
}

/* How many instructions of the loop were executed when it was interrupted. */
static uint64_t executed(const struct place *place, uint64_t turns)
{
    switch (place->rip - (uint64_t)sampled) {
    case 0:
        return (turns - place->turns) * TURN;
    case 1:
        return (turns - place->turns) * TURN + 1;
    case 5: /* before decq, which is 3 bytes long */
        return (turns - place->turns) * TURN + 2;
    case 8:
        return (turns - place->turns - 1) * TURN + 3;
    default:
        return ~0ull;
    }
}

/*
 * SAMPLES interrupts, and half a period more, in PASS_SHORT just these. The instructions of LEAVES
 * are counted, and not the loop's. PASS_NESTED: each second preset is -1, whose overflow comes with
 * the first of LEAVES: in the NMI's handler, which no other interrupts, so it is taken when that
 * has ended.
 */
static void sample(unsigned cpu, enum pass pass)
{
    const uint64_t period = pass == PASS_SHORT ? SHORT : PERIOD, step = period - LEAVES;
    uint64_t samples = SAMPLES, length, turns, bad = 0, expected = period - BEGINS;
    uint64_t presets[] = {pass == PASS_NESTED ? -1ull : -period, -period};
    uint32_t lvtpc = pass == PASS_VECTOR ? VECTOR : NMI;
    struct place *next = places[cpu];

    length = period + (pass == PASS_NESTED ? (samples - 2) / 2 : samples - 1) * step + step / 2;
    turns = length / TURN + (pass == PASS_SHORT);
    prepare(lvtpc, period);
    work_on(work, cpu, &next, presets, lvtpc, turns, pass == PASS_SHORT ? next + samples : NONE);
    taken[cpu] = (uint64_t)(next - places[cpu]);
    set_msr(PERFEVTSEL0, 0);
    for (uint64_t i = 0; i < taken[cpu] && i < samples; i++) {
        if (executed(&places[cpu][i], turns) != expected && bad++ == 0) {
            first[cpu] = i;
            was[cpu] = executed(&places[cpu][i], turns);
            should[cpu] = expected;
        }
        if (pass != PASS_NESTED || i % 2 == 1)
            expected += step;
    }
    wrong[cpu] = bad;
}

/* One overflow a time, and an interrupt of the timer that comes later each time. */
static void meet_timer(unsigned cpu)
{
    volatile uint32_t *apic = (volatile uint32_t *)(uint64_t)LAPIC;
    uint64_t behind = 0;

    ticks[cpu] = 0;
    for (unsigned time = 1; time <= TIMES; time++) {
        struct place *next = places[cpu];
        uint64_t presets[] = {1, 1};
        uint64_t before = ticks[cpu];

        prepare(NMI, PERIOD);
        apic[TIMER_DIVIDE / 4] = DIVIDE_BY_1;
        apic[LVT_TIMER / 4] = TIMER_VECTOR;
        apic[TIMER_COUNT / 4] = time;
        work_on(work, cpu, &next, presets, NMI, PERIOD, NONE);
        behind += next != places[cpu] + 1 || places[cpu][0].rip == (uint64_t)timer;
        while (ticks[cpu] == before)
            __asm__ volatile("sti\n nop\n cli" : : : "memory");
    }
    set_msr(PERFEVTSEL0, 0);
    taken[cpu] = ticks[cpu];
    wrong[cpu] = behind;
}

/*
 * The third instruction of FAULTING, the last of its block, would overflow, but faults, and does
 * not graduate: it is the first one of the handler that does.
 */
static void fault(unsigned cpu)
{
    struct place *next = places[cpu];
    uint64_t presets[] = {1, 1};

    prepare(NMI, BEGINS + 3);
    work_on(faulting, cpu, &next, presets, NMI, 0, NONE);
    set_msr(PERFEVTSEL0, 0);
    taken[cpu] = (uint64_t)(next - places[cpu]);
    wrong[cpu] = places[cpu][0].rip != (uint64_t)found;
}

static void meet(volatile int *flags, int value)
{
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        while (flags[cpu] < value)
            take_turns();
}

/* All CPUs at the same time. */
static void passes(unsigned cpu)
{
    for (enum pass pass = 0; pass < PASSES; pass++) {
        begun[cpu] = (int)pass + 2;
        meet(begun, (int)pass + 2);
        if (pass == PASS_TIMER)
            meet_timer(cpu);
        else if (pass == PASS_FAULT)
            fault(cpu);
        else
            sample(cpu, pass);
        done[cpu] = (int)pass + 1;
        meet(done, (int)pass + 1);
        if (cpu != 0)
            continue;
        for (unsigned i = 0; i < CPUS; i++) {
            tell(names[pass], taken[i], wrong[i], interrupts[pass], 0);
            if (wrong[i] && pass < PASS_TIMER)
                tell("first", first[i], was[i], first[i], should[i]);
        }
    }
}

void other_cpu(void)
{
    unsigned cpu = starting;

    __asm__ volatile("lidt idt_pointer");
    begun[cpu] = 1;
    passes(cpu);
    for (;;)
        __asm__ volatile("hlt");
}

/* After a reset everything is as after power-on, and nothing counts. */
static void check_new(void)
{
    tell("control", msr(GLOBAL_CTRL), msr(FIXED_CTRL), 0xf, 0); /* SDM volume 3, 21.2.2 */
    tell("select", msr(PERFEVTSEL0), msr(DEBUGCTL), 0, 0);
    tell("counter", msr(PERFCTR0), msr(GLOBAL_STATUS), 0, 0);
}

void guest(void)
{
    if (boots[0] != 0x5150) {
        boots[0] = 0x5150;
        boots[1] = 0;
    }
    say("boot", boots[1]);
    out(0x21, 0xff);
    out(0xa1, 0xff);
    gate(2, handler, 0);
    gate(VECTOR, handler, 0);
    gate(TIMER_VECTOR, timer, 0);
    gate(14, missing, 0);
    check_new();
    for (starting = 1; starting < CPUS; starting++)
        start_cpu(starting, stacks[starting] + 512, &begun[starting]);
    passes(0);
    if (boots[1]++ > 0)
        end();
    set_msr(PERFEVTSEL0, SELECT(INSTRUCTIONS, 3) | ENABLE_INT);
    set_msr(PERFCTR0, -(uint64_t)1000000);
    set_msr(FIXED_CTRL, 0xb);
    set_msr(GLOBAL_CTRL, 1ull << 32 | 1);
    out(0xcf9, 6); /* reset, with an overflow not far away */
    for (;;)
        ;
}
