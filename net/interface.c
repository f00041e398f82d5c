/* SPDX-License-Identifier: BSD-2-Clause */
/* Network interfaces: see interface.h. */
#include "net/interface.h"
#include "kernel/time/clock.h"
#include "kernel/cpu/preempt.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "net/stack.h"

#define INPUT_ROOM 64 /* frames that wait for the soft interrupt */

static const char *const count_names[NET_COUNTS] = {
    [NET_IPACKETS] = "ipackets",     [NET_OPACKETS] = "opackets",   [NET_RBYTES] = "rbytes",
    [NET_OBYTES] = "obytes",         [NET_IERRORS] = "ierrors",     [NET_OERRORS] = "oerrors",
    [NET_COLLISIONS] = "collisions", [NET_MULTIRCV] = "multircv",   [NET_MULTIXMT] = "multixmt",
    [NET_BRDCSTRCV] = "brdcstrcv",   [NET_BRDCSTXMT] = "brdcstxmt", [NET_NORCVBUF] = "norcvbuf",
    [NET_NOXMTBUF] = "noxmtbuf",     [NET_MISSED] = "missed",       [NET_IDROPS] = "idrops",
    [NET_UNKNOWN] = "unknowns",      [NET_OUTPUTS] = "outputs",     [NET_ODROPS] = "odrops",
};

static const uint8_t broadcast[ETHERNET_ADDRESS] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
/* Only ever grows, at its end, under late_start's mutex. */
static STAILQ_HEAD(, net_interface) interfaces = STAILQ_HEAD_INITIALIZER(interfaces);

int net_interface_attach(struct net_interface *interface)
{
    int error = net_stack_boot();

    if (error != 0)
        return error;
    spinlock_init(&interface->lock, "network interface");
    net_queue_init(&interface->input);
    for (unsigned i = 0; i < NET_COUNTS; i++)
        evcnt_attach_dynamic(&interface->counts[i], EVCNT_TYPE_MISC, NULL, interface->name,
                             count_names[i]);
    STAILQ_INSERT_TAIL(&interfaces, interface, all);
    return 0;
}

struct net_interface *net_interface_next(const struct net_interface *interface)
{
    return interface ? STAILQ_NEXT(interface, all) : STAILQ_FIRST(&interfaces);
}

struct net_interface *net_interface_find(const char *name)
{
    struct net_interface *interface = NULL;

    while ((interface = net_interface_next(interface)))
        if (strcmp(interface->name, name) == 0)
            break;
    return interface;
}

uint64_t net_interface_count(const struct net_interface *interface, enum net_count which)
{
    return evcnt_value(&interface->counts[which]);
}

const char *net_count_name(enum net_count which)
{
    return count_names[which];
}

void net_interface_add(struct net_interface *interface, enum net_count which, uint64_t n)
{
    uintptr_t state = spinlock_acquire(&interface->lock);

    interface->counts[which].ev_count += n;
    spinlock_release(&interface->lock, state);
}

/* The loopback has no Ethernet header to count. */
static uint32_t interface_counted_bytes(const struct net_interface *interface, uint32_t length)
{
    return interface->loopback ? length - ETHERNET_HEADER : length;
}

/* Counts a frame by where it goes: ONE for all, or MANY of us. */
static void interface_count_cast(struct net_interface *interface, const uint8_t *frame,
                                 enum net_count one, enum net_count many)
{
    if (!wire_is_for_many(frame))
        return;
    if (memcmp(frame, broadcast, sizeof broadcast) == 0)
        evcnt_incr(&interface->counts[one]);
    else
        evcnt_incr(&interface->counts[many]);
}

void net_interface_input(struct net_interface *interface, struct net_buffer *buffer)
{
    uintptr_t state;
    bool room;

    buffer->interface = interface;
    buffer->arrived = clock_now();
    interface_count_cast(interface, buffer->frame, NET_BRDCSTRCV, NET_MULTIRCV);
    state = spinlock_acquire(&interface->lock);
    evcnt_incr(&interface->counts[NET_IPACKETS]); /* and what becomes of it, see net/net_laws.c */
    interface->counts[NET_RBYTES].ev_count += interface_counted_bytes(interface, buffer->length);
    room = interface->up && interface->input.length < INPUT_ROOM;
    if (room)
        net_queue_add(&interface->input, buffer);
    else
        evcnt_incr(&interface->counts[NET_IDROPS]);
    spinlock_release(&interface->lock, state);
    if (room)
        net_stack_schedule();
    else
        net_buffer_put(buffer);
}

void net_interface_sent(struct net_interface *interface, const uint8_t *frame, uint32_t length)
{
    uintptr_t state;

    interface_count_cast(interface, frame, NET_BRDCSTXMT, NET_MULTIXMT);
    evcnt_incr(&interface->counts[NET_OPACKETS]);
    state = spinlock_acquire(&interface->lock);
    interface->counts[NET_OBYTES].ev_count += interface_counted_bytes(interface, length);
    spinlock_release(&interface->lock, state);
}

static void interface_fill_up(const struct net_interface *interface, struct net_buffer *buffer,
                              const uint8_t *destination, uint16_t type)
{
    memcpy(buffer->frame, destination, ETHERNET_ADDRESS);
    memcpy(buffer->frame + ETHERNET_ADDRESS, interface->mac, ETHERNET_ADDRESS);
    wire_put16(buffer->frame + 2 * ETHERNET_ADDRESS, type);
    if (buffer->length < ETHERNET_MIN && !interface->loopback) {
        memset(buffer->frame + buffer->length, 0, ETHERNET_MIN - buffer->length);
        buffer->length = ETHERNET_MIN;
    }
}

int net_interface_output(struct net_interface *interface, struct net_buffer *buffer,
                         const uint8_t *destination, uint16_t type)
{
    int error = -ENETDOWN;

    preempt_disable(); /* no standstill between this count and what becomes of it, see net_laws.c */
    evcnt_incr(&interface->counts[NET_OUTPUTS]);
    if (interface->up) {
        interface_fill_up(interface, buffer, destination, type);
        buffer->interface = interface;
        error = interface->transmit(interface, buffer);
    } else {
        evcnt_incr(&interface->counts[NET_ODROPS]);
        net_buffer_put(buffer);
    }
    preempt_enable();
    return error;
}

struct net_buffer *net_interface_take(void)
{
    struct net_interface *interface = NULL;
    struct net_buffer *buffer = NULL;

    while (!buffer && (interface = net_interface_next(interface))) {
        uintptr_t state = spinlock_acquire(&interface->lock);

        buffer = net_queue_take(&interface->input);
        spinlock_release(&interface->lock, state);
    }
    return buffer;
}
