/* SPDX-License-Identifier: BSD-2-Clause */
/* ifconfig: shows network interfaces, and gives them addresses. */
#include "kernel/device/late.h"
#include "lib/string.h"
#include "net/arp.h"
#include "net/interface.h"
#include "net/ipv4.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

/* As FreeBSD's <net/if.h> has them. */
#define IFF_UP        0x1u
#define IFF_BROADCAST 0x2u
#define IFF_LOOPBACK  0x8u
#define IFF_RUNNING   0x40u
#define IFF_SIMPLEX   0x800u
#define IFF_MULTICAST 0x8000u

#define DEFAULT_NETMASK 0xffffff00u

static void ifconfig_show(const struct net_interface *interface)
{
    unsigned flags = interface->up ? IFF_UP : 0;
    char text[WIRE_MAC_TEXT], broadcast[WIRE_ADDRESS_TEXT];
    struct shell_gather out = {.used = 0};

    flags |= IFF_RUNNING | IFF_MULTICAST;
    flags |= interface->loopback ? IFF_LOOPBACK : IFF_BROADCAST | IFF_SIMPLEX;
    shell_gather_printf(&out, "%s: flags=%x<%s%s,MULTICAST> metric 0 mtu %u\n", interface->name,
                        flags, interface->up ? "UP," : "",
                        interface->loopback ? "LOOPBACK,RUNNING" : "BROADCAST,RUNNING,SIMPLEX",
                        ETHERNET_MTU);
    if (!interface->loopback)
        shell_gather_printf(&out, "\tether %s\n", wire_mac_text(interface->mac, text));
    if (interface->address) {
        shell_gather_printf(&out, "\tinet %s netmask 0x%08x",
                            wire_address_text(interface->address, text), interface->netmask);
        if (!interface->loopback)
            shell_gather_printf(
                &out, " broadcast %s",
                wire_address_text(interface->address | ~interface->netmask, broadcast));
        shell_gather_printf(&out, "\n");
    }
    if (!interface->loopback)
        shell_gather_printf(&out, "\tmedia: Ethernet autoselect\n\tstatus: active\n");
    shell_gather_flush(&out);
}

static int ifconfig_show_all(void)
{
    struct net_interface *interface = NULL;

    while ((interface = net_interface_next(interface)))
        ifconfig_show(interface);
    return 0;
}

static int ifconfig_bad(const char *what, const char *text)
{
    shell_printf("ifconfig: bad %s \"%s\"\n", what, text);
    return command_usage("ifconfig");
}

/* 255.255.255.0, 0xffffff00, or the number of bits. */
static bool ifconfig_read_mask(const char *text, uint32_t *mask)
{
    uint64_t number;

    if (wire_parse_address(text, mask))
        return wire_mask_valid(*mask);
    if (parse_u64(text, 0, &number) != 0 || number > UINT32_MAX)
        return false;
    if (number <= 32)
        number = number ? UINT32_MAX << (32 - number) : 0;
    *mask = (uint32_t)number;
    return wire_mask_valid(*mask);
}

/* ADDRESS, or ADDRESS/BITS; MASK stays as it is without bits. */
static bool ifconfig_read_address(const char *text, uint32_t *address, uint32_t *mask)
{
    char copy[WIRE_ADDRESS_TEXT + 3];
    char *slash;

    if (strlcpy(copy, text, sizeof copy) >= sizeof copy)
        return false;
    slash = strchr(copy, '/');
    if (slash) {
        uint64_t bits;

        *slash++ = '\0';
        if (parse_u64(slash, 10, &bits) != 0 || bits < 1 || bits > 32)
            return false;
        *mask = (uint32_t)(UINT32_MAX << (32 - bits));
    }
    return wire_parse_address(copy, address);
}

/* Whether one host may have ADDRESS where MASK is the net's. */
static bool ifconfig_is_for_one(const struct net_interface *interface, uint32_t address,
                                uint32_t mask)
{
    struct net_interface then = *interface;

    then.address = address;
    then.netmask = mask;
    return ipv4_is_host(&then, address);
}

static int ifconfig_set(struct net_interface *interface, int argc, char **argv)
{
    uint32_t address = interface->address, mask = interface->netmask;
    char text[WIRE_ADDRESS_TEXT];
    bool up = interface->up, told = false;

    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "up") == 0 || strcmp(argv[i], "down") == 0) {
            if (told)
                return command_usage("ifconfig");
            up = argv[i][0] == 'u';
            told = true;
        } else if (strcmp(argv[i], "inet") == 0 && i + 1 < argc)
            continue;
        else if (strcmp(argv[i], "netmask") == 0) {
            if (++i == argc || !ifconfig_read_mask(argv[i], &mask))
                return ifconfig_bad("netmask", i < argc ? argv[i] : "");
        } else {
            mask = mask ? mask : DEFAULT_NETMASK;
            if (!ifconfig_read_address(argv[i], &address, &mask))
                return ifconfig_bad("address", argv[i]);
            up = up || !told;
        }
    }
    if (address != interface->address && !ifconfig_is_for_one(interface, address, mask))
        return ifconfig_bad("address: no single host has it:", wire_address_text(address, text));
    interface->netmask = mask;
    interface->address = address;
    interface->up = up;
    arp_announce(interface);
    return 0;
}

static int ifconfig_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "a"};
    struct net_interface *interface;
    int option;

    while ((option = options_next(&options)) != OPTIONS_END)
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
    late_start();
    if (options.index == argc)
        return ifconfig_show_all();
    interface = net_interface_find(argv[options.index]);
    if (!interface) {
        shell_printf("ifconfig: interface %s does not exist\n", argv[options.index]);
        return 1;
    }
    if (options.index + 1 < argc)
        return ifconfig_set(interface, argc - options.index - 1, argv + options.index + 1);
    ifconfig_show(interface);
    return 0;
}

static void ifconfig_complete(struct completion *completion, int argc, char **argv)
{
    struct net_interface *interface = NULL;

    (void)argv;
    while (argc == 1 && (interface = net_interface_next(interface)))
        completion_add(completion, interface->name);
}

COMMAND(ifconfig, .name = "ifconfig", .summary = "show or set up network interfaces",
        .usage = "ifconfig [-a] [INTERFACE [ADDRESS[/BITS]] [netmask MASK] [up|down]]",
        .description =
            "Alone it shows all interfaces. MASK may be 255.255.255.0, 0xffffff00 or 24.\n"
            "  -a  all interfaces, as without arguments\n"
            "\n"
            "Example: ifconfig vioif0 10.0.2.20 netmask 255.255.255.0\n",
        .run = ifconfig_run, .complete = ifconfig_complete);
