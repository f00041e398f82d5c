/* SPDX-License-Identifier: BSD-2-Clause */
/* Resets while counters run: x86_64_reset.c for the Malta, which resets itself in one way only. */
#include "tests/qemu/qpmu/malta.h"

#define PERIOD 100000

static volatile struct {
    uint64_t magic, boots;
    uint32_t head;
} *const kept = (void *)0xffffffff83000000;
static struct qpmu_slot *const old_slot = (void *)0xffffffff83100000;

#define READ(from, select)                                                                         \
    ({                                                                                             \
        *(volatile uint64_t *)&(from)->value = 12345;                                              \
        __asm__ volatile("mfc0 $0, $25, " #select : : : "memory");                                 \
        *(volatile uint64_t *)&(from)->value;                                                      \
    })
#define PUT(to, select, value_)                                                                    \
    do {                                                                                           \
        *(volatile uint32_t *)&(to)->again = 0;                                                    \
        *(volatile uint64_t *)&(to)->value = (value_);                                             \
        __asm__ volatile("mtc0 $0, $25, " #select : : : "memory");                                 \
    } while (*(volatile uint32_t *)&(to)->again)

static uint32_t events(void)
{
    return *(volatile uint32_t *)&old_slot->head + *(volatile uint32_t *)&old_slot->dropped;
}

static void run_counters(void)
{
    *(volatile uint32_t *)&old_slot->tail = 0;
    *(volatile uint32_t *)&old_slot->status = 0x80;
    __asm__ volatile("sltiu $0, $0, 0x5150\n sw $0, 0(%0)" : : "r"(old_slot) : "memory");
    status(0x80);
    old_slot->reload[0] = 0x80000000u - PERIOD;
    old_slot->reload_on = 1;
    PUT(old_slot, 0, 0);
    PUT(old_slot, 1, 0x80000000u - PERIOD);
    PUT(old_slot, 0, CONTROL(15, K | EXL) | 16);
    PUT(old_slot, 2, CONTROL(2, K | EXL));
}

static void loop(void)
{
    __asm__ volatile(".set push\n .set noreorder\n" LOOP(999999, "nop\n nop") ".set pop"
                     :
                     :
                     : "$8");
}

/* Nobody counts, nobody answers. */
static void check_off(void)
{
    tell("head", events() - kept->head <= 1, 0, 1, 0);
    tell("silent", READ(old_slot, 0), READ(old_slot, 1), 12345, 12345);
    tell("silent_2", READ(old_slot, 2), READ(old_slot, 3), 12345, 12345);
    loop();
    tell("still", events() - kept->head <= 1, 0, 1, 0);
}

/* As after power-on. */
static void check_new(void)
{
    uint64_t before;

    begin();
    tell("controls", READ(&slot, 0), READ(&slot, 2), 0, 0);
    tell("counters", READ(&slot, 1), READ(&slot, 3), 0, 0);
    tell("ring", *(volatile uint32_t *)&slot.head, *(volatile uint32_t *)&slot.dropped, 0, 0);
    for (unsigned pass = 0; pass < 2; pass++) {
        WRITE(0, CONTROL(15, K));
        __asm__ volatile(".set push\n .set noreorder\n mfc0 $0, $25, 1\n ld %0, 0(%1)\n" LOOP(
                             99, "nop\n nop") "mfc0 $0, $25, 1\n .set pop"
                         : "=&r"(before)
                         : "r"(&slot.value)
                         : "$8", "memory");
        tell(pass ? "loop_models" : "loop", *(volatile uint64_t *)&slot.value - before - 2, 0, 401,
             0);
        WRITE(2, CONTROL(9, K));
    }
}

void guest(void)
{
    if (kept->magic != 0x5150) {
        kept->magic = 0x5150;
        kept->boots = 0;
    }
    say("pass", kept->boots);
    if (kept->boots > 0)
        check_off();
    check_new();
    kept->boots++;
    run_counters();
    kept->head = events();
    if (kept->boots < 3)
        *RESET = 0x42;
    else if (kept->boots > 3)
        end();
    else
        say("ready", 0);
    for (;;)
        kept->head = events();
}
