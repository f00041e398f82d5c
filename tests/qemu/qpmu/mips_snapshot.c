/* SPDX-License-Identifier: BSD-2-Clause */
/* x86_64_snapshot.c for the Malta. */
#include "tests/qemu/qpmu/malta.h"

static uint64_t read(void)
{
    __asm__ volatile("mfc0 $0, $25, 1" : : : "memory");
    return *(volatile uint64_t *)&slot.value;
}

static uint64_t control(void)
{
    __asm__ volatile("mfc0 $0, $25, 0" : : : "memory");
    return *(volatile uint64_t *)&slot.value;
}

static __attribute__((noinline)) uint64_t loop(void)
{
    uint64_t before = read();

    __asm__ volatile(".set push\n .set noreorder\n" LOOP(99999, "nop\n nop") ".set pop" : : : "$8");
    return (uint32_t)(read() - before);
}

static void quiet(void)
{
    __asm__ volatile(".set push\n .set noreorder\n" LOOP(99999999, "nop\n nop") ".set pop"
                     :
                     :
                     : "$8");
}

void guest(void)
{
    uint64_t first, now;

    begin();
    WRITE(0, CONTROL(15, K));
    first = loop();
    say("ready", 0);
    if (QUIET)
        quiet();
    do
        now = loop();
    while (now == first && *(volatile uint32_t *)&slot.magic == QPMU_MAGIC);
    tell("stopped", *(volatile uint32_t *)&slot.magic, read(), 0, ~0ull);
    WRITE(0, CONTROL(15, K));
    tell("refused", control(), read(), ~0ull, ~0ull);
    begin();
    tell("off", control(), read(), 0, 0);
    WRITE(0, CONTROL(15, K));
    loop();
    tell("again", loop(), 0, first, 0);
    end();
}
