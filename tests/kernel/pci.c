/* SPDX-License-Identifier: BSD-2-Clause */
/* Self-tests of kernel/device/pci.h. They use the display's device, which both boards have and
 * nobody drives: a base address cannot be looked at while its device is at work. */
#include "kernel/device/pci.h"
#include "tests/kernel/selftest.h"
#include "lib/endian.h"
#include "lib/errno.h"

#define CLASS_DISPLAY 0x03
#define CAP_UNKNOWN   0xee
#define HEADER_TYPE   0x0e

static const struct pci_device *find_display(void)
{
    const struct pci_device *device;

    for (size_t n = 0; (device = pci_device(n)) != NULL; n++)
        if (device->class_code == CLASS_DISPLAY)
            return device;
    return NULL;
}

SELFTEST(pci_parts, "pci-parts", "8 and 16 bits of configuration space are parts of 32")
{
    const struct pci_device *device = pci_device(0);

    if (!device)
        return selftest_skip("no PCI bus");
    SELFTEST_EQUAL(pci_read16(device, 0), device->vendor_id);
    SELFTEST_EQUAL(pci_read16(device, 2), device->device_id);
    SELFTEST_EQUAL(pci_read8(device, 8), device->revision);
    SELFTEST_EQUAL(pci_read8(device, 11), device->class_code);
    SELFTEST_EQUAL(pci_read8(device, HEADER_TYPE), pci_read(device, 12) >> 16 & 0xff);
    SELFTEST_EQUAL(pci_capability(device, CAP_UNKNOWN, 0), 0);
    return 0;
}

SELFTEST(pci_bars, "pci-bars", "base addresses are sized, given, aligned and apart")
{
    const struct pci_device *device = find_display();
    struct pci_bar bars[PCI_BARS], bar;
    uint32_t command;
    unsigned found = 0;

    if (!device)
        return selftest_skip("no display");
    command = pci_read16(device, PCI_COMMAND);
    for (unsigned n = 0; n < PCI_BARS; n++) {
        if (pci_bar(device, n, &bar) != 0)
            continue;
        SELFTEST_CHECK(bar.size >= 16 && (bar.size & (bar.size - 1)) == 0);
        SELFTEST_CHECK(bar.address != 0 && bar.address % bar.size == 0);
        for (unsigned i = 0; i < found; i++)
            SELFTEST_CHECK(bars[i].ports != bar.ports ||
                           bars[i].address + bars[i].size <= bar.address ||
                           bar.address + bar.size <= bars[i].address);
        bars[found] = bar;
        SELFTEST_EQUAL(pci_bar(device, n, &bar), 0); /* the same again */
        SELFTEST_CHECK(bar.address == bars[found].address && bar.size == bars[found].size);
        found++;
    }
    SELFTEST_CHECK(found > 0);
    SELFTEST_EQUAL(pci_read16(device, PCI_COMMAND), command);
    SELFTEST_EQUAL(-pci_bar(device, PCI_BARS, &bar), EINVAL);
    return 0;
}

SELFTEST(pci_memory, "pci-memory", "a device's memory answers where it was mapped")
{
    const struct pci_device *device = find_display();
    struct pci_bar bar;
    volatile uint32_t *words;
    uint32_t before;

    if (!device || pci_bar(device, 0, &bar) != 0 || bar.ports)
        return selftest_skip("no display memory");
    SELFTEST_CHECK(!pci_map(device, 0, bar.size, 4));
    SELFTEST_CHECK(!pci_map(device, 0, bar.size - 4, 8));
    SELFTEST_CHECK(!pci_map(device, PCI_BARS, 0, 4));
    words = pci_map(device, 0, 0, 64);
    SELFTEST_CHECK(words);
    pci_enable(device);
    before = words[8];
    words[8] = cpu_to_le32(0x12345678);
    words[9] = cpu_to_le32(0x9abcdef0);
    SELFTEST_EQUAL(le32_to_cpu(words[8]), 0x12345678);
    SELFTEST_EQUAL(le32_to_cpu(words[9]), 0x9abcdef0);
    words[8] = before;
    return 0;
}
