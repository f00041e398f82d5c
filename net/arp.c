/* SPDX-License-Identifier: BSD-2-Clause */
/* ARP: see arp.h. */
#include "net/arp.h"
#include "kernel/time/clock.h"
#include "kernel/base/law.h"
#include "kernel/time/timer.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "net/ipv4.h"
#include "lib/section.h"

#define SECOND   1000000000ull
#define LIFETIME (1200 * SECOND)
#define REQUESTS 3

enum {
    RECEIVED,
    REQUESTS_IN,
    REPLIES_IN,
    REQUESTS_OUT,
    REPLIES_OUT,
    BAD,
    NO_HOST,
    DROPPED,
    TIMEOUTS,
    TWINS
};

static struct evcnt counts[] = {
    [RECEIVED] = NET_COUNTER("arp", "packets received"),
    [REQUESTS_IN] = NET_COUNTER("arp", "requests received"),
    [REPLIES_IN] = NET_COUNTER("arp", "replies received"),
    [REQUESTS_OUT] = NET_COUNTER("arp", "requests sent"),
    [REPLIES_OUT] = NET_COUNTER("arp", "replies sent"),
    [BAD] = NET_COUNTER("arp", "bad packets dropped"),
    [NO_HOST] = NET_COUNTER("arp", "bad: sender's address is no host's"),
    [DROPPED] = NET_COUNTER("arp", "packets dropped while an address was unknown"),
    [TIMEOUTS] = NET_COUNTER("arp", "entries timed out"),
    [TWINS] = NET_COUNTER("arp", "packets of others with our address"),
};

const struct net_protocol arp_protocol = {"arp", counts, sizeof counts / sizeof counts[0]};

LAW_OF_COUNTERS(arp_in, "arp-in", "received", LAW_SUM(&counts[RECEIVED]),
                "requests + replies + bad", &counts[REQUESTS_IN], &counts[REPLIES_IN], &counts[BAD],
                &counts[NO_HOST]);

/* Free if address is 0. All under the lock. */
struct entry {
    uint32_t address;
    struct net_interface *interface;
    uint8_t mac[ETHERNET_ADDRESS];
    bool complete;
    unsigned requests;       /* sent for it */
    uint64_t due;            /* when to ask again, or to forget it */
    struct net_buffer *held; /* waits for the answer */
};

static SHARED_BSS struct entry table[ARP_ENTRIES];
static struct spinlock arp_lock = SPINLOCK_INITIALIZER("ARP");
static struct timer arp_timer;
static volatile uint64_t earliest = UINT64_MAX; /* no entry is due before; lock */
static const uint8_t everybody[ETHERNET_ADDRESS] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

static void arp_send(struct net_interface *interface, uint16_t operation, const uint8_t *mac,
                     const uint8_t *to, uint32_t target)
{
    struct net_buffer *buffer = net_buffer_get();
    struct wire_arp arp = {.operation = operation, .sender = interface->address, .target = target};

    if (!buffer)
        return;
    memcpy(arp.sender_mac, interface->mac, ETHERNET_ADDRESS);
    memcpy(arp.target_mac, mac, ETHERNET_ADDRESS);
    wire_write_arp(buffer->frame + ETHERNET_HEADER, &arp);
    buffer->length = ETHERNET_HEADER + ARP_BYTES;
    evcnt_incr(&counts[operation == ARP_REQUEST ? REQUESTS_OUT : REPLIES_OUT]);
    net_interface_output(interface, buffer, to, ETHERTYPE_ARP);
}

static void arp_ask(struct net_interface *interface, uint32_t address)
{
    static const uint8_t unknown[ETHERNET_ADDRESS];

    arp_send(interface, ARP_REQUEST, unknown, everybody, address);
}

static void arp_wake(struct timer *timer)
{
    (void)timer;
    net_stack_schedule();
}

/* Has arp_run called when DUE has come. */
static void arp_wake_at(uint64_t due)
{
    if (due >= earliest)
        return;
    earliest = due;
    timer_set(&arp_timer, due, arp_wake);
}

static struct entry *arp_find(uint32_t address)
{
    for (unsigned i = 0; i < ARP_ENTRIES; i++)
        if (table[i].address == address)
            return &table[i];
    return NULL;
}

/* A free entry, or the complete one that is forgotten next; NULL if all are being asked for. */
static struct entry *arp_make(struct net_interface *interface, uint32_t address)
{
    struct entry *entry = arp_find(0);

    for (unsigned i = 0; i < ARP_ENTRIES && (!entry || entry->address); i++)
        if (table[i].complete && (!entry || table[i].due < entry->due))
            entry = &table[i];
    if (entry)
        *entry = (struct entry){.address = address, .interface = interface};
    return entry;
}

static void arp_drop_held(struct entry *entry)
{
    if (entry->held) {
        evcnt_incr(&counts[DROPPED]);
        net_buffer_put(entry->held);
        entry->held = NULL;
    }
}

int arp_output(struct net_interface *interface, struct net_buffer *buffer, uint32_t next)
{
    uintptr_t state = spinlock_acquire(&arp_lock);
    struct entry *entry = arp_find(next);
    uint8_t mac[ETHERNET_ADDRESS];
    bool first = !entry;

    if (entry && entry->complete) {
        memcpy(mac, entry->mac, sizeof mac);
        spinlock_release(&arp_lock, state);
        return net_interface_output(interface, buffer, mac, ETHERTYPE_IPV4);
    }
    if (first && (entry = arp_make(interface, next))) {
        entry->requests = 1;
        entry->due = clock_now() + SECOND;
        arp_wake_at(entry->due);
    }
    if (entry) {
        arp_drop_held(entry);
        entry->held = buffer;
    } else {
        evcnt_incr(&counts[DROPPED]);
        net_buffer_put(buffer);
    }
    spinlock_release(&arp_lock, state);
    if (first && entry)
        arp_ask(interface, next);
    return entry ? 0 : -ENOBUFS;
}

