/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a driver uses a PCI device by: base addresses (PCI Local Bus Specification 3.0, 6.2.5),
 * capabilities (6.7), and its interrupt pin. A PC's firmware has given addresses to everything; a
 * Malta that QEMU starts without firmware has given none, so they are given here, when a driver
 * asks. Finding the devices is kernel/device/pci.c's.
 */
#include <arch/memory.h>
#include "kernel/base/machine.h"
#include "kernel/device/pci.h"
#include "kernel/lock/spinlock.h"
#include "lib/errno.h"

#define BAR0             0x10
#define BAR_PORTS        0x1u
#define BAR_TYPE         0x6u
#define BAR_64           0x4u
#define PORTS_MASK       0xfffffffcu
#define MEMORY_MASK      0xfffffff0u
#define STATUS_LIST      0x100000u /* in the command register's word: the status has bit 4 */
#define CAPABILITIES     0x34
#define CAPABILITIES_MAX 48 /* so many fit into the configuration space; ends a loop of them */
#define STATUS_BITS      0xffff0000u /* written as 1 they would be cleared */

static struct spinlock lock = SPINLOCK_INITIALIZER("PCI addresses");
static uint64_t next_memory, next_ports; /* first addresses not given yet */

static unsigned pci_resource_shift(unsigned offset)
{
    return offset % 4 * 8;
}

uint8_t pci_read8(const struct pci_device *device, unsigned offset)
{
    return (uint8_t)(pci_read(device, offset & ~3u) >> pci_resource_shift(offset));
}

uint16_t pci_read16(const struct pci_device *device, unsigned offset)
{
    return (uint16_t)(pci_read(device, offset & ~3u) >> pci_resource_shift(offset));
}

void pci_write8(const struct pci_device *device, unsigned offset, uint8_t value)
{
    uint32_t word = pci_read(device, offset & ~3u) & ~(0xffu << pci_resource_shift(offset));

    pci_write(device, offset & ~3u, word | (uint32_t)value << pci_resource_shift(offset));
}

static void pci_resource_set_command(const struct pci_device *device, uint32_t clear, uint32_t set)
{
    uint32_t word = pci_read(device, PCI_COMMAND) & ~STATUS_BITS;

    pci_write(device, PCI_COMMAND, (word & ~clear) | set);
}

/* SIZE bytes of WINDOW, aligned to SIZE, from *NEXT on; 0 if they do not fit. */
static uint64_t pci_resource_take(const struct pci_window *window, uint64_t *next, uint64_t size)
{
    uint64_t address = ((*next ? *next : window->start) + size - 1) & ~(size - 1);

    if (address == 0 || address + size > window->end)
        return 0;
    *next = address + size;
    return address;
}

/* Which bits of the address can be changed. The device does not answer meanwhile. */
static uint64_t pci_resource_changeable(const struct pci_device *device, unsigned offset, bool wide)
{
    uint32_t low = pci_read(device, offset), high = wide ? pci_read(device, offset + 4) : 0;
    uint64_t bits;

    pci_write(device, offset, UINT32_MAX);
    bits = pci_read(device, offset) & (low & BAR_PORTS ? PORTS_MASK : MEMORY_MASK);
    pci_write(device, offset, low);
    if (wide) {
        pci_write(device, offset + 4, UINT32_MAX);
        bits |= (uint64_t)pci_read(device, offset + 4) << 32;
        pci_write(device, offset + 4, high);
    } else if (bits) {
        bits |= UINT64_MAX << 32;
    }
    return bits;
}

/* Register N is the upper half of the one before it. */
static bool pci_resource_is_upper(const struct pci_device *device, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t low = pci_read(device, BAR0 + i * 4);

        if (!(low & BAR_PORTS) && (low & BAR_TYPE) == BAR_64 && ++i == n)
            return true;
    }
    return false;
}

static int pci_resource_find_bar(const struct pci_device *device, unsigned n, struct pci_bar *out)
{
    unsigned offset = BAR0 + n * 4;
    uint32_t low = pci_read(device, offset), command = pci_read(device, PCI_COMMAND);
    bool wide = !(low & BAR_PORTS) && (low & BAR_TYPE) == BAR_64 && n + 1 < PCI_BARS;
    uint64_t bits;

    pci_resource_set_command(device, PCI_COMMAND_PORTS | PCI_COMMAND_MEMORY, 0);
    bits = pci_resource_changeable(device, offset, wide);
    out->ports = low & BAR_PORTS;
    out->size = bits & -bits;
    out->address = low & (out->ports ? PORTS_MASK : MEMORY_MASK);
    if (wide)
        out->address |= (uint64_t)pci_read(device, offset + 4) << 32;
    if (bits && !out->address) {
        out->address = out->ports
                           ? pci_resource_take(&pci_bridge()->ports, &next_ports, out->size)
                           : pci_resource_take(&pci_bridge()->memory, &next_memory, out->size);
        pci_write(device, offset, (uint32_t)out->address);
    }
    pci_resource_set_command(device, 0, command & (PCI_COMMAND_PORTS | PCI_COMMAND_MEMORY));
    if (!bits)
        return -EINVAL;
    return out->address ? 0 : -ENOSPC;
}

int pci_bar(const struct pci_device *device, unsigned n, struct pci_bar *out)
{
    uintptr_t state = spinlock_acquire(&lock);
    int error = -EINVAL;

    if (n < PCI_BARS && !pci_resource_is_upper(device, n))
        error = pci_resource_find_bar(device, n, out);
    spinlock_release(&lock, state);
    return error;
}

volatile void *pci_map(const struct pci_device *device, unsigned n, uint64_t offset, size_t size)
{
    struct pci_bar bar;

    if (pci_bar(device, n, &bar) != 0 || bar.ports || offset > bar.size || size > bar.size - offset)
        return NULL;
    return memory_map_device(bar.address + offset, size);
}

void pci_enable(const struct pci_device *device)
{
    pci_resource_set_command(device, PCI_COMMAND_NO_INT,
                             PCI_COMMAND_PORTS | PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
}

unsigned pci_capability(const struct pci_device *device, uint8_t id, unsigned after)
{
    unsigned offset = after ? after + 1 : CAPABILITIES;

    if (!(pci_read(device, PCI_COMMAND) & STATUS_LIST))
        return 0;
    for (unsigned i = 0; i < CAPABILITIES_MAX; i++) {
        offset = pci_read8(device, offset) & 0xfcu;
        if (offset == 0 || pci_read8(device, offset) == id)
            return offset;
        offset++;
    }
    return 0;
}

struct interrupt_line *pci_line(const struct pci_device *device)
{
    return device->interrupt_pin != 0 && machine.pci_line ? machine.pci_line(device) : NULL;
}
