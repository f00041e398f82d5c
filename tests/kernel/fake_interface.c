/* SPDX-License-Identifier: BSD-2-Clause */
/* An interface of the tests' own: see fake_interface.h. */
#include "tests/kernel/fake_interface.h"
#include <stddef.h>
#include "tests/kernel/selftest.h"
#include "lib/string.h"

void fake_interface_begin(struct net_interface *interface, const char *group)
{
    size_t before = offsetof(struct net_interface, lock), behind = before + sizeof interface->lock;

    memset(interface, 0, before);
    memset((char *)interface + behind, 0, sizeof *interface - behind);
    spinlock_init(&interface->lock, "fake interface");
    net_queue_init(&interface->input);
    for (unsigned i = 0; i < NET_COUNTS; i++)
        evcnt_attach_dynamic(&interface->counts[i], EVCNT_TYPE_MISC, NULL, group,
                             net_count_name(i));
}

void fake_interface_begin_up(struct net_interface *interface, uint32_t address,
                             int (*transmit)(struct net_interface *, struct net_buffer *))
{
    fake_interface_begin(interface, "fake card");
    memcpy(interface->mac, "\2\0\0\0\0\1", sizeof interface->mac);
    interface->name = "fake0";
    interface->transmit = transmit;
    interface->address = address;
    interface->netmask = 0xffffff00;
    interface->up = true;
}

void fake_interface_end(struct net_interface *interface)
{
    for (unsigned i = 0; i < NET_COUNTS; i++)
        evcnt_detach(&interface->counts[i]);
}

int fake_interface_check(const struct net_interface *interface, uint64_t good, uint64_t bad,
                         uint64_t bytes)
{
    SELFTEST_EQUAL(evcnt_value(&interface->counts[NET_IPACKETS]), good);
    SELFTEST_EQUAL(evcnt_value(&interface->counts[NET_IDROPS]), good);
    SELFTEST_EQUAL(evcnt_value(&interface->counts[NET_IERRORS]), bad);
    SELFTEST_EQUAL(evcnt_value(&interface->counts[NET_RBYTES]), bytes);
    return 0;
}

void fake_interface_starve(struct net_queue *held)
{
    struct net_buffer *buffer;

    net_queue_init(held);
    while ((buffer = net_buffer_get()) != NULL)
        net_queue_add(held, buffer);
}
