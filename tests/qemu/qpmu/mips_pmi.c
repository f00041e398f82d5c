/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A counter that interrupts, of a Malta that knows nothing of qpmu (its transparent mode, the
 * registers of release 2): it samples a loop, and compares the place of each interrupt, to the
 * instruction, with what follows from the period. It counts in kernel mode without EXL, so nothing
 * of the handler.
 */
#include <stdbool.h>

#include "tests/qemu/qpmu/malta.h"

#ifndef PIN
#define PIN 7 /* of the CPU */
#endif
#ifndef EVENT
#define EVENT 1u /* the 24K's instructions */
#endif
#ifndef SELECTS
#define SELECTS (1u << 31) /* M: there is a second pair */
#endif
#ifndef SAMPLES
#define SAMPLES 20000 /* in each pass */
#endif
#define TURN       4u /* instructions of a turn of the loop; the last is the branch's delay slot */
#define BEGINS     1u /* the mtc0 that sets the counter going is counted */
#define SLOT       3u
#define INTERRUPTS (0x81u | 1u << (8 + PIN)) /* Status: KX, the pin, IE */
#define CAUSE_BD   (1u << 31)
#define STOPPED    (1u << 27) /* Cause: DC, the timer stands still */
#define ENABLE_INT (1u << 4)

struct place {
    uint64_t pc, left, cause; /* left: turns, after this one */
};
static struct place places[SAMPLES + 8];
static volatile struct {
    uint64_t magic, boots;
} *const kept = (void *)0xffffffff83000000;

extern const char sampled[], interrupted[], interrupted_end[];

/* $8: the turns. $9: where the next place goes. $10: the preset. $11: the control register. */
__asm__(".section .text\n .set push\n .set noreorder\n .set noat\n"
        "interrupted: dmfc0 $26, $14\n mfc0 $27, $13\n sd $26, 0($9)\n sd $8, 8($9)\n"
        "   sd $27, 16($9)\n daddiu $9, $9, 24\n mtc0 $10, $25, 1\n ehb\n eret\n"
        "interrupted_end:\n"
        "work: mtc0 $10, $25, 1\n mtc0 $11, $25, 0\n"
        "sampled: nop\n ld $27, 0($9)\n bnez $8, sampled\n daddiu $8, $8, -1\n"
        "   mtc0 $0, $25, 0\n jr $31\n nop\n .set pop\n");

/* How many instructions of the loop were executed when it was interrupted, or what is behind it. */
static uint64_t executed(const struct place *place, uint64_t turns)
{
    uint64_t at = (place->pc - (uint64_t)sampled) / 4;

    if (at == TURN)
        return turns * TURN;
    if (at >= SLOT || place->cause & CAUSE_BD)
        return ~0ull;
    return (turns - 1 - place->left) * TURN + at;
}

/*
 * SAMPLES interrupts, and half a period more. What comes due before a delay slot interrupts behind
 * it; that instruction is counted before the next period begins.
 */
static void sample(const char *name, uint32_t period)
{
    uint64_t turns, taken, bad = 0, expected = -(uint64_t)BEGINS, last = -(uint64_t)BEGINS;
    register uint64_t left __asm__("$8");
    register struct place *next __asm__("$9");
    register uint64_t preset __asm__("$10");
    register uint64_t control __asm__("$11");

    for (unsigned i = 0; i < SAMPLES; i++) {
        last += period;
        last += last % TURN == SLOT;
    }
    turns = (last + period / 2) / TURN;
    left = turns - 1;
    next = places;
    preset = (uint64_t)(int64_t)(int32_t)(0x80000000u - period);
    control = EVENT << 5 | ENABLE_INT | K;
    __asm__ volatile("mtc0 %4, $12\n ehb\n .set push\n .set noreorder\n jal work\n nop\n"
                     " .set pop\n mtc0 %5, $12\n ehb"
                     : "+r"(left), "+r"(next), "+r"(preset), "+r"(control)
                     : "r"(INTERRUPTS), "r"(0x80)
                     : "$31", "memory");
    taken = (uint64_t)(next - places);
    for (unsigned i = 0; i < taken && i < SAMPLES; i++) {
        expected += period;
        expected += expected % TURN == SLOT;
        if (executed(&places[i], turns) != expected && bad++ == 0)
            tell("first", i, executed(&places[i], turns), i, expected);
    }
    tell(name, taken, bad, SAMPLES, 0);
}

void guest(void)
{
    if (kept->magic != 0x5150) {
        kept->magic = 0x5150;
        kept->boots = 0;
    }
    say("boot", kept->boots);
    __asm__ volatile("mtc0 %0, $13\n ehb" : : "r"(STOPPED));
    copy(0xffffffff80000180, interrupted, interrupted_end);
    __asm__ volatile("mtc0 %0, $12\n ehb" : : "r"(0x80));
    tell("control", CP0("$25, 0"), 0, SELECTS, 0);
    tell("counter", CP0("$25, 1"), 0, 0, 0);
    sample("even", 100);
    sample("odd", 103);
    sample("short", 3);
    if (kept->boots++ > 0)
        end();
    __asm__ volatile("mtc0 %0, $25, 1\n mtc0 %1, $25, 0"
                     :
                     : "r"(0x80000000ll - 1000000), "r"(EVENT << 5 | ENABLE_INT | K));
    *RESET = 0x42; /* with an overflow not far away */
    for (;;)
        ;
}
