/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's local APICs have a performance entry, SDM volume 3, 11.5.1, that nothing raises. What it
 * holds is written as a message-signalled interrupt to the CPU itself, which may be an NMI. In
 * x2APIC mode the entry cannot be reached from outside: it is what the guest wrote last.
 */
#include "tools/qpmu/plugin/lapic.h"

#define BASE        0xfee00000u
#define ID          0x20u
#define LVTPC       0x340u
#define LVT_MASKED  (1u << 16)
#define LVT_MESSAGE 0x7ffu /* vector and delivery mode */
#define BASE_X2APIC (1u << 10)

static bool find(struct vcpu *cpu, uint32_t *entry, uint32_t *id)
{
    if (cpu->direct.x2apic) {
        *entry = cpu->direct.lvt;
        *id = cpu->direct.apic;
        return true;
    }
    if (!emu_physical_read(BASE + LVTPC, entry) || !emu_physical_read(BASE + ID, id))
        return false;
    *id >>= 24;
    return true;
}

bool lapic_raise(struct vcpu *cpu)
{
    uint32_t entry, id;

    if (!find(cpu, &entry, &id) || entry & LVT_MASKED)
        return false;
    if (cpu->direct.x2apic)
        cpu->direct.lvt = entry | LVT_MASKED;
    else
        emu_physical_write(cpu->index, BASE + LVTPC, entry | LVT_MASKED, 4);
    return emu_physical_write(cpu->index, BASE + (id << 12), entry & LVT_MESSAGE, 4);
}

void lapic_written(struct vcpu *cpu, uint32_t number, uint64_t value)
{
    uint32_t id, entry;

    if (number == LAPIC_MSR_LVTPC && cpu->direct.x2apic)
        cpu->direct.lvt = (uint32_t)value;
    if (number != LAPIC_MSR_BASE || !(value & BASE_X2APIC) == !cpu->direct.x2apic)
        return;
    cpu->direct.lvt = LVT_MASKED;
    if (!cpu->direct.x2apic && find(cpu, &entry, &id)) { /* they keep what they hold */
        cpu->direct.apic = id;
        cpu->direct.lvt = entry;
    }
    cpu->direct.x2apic = !cpu->direct.x2apic;
}
