/* SPDX-License-Identifier: BSD-2-Clause */
/* Several CPUs of a PC measure at the same time, each what it does itself. See cpus.h. */
#include <stdbool.h>

#include "tests/qemu/qpmu/pc.h"
#include "tests/qemu/qpmu/pc_cpus.h"

#include "tests/qemu/qpmu/cpus.h"

static uint64_t stacks[CPUS][512] __attribute__((aligned(16)));
static uint8_t buffers[CPUS][4096];
static volatile int begun[CPUS];
static unsigned starting;

/* As MEASURE, on this CPU. */
#define ROLE(name, instructions, branches, code)                                                   \
    do {                                                                                           \
        struct qpmu_slot *own_ = &slots[cpu];                                                      \
        uint8_t *buffer_ = buffers[cpu];                                                           \
        uint64_t right_[2] = {instructions, branches}, got_[2];                                    \
        put(own_, 0xc1, 0);                                                                        \
        put(own_, 0xc2, 0);                                                                        \
        *(volatile uint64_t *)&own_->value = 0xf;                                                  \
        *(volatile uint32_t *)&own_->number = 0x38f;                                               \
        __asm__ volatile("movl $0x38f, %%ecx\n wrmsr\n" code "\n movq $0, %[value]\n"              \
                         "movl $0x38f, %[number]\n movl $0x38f, %%ecx\n wrmsr"                     \
                         : [value] "+m"(own_->value), [number] "+m"(own_->number)                  \
                         : [shared] "i"(&shared), [buffer] "r"(buffer_)                            \
                         : "rax", "rbx", "rcx", "rdx", "rdi", "memory", "cc");                     \
        got_[0] = get(own_, 0xc1) - 4;                                                             \
        got_[1] = get(own_, 0xc2);                                                                 \
        note(cpu, number, got_, right_);                                                           \
    } while (0)

static __attribute__((noinline)) void role(unsigned cpu, unsigned number)
{
    switch (number) {
    case 0:
        ROLE("steps", 1 + 50000 * 4, 50000, LOOP(50000, "nop\n nop"));
        break;
    case 1:
        ROLE("atomic", 1 + 20000 * 3, 20000, LOOP(20000, "lock incl %a[shared]"));
        break;
    case 2:
        ROLE("calls", 2 + 10000 * 5, 30001, LOOP(10000, "call 2f\n nop") "jmp 3f\n 2: ret\n 3:");
        break;
    default:
        ROLE("strings", 1 + 2000 * 5, 2000,
             LOOP(2000, "movl $100, %%ecx\n movq %[buffer], %%rdi\n rep stosb"));
    }
}

/* Off and on again. */
static void change(unsigned cpu)
{
    put(&slots[cpu], 0x188, 0);
    put(&slots[cpu], 0x189, 0);
    pause_a_while(1000);
    put(&slots[cpu], 0x188, SELECT(0x412e, 3)); /* with models */
    put(&slots[cpu], 0x189, SELECT(0xc5, 3));
}

static void measure(unsigned cpu)
{
    struct qpmu_slot *own = &slots[cpu];

    __asm__ volatile("nopl 0x5150(%%rax)\n movl $0, (%0)" : : "r"(own) : "memory");
    put(own, 0x38f, 0);
    put(own, 0x186, SELECT(INSTRUCTIONS, 3));
    put(own, 0x187, SELECT(BRANCHES, 3));
    for (unsigned pass = 0; pass < 2; pass++) {
        rounds(cpu, pass > 0);
        if (cpu == 0) {
            say("pass", pass);
            report("steps", 0);
            report("atomic", 1);
            report("calls", 2);
            report("strings", 3);
        }
    }
}

void other_cpu(void)
{
    unsigned cpu = starting;

    begun[cpu] = 1;
    measure(cpu);
    for (;;)
        __asm__ volatile("cli\n hlt");
}

void guest(void)
{
    for (starting = 1; starting < CPUS; starting++)
        start_cpu(starting, stacks[starting] + 512, &begun[starting]);
    say("magic", (uint64_t)hypercall());
    measure(0);
    end();
}
