/* SPDX-License-Identifier: BSD-2-Clause */
/* netstat: counts of network interfaces and protocols, and the routes, in FreeBSD's forms. */
#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "kernel/device/late.h"
#include "lib/format.h"
#include "net/interface.h"
#include "net/ipv4.h"
#include "net/stack.h"
#include "net/udp.h"
#include "shell/command.h"
#include "shell/commands/shared/route_list.h"
#include "shell/options.h"
#include "shell/output.h"

#define SOCKETS      64 /* that are listed */
#define HEADING_EACH 20 /* lines of a running report between two headings */

struct request {
    bool interfaces, statistics, routes, bytes;
    const char *name; /* of the one interface, or NULL */
    uint64_t interval, count;
};

/* What a running report shows of one interface, or of all. */
struct sums {
    uint64_t ipackets, ierrors, idrops, rbytes, opackets, oerrors, obytes, collisions;
};

static void netstat_add(struct sums *sums, struct net_interface *interface)
{
    if (interface->refresh)
        interface->refresh(interface);
    sums->ipackets += net_interface_count(interface, NET_IPACKETS);
    sums->ierrors += net_interface_count(interface, NET_IERRORS);
    sums->idrops += net_interface_count(interface, NET_IDROPS) +
                    net_interface_count(interface, NET_NORCVBUF) +
                    net_interface_count(interface, NET_MISSED);
    sums->rbytes += net_interface_count(interface, NET_RBYTES);
    sums->opackets += net_interface_count(interface, NET_OPACKETS);
    sums->oerrors +=
        net_interface_count(interface, NET_OERRORS) + net_interface_count(interface, NET_NOXMTBUF);
    sums->obytes += net_interface_count(interface, NET_OBYTES);
    sums->collisions += net_interface_count(interface, NET_COLLISIONS);
}

static bool netstat_wanted(const struct request *request, const struct net_interface *interface)
{
    return !request->name || net_interface_find(request->name) == interface;
}

/* The counts, in the columns of the heading. */
static void netstat_add_sums(struct shell_gather *line, const struct request *request,
                             const struct sums *s)
{
    shell_gather_printf(line, " %8llu", (unsigned long long)s->ipackets);
    shell_gather_printf(line, " %5llu %5llu", (unsigned long long)s->ierrors,
                        (unsigned long long)s->idrops);
    if (request->bytes)
        shell_gather_printf(line, " %10llu", (unsigned long long)s->rbytes);
    shell_gather_printf(line, " %8llu", (unsigned long long)s->opackets);
    shell_gather_printf(line, " %5llu", (unsigned long long)s->oerrors);
    if (request->bytes)
        shell_gather_printf(line, " %10llu", (unsigned long long)s->obytes);
    shell_gather_printf(line, " %5llu\n", (unsigned long long)s->collisions);
}

/* A line of the link's own, with the counts. The address has one without: packets are not counted
 * by address. */
static void netstat_print_interface(const struct request *request, struct net_interface *interface,
                                    unsigned number, const struct sums *sums)
{
    char address[WIRE_MAC_TEXT] = "", network[WIRE_ADDRESS_TEXT + 4];
    struct shell_gather line = {.used = 0};
    size_t used;

    format(network, sizeof network, "<Link#%u>", number);
    if (!interface->loopback)
        wire_mac_text(interface->mac, address);
    shell_gather_printf(&line, "%-8s%s %5u %-18s %-17s", interface->name, interface->up ? " " : "*",
                        ETHERNET_MTU, network, address);
    netstat_add_sums(&line, request, sums);
    shell_gather_flush(&line);
    if (!interface->address)
        return;
    wire_address_text(interface->address & interface->netmask, network);
    for (used = 0; network[used]; used++)
        ;
    format(network + used, sizeof network - used, "/%u", wire_mask_bits(interface->netmask));
    shell_printf("%-8s  %5s %-18s %s\n", interface->name, "-", network,
                 wire_address_text(interface->address, address));
}

