/* SPDX-License-Identifier: BSD-2-Clause */
/* The PC's performance counters: how the CPU's own interrupt, and how qpmu. */
#include <stddef.h>
#include "arch/x86_64/vector.h"
#include "boot/board_part.h"
#include "boot/machine_pc.h"
#include "drivers/lapic.h"
#include "drivers/pmu_intel.h"
#include "drivers/pmu_overflow.h"
#include "kernel/cpu/cpu_share.h"
#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/interrupt.h"
#include "lib/section.h"
#include "lib/string.h"

#define COM1_PORT 0x2f8 /* the PC's COM2 */
#define IRQ_COM1  3

/* The line of performance interrupts, which each LAPIC has for itself. */
static struct interrupt_line *pc_pmi_line(void)
{
    static SHARED_BSS struct interrupt_line line;

    if (!pc_uses_apic())
        return NULL;
    strlcpy(line.name, "pmi", sizeof line.name);
    interrupt_line_attach(&line, &lapic_chip, 0, false, cpu_group(), NULL);
    vector_set(VECTOR_PMI, &line);
    return &line;
}

static void pc_pmi_rearm(void)
{
    if (pc_uses_apic())
        lapic_pmi_arm(VECTOR_PMI);
}

static struct interrupt_line *pc_com1_line(void)
{
    return pc_isa_line(IRQ_COM1);
}

static void pc_pmu_join(void)
{
    static const struct pmu_port port = {.chip = {.port = COM1_PORT}, .line = pc_com1_line};

    pmu_overflow_set_port(&port);
    pmu_intel_set_line(pc_pmi_line, pc_pmi_rearm);
    pmu_intel_boot();
}

BOARD_PART(pmu, .devices = pc_pmu_join);
