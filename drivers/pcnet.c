/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The AMD PCnet-PCI (Am79C970A data sheet, 19436): Ethernet, with a ring of descriptors each way.
 * Software style 2, 32 bits; registers through 16-bit ports; everything in memory is little-endian.
 *
 * What is received is pcnet_receive.c's; what it is to send, pcnet_send.c's.
 *
 * A chip that could not reach memory in time stops. It is started again, by the interrupt that says
 * so or by whoever next sends or asks for the counts: `restarts`. Frames that it was to send are
 * dropped, as output errors; those that come while it is stopped nobody counts.
 */
#include <arch/io.h>
#include <arch/memory.h>
#include "drivers/pcnet.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/device/late.h"
#include "kernel/base/log.h"
#include "kernel/memory/page.h"
#include "kernel/device/pci.h"
#include "lib/endian.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/section.h"
#include "lib/string.h"
#include "net/interface.h"
#include "net/ipv4.h"

#define VENDOR_AMD   0x1022
#define DEVICE_PCNET 0x2000
#define CARDS        4

static SHARED_BSS struct pcnet cards[CARDS];

static uint16_t pcnet_csr_read(const struct pcnet *p, unsigned n)
{
    io_write16((uint16_t)(p->port + RAP), (uint16_t)n);
    return io_read16((uint16_t)(p->port + RDP));
}

static void pcnet_csr_write(const struct pcnet *p, unsigned n, unsigned value)
{
    io_write16((uint16_t)(p->port + RAP), (uint16_t)n);
    io_write16((uint16_t)(p->port + RDP), (uint16_t)value);
}

static void pcnet_bcr_write(const struct pcnet *p, unsigned n, unsigned value)
{
    io_write16((uint16_t)(p->port + RAP), (uint16_t)n);
    io_write16((uint16_t)(p->port + BDP), (uint16_t)value);
}

static void pcnet_count_missed(struct pcnet *p)
{
    uint16_t now = pcnet_csr_read(p, CSR_MISSED);

    if (now != p->missed)
        net_interface_add(&p->interface, NET_MISSED, (uint16_t)(now - p->missed));
    p->missed = now;
}

/* Stops the chip, if it has not stopped, and tells it where its init block is. */
static void pcnet_program(struct pcnet *p)
{
    uint64_t at = memory_physical((const void *)&p->shared->init);

    pcnet_csr_write(p, 0, CSR0_STOP);
    pcnet_bcr_write(p, BCR_STYLE, STYLE_32);
    pcnet_csr_write(p, 1, (unsigned)(at & 0xffff));
    pcnet_csr_write(p, 2, (unsigned)(at >> 16 & 0xffff));
    pcnet_csr_write(p, CSR3, CSR3_IDONM);
    pcnet_csr_write(p, CSR4, CSR4_VALUE);
}

/* After the init block both rings begin at their first descriptors. Nothing waits for that. */
static void pcnet_restart(struct pcnet *p)
{
    pcnet_program(p);
    pcnet_receive(p, pcnet_received(p));
    pcnet_reap(p);
    pcnet_count_missed(p);
    pcnet_drop_sending(p);
    pcnet_receive_begin(p);
    p->transmit_next = p->transmit_done = 0;
    p->missed = pcnet_csr_read(p, CSR_MISSED);
    pcnet_barrier();
    pcnet_csr_write(p, 0, CSR0_INIT | CSR0_STRT | CSR0_IENA);
    evcnt_incr(&p->restarts);
}

/* CAUSES is what register 0 says. */
static void pcnet_restart_if_stopped(struct pcnet *p, uint16_t causes)
{
    if (__builtin_expect((causes & (CSR0_MERR | CSR0_STOP)) != 0, 0))
        pcnet_restart(p);
}

static int pcnet_handle(void *argument)
{
    struct pcnet *p = argument;
    uintptr_t state = spinlock_acquire(&p->lock);
    uint16_t causes = pcnet_csr_read(p, 0), next;
    int claimed = (causes & CSR0_INTR) != 0;

    for (; causes & CSR0_INTR; causes = next) {
        unsigned received;

        pcnet_csr_write(p, 0, (causes & CSR0_ACK) | CSR0_IENA);
        received = pcnet_received(p);
        next = pcnet_csr_read(p, 0); /* behind this the chip has done with what was received */
        pcnet_receive(p, received);
        pcnet_sent(p, causes);
        if (causes & CSR0_MISS)
            pcnet_count_missed(p);
        if (causes & CSR0_MISS && pcnet_is_deaf(p, received))
            pcnet_restart(p);
        else
            pcnet_restart_if_stopped(p, causes);
    }
    spinlock_release(&p->lock, state);
    return claimed;
}

static int pcnet_transmit(struct net_interface *interface, struct net_buffer *buffer)
{
    struct pcnet *p = (struct pcnet *)interface; /* its first member */
    uintptr_t state = spinlock_acquire(&p->lock);
    int error;

    pcnet_reap(p);
    pcnet_restart_if_stopped(
        p, pcnet_csr_read(p, 0)); /* behind this the chip has done with what was reaped */
    error = pcnet_send(p, buffer);
    if (error == 0)
        pcnet_csr_write(p, 0, CSR0_TDMD | CSR0_IENA);
    spinlock_release(&p->lock, state);
    return error;
}

