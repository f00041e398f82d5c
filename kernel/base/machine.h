/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel and the shell may ask of the board; filled in by boot/machine_*.c. The two ways
 * to end are in kernel/console/shutdown.h. */
#pragma once

#include <stdint.h>
#include <stddef.h>

struct interrupt_line;
struct pci_device;

struct machine {
    const char *name;       /* "PC" or "MIPS Malta" */
    void (*poweroff)(void); /* may return where the board cannot */
    void (*reboot)(void);
    /* hinv's line N, and CLASS, of what it is (kernel/base/inventory.h); 0 after the last. */
    size_t (*inventory)(unsigned line, const char **class, char *buffer, size_t size);
    /* Where DEVICE's interrupt pin arrives, level-triggered; NULL: nowhere. See pci_line. */
    struct interrupt_line *(*pci_line)(const struct pci_device *device);
    /* The line of an ISA interrupt, edge-triggered; prepared on first use. */
    struct interrupt_line *(*isa_line)(unsigned irq);
};

extern struct machine machine;

/* RAM the board reported, in bytes. */
uint64_t machine_memory_size(void);
void machine_set_memory_size(uint64_t bytes);