/* Notes who has ADDRESS: if the address was known or asked for, or if WANTED. */
static void arp_learn(struct net_interface *interface, uint32_t address, const uint8_t *mac,
                      bool wanted)
{
    uintptr_t state = spinlock_acquire(&arp_lock);
    struct entry *entry = address ? arp_find(address) : NULL;
    struct net_buffer *held = NULL;

    if (!entry && wanted && address)
        entry = arp_make(interface, address);
    if (entry) {
        memcpy(entry->mac, mac, ETHERNET_ADDRESS);
        entry->interface = interface;
        entry->complete = true;
        entry->due = clock_now() + LIFETIME;
        arp_wake_at(entry->due);
        held = entry->held;
        entry->held = NULL;
    }
    spinlock_release(&arp_lock, state);
    if (held)
        net_interface_output(interface, held, mac, ETHERTYPE_IPV4);
}

void arp_input(struct net_buffer *buffer)
{
    struct net_interface *interface = buffer->interface;
    struct wire_arp arp;
    bool ours;

    evcnt_incr(&counts[RECEIVED]);
    if (wire_read_arp(buffer->frame + ETHERNET_HEADER, buffer->length - ETHERNET_HEADER, &arp) !=
            WIRE_GOOD ||
        (arp.operation != ARP_REQUEST && arp.operation != ARP_REPLY) || arp.sender_mac[0] & 1) {
        evcnt_incr(&counts[BAD]);
        net_buffer_put(buffer);
        return;
    }
    net_buffer_put(buffer);
    if (arp.sender && !ipv4_is_host(interface, arp.sender)) { /* 0: has none yet (RFC 5227) */
        evcnt_incr(&counts[NO_HOST]);
        return;
    }
    evcnt_incr(&counts[arp.operation == ARP_REQUEST ? REQUESTS_IN : REPLIES_IN]);
    ours = interface->address && arp.target == interface->address;
    if (arp.sender && (arp.sender == interface->address || ipv4_is_ours(arp.sender))) {
        evcnt_incr(&counts[TWINS]);
        return;
    }
    arp_learn(interface, arp.sender, arp.sender_mac, ours && arp.operation == ARP_REQUEST);
    if (ours && arp.operation == ARP_REQUEST)
        arp_send(interface, ARP_REPLY, arp.sender_mac, arp.sender_mac, arp.sender);
}

/* One entry whose time has come: whether it is to be asked for again. */
static bool arp_expire(struct entry *entry, uint64_t now)
{
    if (!entry->complete && entry->requests < REQUESTS) {
        entry->requests++;
        entry->due = now + SECOND;
        return true;
    }
    if (!entry->complete)
        evcnt_incr(&counts[TIMEOUTS]);
    arp_drop_held(entry);
    *entry = (struct entry){.address = 0};
    return false;
}

void arp_run(void)
{
    struct {
        struct net_interface *interface;
        uint32_t address;
    } again[ARP_ENTRIES];
    unsigned number = 0;
    uint64_t now = clock_now(), first = UINT64_MAX;
    uintptr_t state;

    if (now < earliest)
        return;
    state = spinlock_acquire(&arp_lock);
    for (unsigned i = 0; i < ARP_ENTRIES; i++) {
        struct entry *entry = &table[i];

        if (!entry->address)
            continue;
        if (now >= entry->due && arp_expire(entry, now)) {
            again[number].interface = entry->interface;
            again[number++].address = entry->address;
        }
        if (entry->address && entry->due < first)
            first = entry->due;
    }
    earliest = UINT64_MAX;
    arp_wake_at(first);
    spinlock_release(&arp_lock, state);
    for (unsigned i = 0; i < number; i++)
        arp_ask(again[i].interface, again[i].address);
}

void arp_announce(struct net_interface *interface)
{
    uintptr_t state = spinlock_acquire(&arp_lock);

    for (unsigned i = 0; i < ARP_ENTRIES; i++)
        if (table[i].address && table[i].interface == interface) {
            arp_drop_held(&table[i]);
            table[i] = (struct entry){.address = 0};
        }
    spinlock_release(&arp_lock, state);
    if (interface->address && interface->up && !interface->loopback)
        arp_ask(interface, interface->address);
}

unsigned arp_snapshot(struct arp_info *out, unsigned max)
{
    uint64_t now = clock_now();
    uintptr_t state = spinlock_acquire(&arp_lock);
    unsigned number = 0;

    for (unsigned i = 0; i < ARP_ENTRIES; i++) {
        struct entry *entry = &table[i];

        if (!entry->address)
            continue;
        if (number < max) {
            out[number] = (struct arp_info){.address = entry->address,
                                            .complete = entry->complete,
                                            .left = entry->due > now ? entry->due - now : 0,
                                            .interface = entry->interface->name};
            memcpy(out[number].mac, entry->mac, ETHERNET_ADDRESS);
        }
        number++;
    }
    spinlock_release(&arp_lock, state);
    return number;
}
