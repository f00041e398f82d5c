/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resets while counters run: the machine starts again as after power-on, the old slots are left
 * alone, and the guest can begin anew. It remembers in RAM that nothing initializes how often it
 * has started, and resets itself in another way each time; the last time it waits for a tester.
 * CPU 1, where there is one, has counters that run, too.
 */
#include "tests/qemu/qpmu/pc.h"
#include "tests/qemu/qpmu/pc_cpus.h"

#define PERIOD 100000

static volatile struct {
    uint64_t magic, boots;
    uint32_t head[2], spins;
} *const kept = (void *)0x3000000;
static struct qpmu_slot *const old_slots = (void *)0x3100000;
#define OLD(cpu) ((struct qpmu_slot *)((uint64_t)old_slots + 0x10000 * (cpu)))

uint64_t second_stack[512];
static volatile int second_begins, second_runs;

/* CPU's counter 0 overflows every PERIOD instructions, and nobody takes what its ring gets. */
static void run_counters(unsigned cpu)
{
    struct qpmu_slot *mine = OLD(cpu);

    *(volatile uint32_t *)&mine->tail = 0;
    __asm__ volatile("nopl 0x5150(%%rax)\n movl $0, (%0)" : : "r"(mine) : "memory");
    mine->reload[0] = (1ull << 48) - PERIOD;
    mine->reload_on = 1;
    put(mine, 0x186, 0);
    put(mine, 0x4c1, (1ull << 48) - PERIOD);
    put(mine, 0x186, SELECT(INSTRUCTIONS, 3) | 1 << 20);
    put(mine, 0x187, SELECT(BRANCHES, 3));
    put(mine, 0x38d, 0x3);
    put(mine, 0x38f, 0x70000000f);
}

static uint64_t events(unsigned cpu)
{
    return *(volatile uint32_t *)&OLD(cpu)->head + *(volatile uint32_t *)&OLD(cpu)->dropped;
}

void other_cpu(void)
{
    second_begins = 1;
    while (second_begins == 1)
        take_turns();
    if (kept->boots > 1) {
        tell("second_head", events(1) - kept->head[1] <= 1, 0, 1, 0);
        tell("second_silent", get(OLD(1), 0x186), get(OLD(1), 0xc1), 12345, 12345);
    }
    run_counters(1);
    second_runs = 1;
    for (;;)
        kept->head[1] = (uint32_t)events(1);
}

/* Nobody counts, nobody answers. */
static void check_off(void)
{
    tell("head", events(0) - kept->head[0] <= 1, 0, 1, 0);
    tell("silent", get(OLD(0), 0x186), get(OLD(0), 0xc1), 12345, 12345);
    tell("silent_global", get(OLD(0), 0x38f), *(volatile uint64_t *)&OLD(0)->value, 12345, 12345);
    __asm__ volatile(LOOP(1000000, "nop") : : : "rbx");
    tell("still", events(0) - kept->head[0] <= 1, 0, 1, 0);
}

/* As after power-on. */
static void check_new(void)
{
    tell("magic", (uint64_t)hypercall(), 0, 1, 0);
    tell("selects", read(0x186) | read(0x187), read(0x188) | read(0x189), 0, 0);
    tell("counters", read(0xc1) | read(0xc2), read(0x309), 0, 0);
    tell("controls", read(0x38d), read(0x38f), 0, 0xf);
    tell("status", read(0x38e), 0, 0, 0);
    tell("ring", *(volatile uint32_t *)&slot.head, *(volatile uint32_t *)&slot.dropped, 0, 0);
    write(0x38f, 0);
    write(0x186, SELECT(INSTRUCTIONS, 3));
    write(0x187, SELECT(BRANCHES, 3));
    MEASURE("loop", 401, 100, LOOP(100, "nop\n nop"));
    write(0x188, SELECT(0x412e, 3)); /* with models */
    MEASURE("loop_models", 401, 100, LOOP(100, "nop\n nop"));
}

void guest(void)
{
    if (kept->magic != 0x5150) {
        kept->magic = 0x5150;
        kept->boots = 0;
    }
    make_task();
    say("pass", kept->boots);
    if (kept->boots > 0)
        check_off();
    check_new();
    kept->boots++;
    if (CPUS > 1) {
        start_cpu(1, second_stack + 512, &second_begins);
        second_begins = 2;
        while (!second_runs)
            take_turns();
    }
    run_counters(0);
    kept->head[0] = (uint32_t)events(0);
    switch (kept->boots) {
    case 1: /* three faults in one */
        idt[3] = (struct gate){0};
        __asm__ volatile("lidt %0\n int3" : : "m"((uint64_t[2]){0, 0}));
        break;
    case 2: /* the keyboard controller */
        out(0x64, 0xfe);
        break;
    case 3: /* the chip set's reset control */
        out(0xcf9, 2);
        out(0xcf9, 6);
        break;
    case 4: /* a tester */
        say("ready", 0);
        for (;;)
            kept->head[0] = (uint32_t)events(0);
    default:
        end();
    }
    for (;;)
        kept->head[0] = (uint32_t)events(0);
}
