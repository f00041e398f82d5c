/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counters' interrupt on the pin that is the timer's, too, of a Malta that knows nothing of
 * qpmu: neither takes the other's away. Interrupts are off; each line shows the pin, and what Cause
 * says of the timer (release 2 of the architecture) and of the counters. A reset with both up
 * leaves nothing.
 */
#include "tests/qemu/qpmu/malta.h"

#ifndef EVENT
#define EVENT 1u /* the 24K's instructions */
#endif
#define INT       (1u << 4)
#define CAUSE_PCI 26
#define CAUSE_TI  30
#define CAUSE_IP7 15
#define LATE      50000000u /* counts by which a host may be */
#define AHEAD     1000000000u

static volatile struct {
    uint64_t magic, boots;
} *const kept = (void *)0xffffffff83000000;

#define CAUSE CP0("$13")
#define COUNT CP0("$9")

static void compare(uint32_t value)
{
    __asm__ volatile("mtc0 %0, $11\n ehb" : : "r"((uint64_t)(int64_t)(int32_t)value));
}

/* Far away. */
static void timer_down(void)
{
    compare(COUNT - 1);
}

/* Until BIT of Cause says so. What is near may have passed before it was written: then farther. */
static void timer_up(unsigned bit)
{
    for (uint32_t ahead = 10000; ahead < AHEAD; ahead *= 4) {
        uint32_t began = COUNT;

        compare(began + ahead);
        while (!(CAUSE >> bit & 1) && COUNT - began < ahead + LATE)
            ;
        if (CAUSE >> bit & 1)
            return;
    }
}

static void counter_up(void)
{
    __asm__ volatile("mtc0 %0, $25, 1\n mtc0 %1, $25, 0\n ehb\n nop\n nop\n nop\n nop\n nop\n nop"
                     :
                     : "r"(0x80000000ll - 6), "r"((uint64_t)(EVENT << 5 | INT | K)));
}

static void counter_down(void)
{
    __asm__ volatile("mtc0 $0, $25, 0\n ehb");
}

static void show(const char *name)
{
    uint32_t now = CAUSE;

    say(name, (now >> CAUSE_IP7 & 1) * 100 + (now >> CAUSE_TI & 1) * 10 + (now >> CAUSE_PCI & 1));
}

void guest(void)
{
    if (kept->magic != 0x5150) {
        kept->magic = 0x5150;
        kept->boots = 0;
    }
    __asm__ volatile("mtc0 %0, $12\n ehb" : : "r"(0x80)); /* kernel mode, interrupts off */
    say("boot", kept->boots);
    show("new");
    counter_up();
    show("counter");
    counter_down();
    show("neither");
    timer_up(CAUSE_IP7);
    show("timer");
    counter_up();
    show("counter joins");
    counter_down();
    show("counter leaves");
    counter_up();
    timer_down();
    show("timer leaves");
    counter_down();
    show("neither");
#ifdef RELEASE_2
    counter_up();
    timer_up(CAUSE_TI);
    show("timer joins");
    timer_down();
    show("timer leaves");
    counter_down();
    show("neither");
#endif
    timer_up(CAUSE_IP7);
    timer_down();
    show("neither");
    if (kept->boots++ > 0)
        end();
    timer_up(CAUSE_IP7);
    counter_up();
    show("both");
    *RESET = 0x42;
    for (;;)
        ;
}
