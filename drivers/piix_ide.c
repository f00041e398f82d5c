/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The IDE function of Intel's PIIX3 and PIIX4 (82371AB data sheet, 5): two channels at the ports
 * and interrupts that they have had since the PC/AT, and a bus master whose ports are in BAR 4.
 * Drives are looked for when something first asks for devices.
 */
#include <arch/io.h>
#include <arch/memory.h>
#include "drivers/ide.h"
#include "kernel/memory/kmem.h"
#include "kernel/device/late.h"
#include "kernel/base/log.h"
#include "kernel/base/machine.h"
#include "kernel/memory/page.h"
#include "kernel/device/pci.h"
#include "lib/section.h"

#define INTEL            0x8086
#define CLASS_STORAGE    0x01
#define SUBCLASS_IDE     0x01
#define MASTER_BAR       4
#define MASTER_PORTS     8 /* per channel */
#define TIMING           0x40
#define TIMING_DECODE    0x80008000u /* both channels answer */
#define IDENTIFY         0xec
#define IDENTIFY_PACKET  0xa1
#define SIGNATURE_PACKET 0xeb14 /* in the LBA ports, after a reset */
#define NOTHING          0xff   /* what an empty bus reads as */
#define BOUNCE_ORDER     4
#define LOW_MEMORY       (3ull << 30) /* no RAM that PCI cannot reach if there is no more than this */

static const struct {
    const char *name;
    uint16_t command, control;
    unsigned irq;
} places[2] = {{"ide0", 0x1f0, 0x3f6, 14}, {"ide1", 0x170, 0x376, 15}};

static SHARED_BSS struct ide_prd tables[2][IDE_PRDS] __attribute__((aligned(256)));

static uint8_t piix_ide_get(const struct ide_channel *c, unsigned port)
{
    return io_read8((uint16_t)(c->command + port));
}

/* Asks a drive what it is; the channel is the caller's. */
static bool piix_ide_identify(struct ide_drive *drive)
{
    struct ide_channel *c = drive->channel;
    uint16_t words[IDE_WORDS];
    bool packet;
    int status;

    ide_select(drive, 0);
    status = ide_wait(c);
    if (status < 0 || status == NOTHING)
        return false;
    packet = (piix_ide_get(c, IDE_LBA_MID) | (unsigned)piix_ide_get(c, IDE_LBA_HIGH) << 8) ==
             SIGNATURE_PACKET;
    io_write8((uint16_t)(c->command + IDE_COMMAND), packet ? IDENTIFY_PACKET : IDENTIFY);
    status = ide_wait(c);
    if (status <= 0 || status & IDE_STAT_ERR || !(status & IDE_STAT_DRQ))
        return false;
    ide_read_numbers(c, words, IDE_WORDS);
    return packet ? atapi_prepare(drive, words) : ide_disk_prepare(drive, words);
}

static void piix_ide_attach(struct ide_drive *drive)
{
    struct block_device *device = &drive->device;
    int error = device->read_only ? atapi_attach(drive) : ide_disk_attach(drive);

    drive->attached = error == 0;
    if (error == 0)
        log_printf("%s: %s, %s at %s %s", device->name, device->model, drive->kind->name,
                   drive->channel->name, drive->select ? "slave" : "master");
}

static void piix_ide_look_for_drives(struct ide_channel *c, bool *found)
{
    ide_own(c);
    ide_soft_reset(c);
    for (unsigned i = 0; i < 2; i++) {
        c->drive[i].channel = c;
        c->drive[i].select = i ? IDE_SLAVE : 0;
        found[i] = piix_ide_identify(&c->drive[i]);
    }
    ide_disown(c);
}

/* Its interrupt, and memory for what the controller cannot reach. */
static bool piix_ide_connect(struct ide_channel *c, unsigned irq)
{
    struct interrupt_line *line = machine.isa_line(irq);

    if (!line || interrupt_establish(line, IPL_VM, ide_interrupt, c, c->name, &c->handler) != 0)
        return false;
    if (machine_memory_size() > LOW_MEMORY)
        c->bounce = page_alloc(BOUNCE_ORDER);
    if (c->bounce && memory_physical(c->bounce) + IDE_MAX_BYTES > 1ull << 32) {
        page_free(c->bounce);
        c->bounce = NULL;
    }
    return true;
}

static void piix_ide_probe_channel(unsigned n, uint16_t master)
{
    struct ide_channel *c = kmem_zalloc(sizeof *c);
    bool found[2] = {false, false};

    if (!c)
        return;
    spinlock_init(&c->lock, places[n].name);
    c->name = places[n].name;
    c->command = places[n].command;
    c->control = places[n].control;
    c->master = (uint16_t)(master + n * MASTER_PORTS);
    c->prds = tables[n];
    if (piix_ide_get(c, IDE_STATUS) != NOTHING)
        piix_ide_look_for_drives(c, found);
    if ((!found[0] && !found[1]) || !piix_ide_connect(c, places[n].irq)) {
        kmem_free(c);
        return;
    }
    ide_stats_create(c, n);
    for (unsigned i = 0; i < 2; i++)
        if (found[i])
            piix_ide_attach(&c->drive[i]);
}

static void piix_ide_probe(void)
{
    const struct pci_device *pci;
    struct pci_bar bar;

    for (size_t i = 0; (pci = pci_device(i)) != NULL; i++)
        if (pci->vendor_id == INTEL && pci->class_code == CLASS_STORAGE &&
            pci->subclass == SUBCLASS_IDE)
            break;
    if (!pci || !machine.isa_line || pci_bar(pci, MASTER_BAR, &bar) != 0 || !bar.ports)
        return;
    pci_enable(pci);
    pci_write(pci, TIMING, pci_read(pci, TIMING) | TIMING_DECODE);
    for (unsigned n = 0; n < 2; n++)
        piix_ide_probe_channel(n, (uint16_t)bar.address);
}

LATE(3, piix_ide_probe);
