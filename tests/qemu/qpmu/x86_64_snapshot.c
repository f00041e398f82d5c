/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the same loop again and again until the slot's magic is gone, because a tester has loaded
 * a snapshot or moved the machine; then it makes the hypercall again. With QUIET it executes one
 * long loop first, in which it touches no counter.
 */
#include "tests/qemu/qpmu/pc.h"

static __attribute__((noinline)) uint64_t loop(void)
{
    uint64_t before = read(0xc1);

    __asm__ volatile(LOOP(100000, "nop\n nop") : : : "rbx");
    return read(0xc1) - before;
}

static void quiet(void)
{
    __asm__ volatile("movq $100000000, %%rbx\n 1: nop\n nop\n decq %%rbx\n jnz 1b" : : : "rbx");
}

void guest(void)
{
    uint64_t first, now;

    make_task();
    say("magic", (uint64_t)hypercall());
    write(0x38f, 1);
    write(0x186, SELECT(INSTRUCTIONS, 3));
    first = loop();
    say("ready", 0);
    if (QUIET)
        quiet();
    do
        now = loop();
    while (now == first && *(volatile uint32_t *)&slot.magic == QPMU_MAGIC);
    tell("stopped", *(volatile uint32_t *)&slot.magic, read(0xc1), 0, ~0ull);
    write(0x186, SELECT(INSTRUCTIONS, 3));
    tell("refused", read(0x186), read(0x38f), ~0ull, ~0ull);
    say("magic", (uint64_t)hypercall());
    tell("off", read(0x186), read(0x38f), 0, 0xf);
    write(0x186, SELECT(INSTRUCTIONS, 3));
    loop();
    tell("again", loop(), 0, first, 0);
    end();
}
