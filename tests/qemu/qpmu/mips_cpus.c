/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several CPUs of a Malta measure at the same time, each what it does itself. See cpus.h. They all
 * begin at the reset vector, and some perhaps long after the first one.
 */
#include <stdbool.h>

#include "tests/qemu/qpmu/malta.h"

#include "tests/qemu/qpmu/cpus.h"

/* As WRITE, on this CPU. */
#define PUT(select, value_)                                                                        \
    do {                                                                                           \
        *(volatile uint32_t *)&own->again = 0;                                                     \
        *(volatile uint64_t *)&own->value = (value_);                                              \
        __asm__ volatile("mtc0 $0, $25, " #select : : : "memory");                                 \
    } while (*(volatile uint32_t *)&own->again)

/* Instructions and loads. TRIES: what CODE leaves in $10, where it adds up. */
#define ROLE(name, instructions, loads, code)                                                      \
    do {                                                                                           \
        register uint64_t tries __asm__("$10") = 0;                                                \
        register unsigned *shared_ __asm__("$12") = &shared;                                       \
        uint64_t b0_, b1_, e0_, e1_;                                                               \
        __asm__ volatile(                                                                          \
            ".set push\n .set noreorder\n .set noat\n"                                             \
            "mfc0 $1, $25, 1\n ld %0, 0(%5)\n mfc0 $1, $25, 3\n ld %1, 0(%5)\n" code               \
            "\n mfc0 $1, $25, 1\n ld %2, 0(%5)\n mfc0 $1, $25, 3\n ld %3, 0(%5)\n .set pop"        \
            : "=&r"(b0_), "=&r"(b1_), "=&r"(e0_), "=&r"(e1_), "+r"(tries)                          \
            : "r"(&own->value), "r"(shared_)                                                       \
            : "$1", "$8", "$9", "$11", "$14", "$15", "memory");                                    \
        note(cpu, number_, (uint64_t[]){e0_ - b0_ - 4, e1_ - b1_ - 2},                             \
             (uint64_t[]){instructions, loads});                                                   \
    } while (0)

static __attribute__((noinline)) void role(unsigned cpu, unsigned number_)
{
    struct qpmu_slot *own = &slots[cpu];

    switch (number_) {
    case 0:
        ROLE("steps", 1 + 50000 * 4, 0, LOOP(49999, "nop\n nop"));
        break;
    case 1: /* as often as it takes */
        ROLE("atomic", 1 + 10000 * 2 + tries * 6, tries,
             LOOP(9999, "2: ll $9, 0($12)\n addiu $9, $9, 1\n sc $9, 0($12)\n"
                        "daddiu $10, $10, 1\n beqz $9, 2b\n nop"));
        break;
    case 2:
        ROLE("calls", 5 + 10000 * 6, 0,
             "dla $14, 2f\n" LOOP(9999, "jalr $15, $14\n nop") "b 3f\n nop\n"
                                                               "2: jr $15\n nop\n 3:");
        break;
    default:
        ROLE("loads", 1 + 20000 * 5, 40000, LOOP(19999, "lw $9, 0($12)\n nop\n lw $11, 0($12)"));
    }
}

/* An event of the models, and off again. */
static void change(unsigned cpu)
{
    struct qpmu_slot *own = &slots[cpu];

    PUT(0, CONTROL(9, K));
    PUT(2, CONTROL(8, K));
    for (volatile unsigned wait = 0; wait < 1000; wait++)
        ;
    PUT(0, CONTROL(15, K));
    PUT(2, CONTROL(2, K));
}

static void measure(unsigned cpu)
{
    struct qpmu_slot *own = &slots[cpu];

    own->status = 0x80;
    __asm__ volatile("sltiu $0, $0, 0x5150\n sw $0, 0(%0)" : : "r"(own) : "memory");
    own->status = 0x80;
    __asm__ volatile("mtc0 %0, $12\n ehb" : : "r"(0x80) : "memory");
    PUT(0, CONTROL(15, K));
    PUT(2, CONTROL(2, K));
    for (unsigned pass = 0; pass < 2; pass++) {
        rounds(cpu, pass > 0);
        if (cpu == 0) {
            say("pass", pass);
            report("steps", 0);
            report("atomic", 1);
            report("calls", 2);
            report("loads", 3);
        }
    }
}

void guest(void)
{
    unsigned cpu = 0;

    __asm__("mfc0 %0, $15, 1" : "+r"(cpu));
    cpu &= 0x3ff;
    if (cpu == 0)
        begin();
    measure(cpu);
    if (cpu == 0)
        end();
    for (;;)
        ;
}
