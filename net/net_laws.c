/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Laws of frames that come in, from the interfaces to the protocols. What a protocol does with what
 * it gets stands in its own file. Of a protocol, counter 0 is what it received.
 */
#include "kernel/law.h"
#include "net/arp.h"
#include "net/interface.h"
#include "net/ipv4.h"

static uint64_t received(const struct net_protocol *protocol)
{
    return evcnt_value(&protocol->counts[0]);
}

/* Frames of all interfaces that the drivers handed up. */
static uint64_t handed_up(void *unused)
{
    struct net_interface *interface = NULL;
    uint64_t sum = 0;

    (void)unused;
    while ((interface = net_interface_next(interface)) != NULL)
        sum += net_interface_count(interface, NET_IPACKETS);
    return sum;
}

static uint64_t taken(void *unused)
{
    struct net_interface *interface = NULL;
    uint64_t sum = received(&arp_protocol) + received(&ipv4_protocol);

    (void)unused;
    while ((interface = net_interface_next(interface)) != NULL)
        sum += net_interface_count(interface, NET_UNKNOWN) +
               net_interface_count(interface, NET_IDROPS) + interface->input.length;
    return sum;
}

static uint64_t *handed_up_word(void *unused)
{
    (void)unused;
    return &net_interface_next(NULL)->counts[NET_IPACKETS].ev_count;
}

static void *first_interface(void *subject)
{
    return subject ? NULL : net_interface_next(NULL);
}

static void name_all(const void *subject, char *buffer, size_t size)
{
    (void)subject;
    if (size > 0)
        buffer[0] = '\0';
}

static const struct law_subjects network = {first_interface, name_all};

LAW(frames_in, .name = "frames-in", .subjects = &network, .left = "ipackets",
    .right = "arp + ip + unknowns + idrops + waiting", .get_left = handed_up, .get_right = taken,
    .word = handed_up_word);
