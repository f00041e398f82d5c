/* SPDX-License-Identifier: BSD-2-Clause */
/* hinv's lines of network interfaces: all but the loopback, which is no hardware. */
#include "kernel/base/inventory.h"
#include "lib/format.h"
#include "net/interface.h"
#include "net/wire.h"

static size_t interface_inventory(unsigned line, char *buffer, size_t size)
{
    const struct net_interface *interface = NULL;
    char mac[WIRE_MAC_TEXT];

    while ((interface = net_interface_next(interface)) != NULL)
        if (!interface->loopback && line-- == 0)
            return format(buffer, size, "Ethernet: %s, %s", interface->name,
                          wire_mac_text(interface->mac, mac));
    return 0;
}
INVENTORY(interface, INVENTORY_NETWORK, interface_inventory);