static int netstat_complain_memory(void)
{
    shell_printf("netstat: no memory\n");
    return 1;
}

static int netstat_print_interfaces(const struct request *request)
{
    struct net_interface *interface = NULL;
    unsigned number = 0;
    struct sums *all;

    while ((interface = net_interface_next(interface)))
        number++;
    all = kmem_zalloc((number + 1) * sizeof(*all));
    if (all == NULL)
        return netstat_complain_memory();
    for (unsigned i = 0; i < number && (interface = net_interface_next(interface)); i++)
        netstat_add(&all[i], interface);
    interface = NULL;
    number = 0;
    shell_printf("%-8s  %5s %-18s %-17s %8s %5s %5s%s %8s %5s%s %5s\n", "Name", "Mtu", "Network",
                 "Address", "Ipkts", "Ierrs", "Idrop", request->bytes ? "     Ibytes" : "", "Opkts",
                 "Oerrs", request->bytes ? "     Obytes" : "", "Coll");
    while ((interface = net_interface_next(interface))) {
        number++;
        if (netstat_wanted(request, interface))
            netstat_print_interface(request, interface, number, &all[number - 1]);
    }
    kmem_free(all);
    return 0;
}

static int netstat_print_running(const struct request *request)
{
    struct sums before = {.ipackets = 0}, now;
    uint64_t next = clock_now();

    for (uint64_t line = 0; request->count == 0 || line < request->count; line++) {
        struct net_interface *interface = NULL;

        if (line % HEADING_EACH == 0)
            shell_printf("%*s%11s%*soutput\n   packets  errs idrops      bytes    packets  errs "
                         "     bytes colls\n",
                         17, "input", request->name ? request->name : "(Total)", 11, "");
        now = (struct sums){.ipackets = 0};
        while ((interface = net_interface_next(interface)))
            if (netstat_wanted(request, interface))
                netstat_add(&now, interface);
        shell_printf("%10llu %5llu %6llu %10llu %10llu %5llu %10llu %5llu\n",
                     (unsigned long long)(now.ipackets - before.ipackets),
                     (unsigned long long)(now.ierrors - before.ierrors),
                     (unsigned long long)(now.idrops - before.idrops),
                     (unsigned long long)(now.rbytes - before.rbytes),
                     (unsigned long long)(now.opackets - before.opackets),
                     (unsigned long long)(now.oerrors - before.oerrors),
                     (unsigned long long)(now.obytes - before.obytes),
                     (unsigned long long)(now.collisions - before.collisions));
        before = now;
        next += request->interval;
        if (line + 1 != request->count && !shell_sleep_until(next))
            return STATUS_INTERRUPTED;
    }
    return 0;
}

/* All counts of all protocols, the last first: what came to a protocol, and what became of it, is
 * read before what came to the one below it. NULL without memory. */
static uint64_t *netstat_take_statistics(void)
{
    size_t count = 0;
    uint64_t *values;

    for (unsigned i = 0; i < NET_PROTOCOLS; i++)
        count += net_protocols[i]->count;
    values = kmem_alloc(count * sizeof(values[0]));
    for (unsigned i = NET_PROTOCOLS; values != NULL && i-- > 0;)
        for (size_t n = net_protocols[i]->count; n-- > 0;)
            values[--count] = evcnt_value(&net_protocols[i]->counts[n]);
    return values;
}

static int netstat_print_statistics(void)
{
    unsigned lowest, left = net_buffer_free(&lowest);
    uint64_t *values = netstat_take_statistics(), *value = values;

    if (values == NULL)
        return netstat_complain_memory();
    for (unsigned i = 0; i < NET_PROTOCOLS; i++) {
        const struct net_protocol *protocol = net_protocols[i];

        shell_printf("%s:\n", protocol->name);
        for (size_t n = 0; n < protocol->count; n++)
            shell_printf("\t%llu %s\n", (unsigned long long)*value++, protocol->counts[n].ev_name);
    }
    shell_printf("buffers:\n\t%u of %u free, %u at the least\n", left, NET_BUFFERS, lowest);
    kmem_free(values);
    return 0;
}