static unsigned pcnet_sending(const struct net_interface *interface)
{
    const struct pcnet *p = (const struct pcnet *)interface;
    unsigned frames = 0;

    for (unsigned i = 0; i < RING; i++)
        frames += p->sending[i] != NULL;
    return frames;
}

static void pcnet_refresh(struct net_interface *interface)
{
    struct pcnet *p = (struct pcnet *)interface;
    uintptr_t state = spinlock_acquire(&p->lock);

    pcnet_restart_if_stopped(p, pcnet_csr_read(p, 0));
    pcnet_reap(p);
    pcnet_count_missed(p);
    spinlock_release(&p->lock, state);
}

/* Memory that the chip reaches with its 32 bits: 0, or -ENOMEM. */
static int pcnet_allocate(struct pcnet *p)
{
    void *page = page_alloc(0);

    if (!page || memory_physical(page) >> 32)
        return -ENOMEM;
    memset(page, 0, PAGE_SIZE);
    p->shared = page;
    for (unsigned i = 0; i < RING; i++) {
        p->receiving[i] = net_buffer_get();
        if (!p->receiving[i] || memory_physical(p->receiving[i]) >> 32)
            return -ENOMEM;
    }
    pcnet_receive_begin(p);
    return 0;
}

/* Resets the chip and has it read the init block, which accepts every multicast address. */
static int pcnet_initialize(struct pcnet *p)
{
    volatile struct init_block *init = &p->shared->init;

    init->mode = MODE_NORMAL;
    init->receive_length = init->transmit_length = RING_CODE << 4;
    for (unsigned i = 0; i < ETHERNET_ADDRESS; i++)
        init->mac[i] = p->interface.mac[i];
    for (unsigned i = 0; i < sizeof init->multicast; i++)
        init->multicast[i] = 0xff;
    init->receive_ring = cpu_to_le32((uint32_t)memory_physical((const void *)p->shared->receive));
    init->transmit_ring = cpu_to_le32((uint32_t)memory_physical((const void *)p->shared->transmit));
    pcnet_barrier();
    pcnet_program(p);
    pcnet_csr_write(p, 0, CSR0_INIT);
    for (unsigned i = 0; i < INIT_TURNS; i++)
        if (pcnet_csr_read(p, 0) & CSR0_IDON)
            return 0;
    return -EIO;
}

/* Back to 16-bit ports, whichever way they are used now. */
static void pcnet_reset(struct pcnet *p)
{
    io_read32((uint16_t)(p->port + RESET32));
    io_read16((uint16_t)(p->port + RESET));
    pcnet_csr_write(p, 0, CSR0_STOP);
    for (unsigned i = 0; i < ETHERNET_ADDRESS; i++)
        p->interface.mac[i] = io_read8((uint16_t)(p->port + i));
}

static int pcnet_attach(struct pcnet *p, const struct pci_device *device, unsigned number)
{
    struct interrupt_line *line;
    struct pci_bar bar;
    int error = pci_bar(device, 0, &bar);

    if (error != 0)
        return error;
    if (!bar.ports || bar.address > 0xffff || !(line = pci_line(device)))
        return -ENODEV;
    pci_enable(device);
    p->port = (uint16_t)bar.address;
    format(p->name, sizeof p->name, "pcnet%u", number);
    spinlock_init(&p->lock, "pcnet");
    pcnet_reset(p);
    p->interface.name = p->name;
    p->interface.transmit = pcnet_transmit;
    p->interface.sending = pcnet_sending;
    p->interface.refresh = pcnet_refresh;
    if ((error = net_interface_attach(&p->interface)) != 0 || (error = pcnet_allocate(p)) != 0 ||
        (error = pcnet_initialize(p)) != 0)
        return error;
    error = interrupt_establish(line, IPL_VM, pcnet_handle, p, p->name, &p->handler);
    if (error != 0)
        return error;
    ipv4_first_card(&p->interface);
    evcnt_attach_dynamic(&p->restarts, EVCNT_TYPE_MISC, NULL, p->name, "restarts");
    evcnt_attach_dynamic(&p->babbles, EVCNT_TYPE_MISC, NULL, p->name, "babbles");
    evcnt_attach_dynamic(&p->skips, EVCNT_TYPE_MISC, NULL, p->name, "receive skips");
    p->interface.up = true;
    pcnet_csr_write(p, 0, CSR0_ACK | CSR0_STRT | CSR0_IENA);
    return 0;
}

static void pcnet_probe(void)
{
    const struct pci_device *device;
    unsigned number = 0;

    for (size_t n = 0; (device = pci_device(n)) && number < CARDS; n++) {
        int error;
        char mac[WIRE_MAC_TEXT];

        if (device->vendor_id != VENDOR_AMD || device->device_id != DEVICE_PCNET)
            continue;
        error = pcnet_attach(&cards[number], device, number);
        if (error != 0)
            log_printf("pcnet%u: not usable (error %d)", number, -error);
        else
            log_printf("pcnet%u: %s", number, wire_mac_text(cards[number].interface.mac, mac));
        number++;
    }
}
LATE(3, pcnet_probe);
