/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Laws of frames that come in, from the interfaces to the protocols, and of those that go out. What
 * a protocol does with what it gets stands in its own file. Of a protocol, counter 0 is what it
 * received.
 */
#include "kernel/base/law.h"
#include "lib/string.h"
#include "net/arp.h"
#include "net/interface.h"
#include "net/ipv4.h"

static uint64_t net_laws_received(const struct net_protocol *protocol)
{
    return evcnt_value(&protocol->counts[0]);
}

/* Frames of all interfaces that the drivers handed up. */
static uint64_t net_laws_handed_up(void *unused)
{
    struct net_interface *interface = NULL;
    uint64_t sum = 0;

    (void)unused;
    while ((interface = net_interface_next(interface)) != NULL)
        sum += net_interface_count(interface, NET_IPACKETS);
    return sum;
}

static uint64_t net_laws_taken(void *unused)
{
    struct net_interface *interface = NULL;
    uint64_t sum = net_laws_received(&arp_protocol) + net_laws_received(&ipv4_protocol);

    (void)unused;
    while ((interface = net_interface_next(interface)) != NULL)
        sum += net_interface_count(interface, NET_UNKNOWN) +
               net_interface_count(interface, NET_IDROPS) + interface->input.length;
    return sum;
}

static uint64_t *net_laws_handed_up_word(void *unused)
{
    (void)unused;
    return &net_interface_next(NULL)->counts[NET_IPACKETS].ev_count;
}

static void *net_laws_first_interface(void *subject)
{
    return subject ? NULL : net_interface_next(NULL);
}

static void net_laws_name_all(const void *subject, char *buffer, size_t size)
{
    (void)subject;
    if (size > 0)
        buffer[0] = '\0';
}

static const struct law_subjects network = {net_laws_first_interface, net_laws_name_all};

LAW(frames_in, .name = "frames-in", .subjects = &network, .left = "ipackets",
    .right = "arp + ip + unknowns + idrops + waiting", .get_left = net_laws_handed_up,
    .get_right = net_laws_taken, .word = net_laws_handed_up_word);

/* --- out --- */

static void *net_laws_next_interface(void *subject)
{
    return net_interface_next(subject);
}

static void net_laws_name_interface(const void *subject, char *buffer, size_t size)
{
    strlcpy(buffer, ((const struct net_interface *)subject)->name, size);
}

static const struct law_subjects interfaces = {net_laws_next_interface, net_laws_name_interface};

static uint64_t net_laws_handed_over(void *subject)
{
    return net_interface_count(subject, NET_OUTPUTS);
}

static uint64_t net_laws_sent_or_lost(void *subject)
{
    static const enum net_count ways[] = {NET_OPACKETS, NET_OERRORS, NET_NOXMTBUF, NET_ODROPS};
    const struct net_interface *interface = subject;
    uint64_t sum = interface->sending ? interface->sending(interface) : 0;

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        sum += net_interface_count(interface, ways[i]);
    return sum;
}

static uint64_t *net_laws_handed_over_word(void *subject)
{
    return &((struct net_interface *)subject)->counts[NET_OUTPUTS].ev_count;
}

LAW(frames_out, .name = "frames-out", .subjects = &interfaces, .left = "outputs",
    .right = "opackets + oerrors + noxmtbuf + odrops + with the chip",
    .get_left = net_laws_handed_over, .get_right = net_laws_sent_or_lost,
    .word = net_laws_handed_over_word);
