/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding and reading the MADT. Sections are those of the ACPI Specification 6.4. All numbers are
 * little-endian, and not aligned to anything.
 */
#include "boot/acpi_madt.h"
#include <arch/memory.h>
#include <stddef.h>
#include "lib/string.h"

/* 5.2.5.1: where the root pointer is, on a boundary of 16 bytes. */
#define BIOS_START   0xe0000u
#define BIOS_MIDDLE  0xf0000u
#define BIOS_END     0x100000u
#define EBDA_SEGMENT 0x40eu /* the BIOS data area's word: the EBDA's address / 16 */
#define EBDA_SIZE    1024u
#define RSDP_STEP    16u
#define RSDP_SIZE    20u   /* what the first checksum covers */
#define TABLE_MAX    65536 /* a longer one is not believed */
#define REACHABLE    0x100000000ul

/* Types of MADT entries, 5.2.12, table 5.21. */
#define ENTRY_LAPIC    0
#define ENTRY_IOAPIC   1
#define ENTRY_OVERRIDE 2
#define LAPIC_ENABLED  1u /* 5.2.12.2, table 5.23 */

/* MPS INTI flags, 5.2.12.5, table 5.26: polarity in bits 0-1, trigger mode in bits 2-3. */
#define POLARITY(flags) ((flags) & 3u)
#define TRIGGER(flags)  ((flags) >> 2 & 3u)
#define MODE_LOW_LEVEL  3u

/* What PCs have without being asked: Intel SDM volume 3, 11.4.1; 82093AA data sheet, 3.0; MP
 * Specification 1.4, 5.4: the 8254 at pin 2. */
#define DEFAULT_LAPIC  0xfee00000u
#define DEFAULT_IOAPIC 0xfec00000u
#define IRQ_PIT        0
#define PIN_PIT        2

struct __attribute__((packed)) rsdp { /* 5.2.5.3 */
    char signature[8];
    uint8_t checksum;
    char oem[6];
    uint8_t revision;
    uint32_t rsdt;
    uint32_t length; /* from here on: revision 2 and up */
    uint64_t xsdt;
};

struct __attribute__((packed)) table { /* 5.2.6 */
    char signature[4];
    uint32_t length;
    uint8_t revision, checksum;
    char oem[6], oem_table[8];
    uint32_t oem_revision, creator, creator_revision;
};

struct __attribute__((packed)) madt {
    struct table header;
    uint32_t lapic, flags;
    uint8_t entries[];
};

struct __attribute__((packed)) entry {
    uint8_t type, length;
    union {
        struct __attribute__((packed)) {
            uint8_t processor, apic_id;
            uint32_t flags;
        } lapic; /* 5.2.12.2 */
        struct __attribute__((packed)) {
            uint8_t id, reserved;
            uint32_t address, gsi;
        } ioapic; /* 5.2.12.3 */
        struct __attribute__((packed)) {
            uint8_t bus, irq;
            uint32_t gsi;
            uint16_t flags;
        } override; /* 5.2.12.5 */
    };
};

static bool acpi_madt_sums_to_zero(const void *start, size_t length)
{
    const uint8_t *byte = start, *end = byte + length;
    uint8_t sum = 0;

    while (byte < end)
        sum = (uint8_t)(sum + *byte++);
    return sum == 0;
}

static const struct rsdp *acpi_madt_search(uint32_t start, uint32_t end)
{
    const char *at = memory_pointer(start), *stop = memory_pointer(end);

    for (; at < stop; at += RSDP_STEP)
        if (*at == 'R' && memcmp(at, "RSD PTR ", 8) == 0 && acpi_madt_sums_to_zero(at, RSDP_SIZE))
            return (const struct rsdp *)at;
    return NULL;
}

