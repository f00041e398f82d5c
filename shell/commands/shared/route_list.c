/* SPDX-License-Identifier: BSD-2-Clause */
/* The routes: see route_list.h. */
#include "shell/commands/shared/route_list.h"

#include "lib/format.h"
#include "net/interface.h"
#include "net/ipv4.h"
#include "shell/output.h"

static void route_list_print_route(const char *to, const char *gateway, const char *flags,
                                   const char *name)
{
    shell_printf("%-18s %-18s %-9s %6s\n", to, gateway, flags, name);
}

void route_list_print(void)
{
    struct net_interface *interface = NULL;
    uint32_t gateway = ipv4_gateway();
    char to[WIRE_ADDRESS_TEXT + 4], link[16], text[WIRE_ADDRESS_TEXT];
    unsigned number = 0;

    shell_printf("Routing tables\n\nInternet:\n");
    route_list_print_route("Destination", "Gateway", "Flags", "Netif");
    while (gateway && (interface = net_interface_next(interface)))
        if (!interface->loopback && interface->up && interface->address &&
            ((gateway ^ interface->address) & interface->netmask) == 0) {
            route_list_print_route("default", wire_address_text(gateway, text), "UGS",
                                   interface->name);
            break;
        }
    for (interface = NULL; (interface = net_interface_next(interface));) {
        number++;
        if (!interface->up || !interface->address)
            continue;
        format(link, sizeof link, "link#%u", number);
        format(to, sizeof to, "%s/%u",
               wire_address_text(interface->address & interface->netmask, text),
               wire_mask_bits(interface->netmask));
        route_list_print_route(to, link, "U", interface->name);
        route_list_print_route(wire_address_text(interface->address, text), link,
                               interface->loopback ? "UH" : "UHS", "lo0");
    }
}