static void netstat_print_sockets(void)
{
    struct udp_open open[SOCKETS];
    unsigned count = udp_list(open, SOCKETS);

    shell_printf("Active Internet connections (including servers)\n");
    shell_printf("%-5s %6s %6s  %-22s %-22s %s\n", "Proto", "Recv-Q", "Send-Q", "Local Address",
                 "Foreign Address", "State");
    for (unsigned i = 0; i < count && i < SOCKETS; i++)
        shell_printf("%-5s %6llu %6u  *.%-20u %s\n", "udp", (unsigned long long)open[i].waiting, 0u,
                     open[i].port, "*.*");
    if (count > SOCKETS)
        shell_printf("netstat: and %u more\n", count - SOCKETS);
}

static int netstat_set_option(char **argv, int option, const char *value, struct request *request)
{
    switch (option) {
    case 'i':
        request->interfaces = true;
        return 0;
    case 'I':
        request->interfaces = true;
        request->name = value;
        return 0;
    case 's':
        request->statistics = true;
        return 0;
    case 'r':
        request->routes = true;
        return 0;
    case 'b':
        request->bytes = true;
        return 0;
    case 'n': /* there are no names to be looked up */
    case 'a': /* and no sockets but such as wait for whoever comes */
        return 0;
    case 'w':
        return options_interval(argv, value, &request->interval);
    case 'q':
        return options_number(argv, "count", value, 1, UINT64_MAX, &request->count);
    default:
        return STATUS_USAGE;
    }
}

static int netstat_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "aiI:srbnw:q:"};
    struct request request = {.interval = 0};
    int option;

    while ((option = options_next(&options)) != OPTIONS_END)
        if (netstat_set_option(argv, option, options.value, &request) != 0)
            return STATUS_USAGE;
    if (options.index < argc &&
        options_interval(argv, argv[options.index++], &request.interval) != 0)
        return STATUS_USAGE;
    if (options.index < argc &&
        options_number(argv, "count", argv[options.index++], 1, UINT64_MAX, &request.count) != 0)
        return STATUS_USAGE;
    if (options.index < argc)
        return command_usage(argv[0]);
    late_start();
    if (!request.interfaces && !request.statistics && !request.routes && !request.interval) {
        netstat_print_sockets();
        return 0;
    }
    if (request.name && !net_interface_find(request.name)) {
        shell_printf("netstat: interface %s does not exist\n", request.name);
        return 1;
    }
    if (request.interval)
        return netstat_print_running(&request);
    if (request.interfaces && netstat_print_interfaces(&request) != 0)
        return 1;
    if (request.routes)
        route_list_print();
    return request.statistics ? netstat_print_statistics() : 0;
}

COMMAND(netstat, .name = "netstat", .summary = "print counts of network interfaces and protocols",
        .usage = "netstat [-abinrs] [-I INTERFACE] [-w INTERVAL] [-q COUNT] [INTERVAL [COUNT]]",
        .description =
            "Alone it lists the open sockets: UDP ports, and how many bytes wait in each.\n"
            "With an INTERVAL it prints a line each time: what came and went since the last,\n"
            "the first time since the start.\n"
            "  -i            all interfaces\n"
            "  -I INTERFACE  that one\n"
            "  -b            bytes too\n"
            "  -s            each protocol's counts\n"
            "  -r            the routes\n"
            "  -w INTERVAL   as an operand\n"
            "  -q COUNT      that many lines\n"
            "  -n            accepted: addresses are never shown as names\n"
            "\n"
            "Example: netstat -i -b; netstat -I vioif0 1 10\n",
        .run = netstat_run);
