/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel and the shell may ask of the board; filled in by boot/machine_*.c. */
#pragma once

#include <stdint.h>
#include <stddef.h>

struct interrupt_line;
struct pci_device;

struct machine {
    const char *name;       /* "PC" or "MIPS Malta" */
    void (*poweroff)(void); /* may return where the board cannot */
    void (*reboot)(void);
    size_t (*inventory)(unsigned line, char *buffer,
                        size_t size); /* hinv's line N; 0 after the last */
    /* Where DEVICE's interrupt pin arrives, level-triggered; NULL: nowhere. See pci_line. */
    struct interrupt_line *(*pci_line)(const struct pci_device *device);
};

extern struct machine machine;

/* Ends everything; with a board that cannot be switched off, says so and stops. */
_Noreturn void machine_poweroff(void);
/* Under a script, restarting ends the run as switching off does. */
_Noreturn void machine_reboot(void);
/* RAM the board reported, in bytes. */
uint64_t machine_memory_size(void);
void machine_set_memory_size(uint64_t bytes);
