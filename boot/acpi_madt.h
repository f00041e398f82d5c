/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ACPI's MADT says of a PC's interrupt controllers and CPUs (ACPI Specification 6.4, 5.2.12).
 * The tables are the only part of ACPI that is looked at.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define MADT_CPUS     64 /* kept; more are only counted */
#define MADT_ISA_IRQS 16

struct acpi_madt {
    uint32_t lapic;              /* physical address of the local APICs */
    unsigned cpus;               /* enabled ones, all of them */
    uint8_t apic_ids[MADT_CPUS]; /* of the first, in the table's order */
    uint32_t ioapic, ioapic_gsi; /* the first I/O APIC's address, and the number of its pin 0 */
    struct madt_isa {
        uint32_t gsi;
        bool level, active_low;
        bool told;        /* by an entry of the tables; else by default */
    } isa[MADT_ISA_IRQS]; /* where the ISA interrupts are wired */
};

/* Fills OUT with what a PC without tables is taken to be, then with what the tables say; false if
 * there are none that are whole. Start-up, RAM and the memory below 4 GiB are reachable. */
bool acpi_madt_read(struct acpi_madt *out);
