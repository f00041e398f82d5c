/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor: this CPU's record, its vectors' lines, idling, its name. */
#include <arch/context.h>
#include <arch/cpu.h>
#include <arch/event_timer.h>
#include <arch/interrupt_flag.h>
#include <arch/softint.h>
#include "arch/x86_64/descriptor.h"
#include "arch/x86_64/user.h"
#include "arch/x86_64/vector.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpu_share.h"
#include "kernel/interrupt/interrupt.h"
#include "lib/format.h"
#include "lib/section.h"
#include "lib/string.h"

struct cpu cpu_self = {.self = &cpu_self};
int (*event_timer_device)(uint64_t now, uint64_t deadline);
SHARED_BSS struct interrupt_line *vector_lines[VECTORS];

static void cpu_acknowledge_nothing(struct interrupt_line *line)
{
    (void)line;
}

/* Vectors that nobody has claimed, from before lines are attached. */
static struct interrupt_cells stray_cells;
static SHARED_DATA struct interrupt_line stray = {.acknowledge = cpu_acknowledge_nothing,
                                                  .cells = &stray_cells};
static const struct interrupt_chip no_chip = {"cpu0", false, NULL, NULL, NULL, NULL};

void cpu_boot(void)
{
    descriptor_boot(0);
    user_boot();
    strlcpy(stray.name, "stray vector", sizeof stray.name);
    for (unsigned i = 0; i < VECTORS; i++)
        vector_lines[i] = &stray;
}

void cpu_boot_lines(void)
{
    interrupt_line_attach(&stray, &no_chip, 0, false, cpu_group(), NULL);
}

void vector_set(unsigned vector, struct interrupt_line *line)
{
    vector_lines[vector] = line;
}

int event_timer_arm_anywhere(uint64_t now, uint64_t deadline)
{
    return event_timer_device(now, deadline);
}

bool event_timer_peculiar(void)
{
    return false;
}

bool softint_kick(int level)
{
    (void)level;
    return false;
}

void cpu_wait(volatile const bool *work)
{
    if (*work)
        interrupts_enable();
    else
        __asm__ volatile("sti; hlt"
                         :
                         :
                         : "memory"); /* sti holds interrupts off for one more instruction */
}

_Noreturn void cpu_stop(void)
{
    for (;;)
        __asm__ volatile("cli; hlt");
}

size_t cpu_describe(char *buffer, size_t size)
{
    uint32_t brand[13] = {0}, out[4];
    const char *name = (const char *)brand;

    cpuid(0x80000000, out);
    if (out[0] < 0x80000004)
        return format(buffer, size, "x86-64 processor");
    for (unsigned i = 0; i < 3; i++)
        cpuid(0x80000002 + i, brand + i * 4);
    while (*name == ' ')
        name++;
    return format(buffer, size, "%s", name);
}

void *context_prepare(char *stack, size_t size)
{
    extern void context_first(void);
    uint64_t *pointer = (uint64_t *)(stack + size);

    *--pointer = 0;
    *--pointer = (uint64_t)context_first;
    for (unsigned i = 0; i < 7; i++) /* rbp rbx r12-r15, interrupts off */
        *--pointer = 0;
    return pointer;
}