/* The upper half of the BIOS first: that is where it usually lies. */
static const struct rsdp *acpi_madt_find_rsdp(void)
{
    const struct rsdp *found = acpi_madt_search(BIOS_MIDDLE, BIOS_END);
    uint32_t ebda;

    if (!found)
        found = acpi_madt_search(BIOS_START, BIOS_MIDDLE);
    if (!found) {
        ebda = *(const volatile uint16_t *)memory_pointer(EBDA_SEGMENT) * 16u;
        if (ebda >= 0x80000 && ebda < BIOS_START)
            found = acpi_madt_search(ebda, ebda + EBDA_SIZE);
    }
    return found;
}

/* The table at PHYSICAL if it has that SIGNATURE and is whole. */
static const struct table *acpi_madt_table_at(uint64_t physical, const char *signature)
{
    const struct table *table = memory_pointer(physical);

    if (physical == 0 || physical >= REACHABLE - TABLE_MAX ||
        memcmp(table->signature, signature, 4) != 0 || table->length < sizeof *table ||
        table->length > TABLE_MAX || !acpi_madt_sums_to_zero(table, table->length))
        return NULL;
    return table;
}

/* The MADT among the tables that ROOT names, whose entries have WIDTH bytes. */
static const struct table *acpi_madt_find_madt(const struct table *root, size_t width)
{
    const char *at = (const char *)(root + 1), *end = (const char *)root + root->length;
    const struct table *found = NULL;

    for (; !found && at + width <= end; at += width) {
        uint64_t physical = 0;

        memcpy(&physical, at, width);
        found = acpi_madt_table_at(physical, "APIC");
    }
    return found;
}

static void acpi_madt_read_entry(struct acpi_madt *out, const struct entry *entry)
{
    if (entry->type == ENTRY_LAPIC && entry->lapic.flags & LAPIC_ENABLED) {
        if (out->cpus < MADT_CPUS)
            out->apic_ids[out->cpus] = entry->lapic.apic_id;
        out->cpus++;
    } else if (entry->type == ENTRY_IOAPIC && out->ioapic == 0) {
        out->ioapic = entry->ioapic.address;
        out->ioapic_gsi = entry->ioapic.gsi;
    } else if (entry->type == ENTRY_OVERRIDE && entry->override.irq < MADT_ISA_IRQS) {
        out->isa[entry->override.irq] =
            (struct madt_isa){entry->override.gsi, TRIGGER(entry->override.flags) == MODE_LOW_LEVEL,
                              POLARITY(entry->override.flags) == MODE_LOW_LEVEL, true};
    }
}

static void acpi_madt_set_defaults(struct acpi_madt *out)
{
    *out = (struct acpi_madt){.lapic = DEFAULT_LAPIC, .ioapic = DEFAULT_IOAPIC};
    for (unsigned irq = 0; irq < MADT_ISA_IRQS; irq++)
        out->isa[irq].gsi = irq;
    out->isa[IRQ_PIT].gsi = PIN_PIT;
}

bool acpi_madt_read(struct acpi_madt *out)
{
    const struct rsdp *rsdp = acpi_madt_find_rsdp();
    const struct table *root = NULL, *table = NULL;
    const struct madt *madt;

    acpi_madt_set_defaults(out);
    if (rsdp && rsdp->revision >= 2)
        root = acpi_madt_table_at(rsdp->xsdt, "XSDT");
    if (root)
        table = acpi_madt_find_madt(root, 8);
    else if (rsdp && (root = acpi_madt_table_at(rsdp->rsdt, "RSDT")))
        table = acpi_madt_find_madt(root, 4);
    if (!table || table->length < sizeof *madt)
        return false;
    madt = (const struct madt *)table;
    out->lapic = madt->lapic;
    out->ioapic = 0;
    out->isa[IRQ_PIT].gsi = IRQ_PIT; /* an override says otherwise */
    for (const uint8_t *at = madt->entries, *end = (const uint8_t *)madt + table->length;
         at + 2 <= end && at[1] >= 2 && at + at[1] <= end; at += at[1])
        acpi_madt_read_entry(out, (const struct entry *)at);
    if (out->ioapic == 0)
        out->ioapic = DEFAULT_IOAPIC;
    return true;
}
