/* SPDX-License-Identifier: BSD-2-Clause */
/* lspci: lists what was found on the PCI bus. Names of vendors and products are not known here. */
#include "kernel/device/pci.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define PCI_BAR0 0x10
#define PCI_BARS 6

static void lspci_print_details(const struct pci_device *device)
{
    struct shell_gather out = {.used = 0};

    shell_gather_printf(&out, "        class %02x%02x%02x", device->class_code, device->subclass,
                        device->interface);
    if (device->interrupt_pin != 0)
        shell_gather_printf(&out, ", interrupt pin %c line %u", 'A' + device->interrupt_pin - 1,
                            device->interrupt_line);
    shell_gather_printf(&out, "\n");
    for (unsigned i = 0; i < PCI_BARS; i++) {
        uint32_t base = pci_read(device, PCI_BAR0 + i * 4);

        if (base != 0)
            shell_gather_printf(&out, "        base %u: %08x %s\n", i, base,
                                base & 1 ? "ports" : "memory");
    }
    shell_gather_flush(&out);
}

static int lspci_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "v"};
    const struct pci_device *device;
    bool details = false;
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        details = true;
    }
    if (options.index < argc)
        return command_usage(argv[0]);
    for (size_t i = 0; (device = pci_device(i)) != NULL && !shell_interrupted(); i++) {
        shell_printf("%02x:%02x.%u %04x:%04x %s (rev %02x)\n", device->bus, device->device,
                     device->function, device->vendor_id, device->device_id,
                     pci_class_name(device->class_code, device->subclass), device->revision);
        if (details)
            lspci_print_details(device);
    }
    return 0;
}

COMMAND(lspci, .name = "lspci", .summary = "list the PCI devices", .usage = "lspci [-v]",
        .description =
            "One line each: bus, device and function; vendor and device number; what it is.\n"
            "  -v  also class code, interrupt and the base address registers\n"
            "\n"
            "Example: lspci -v\n",
        .run = lspci_run);
