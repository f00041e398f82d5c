/* SPDX-License-Identifier: BSD-2-Clause */
/* arp: which Ethernet addresses are known. */
#include "net/arp.h"
#include "kernel/device/late.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define SECOND 1000000000u

static void arp_show(const struct arp_info *entry)
{
    char address[WIRE_ADDRESS_TEXT], mac[WIRE_MAC_TEXT];

    wire_address_text(entry->address, address);
    if (entry->complete)
        shell_printf("? (%s) at %s on %s expires in %llu seconds [ethernet]\n", address,
                     wire_mac_text(entry->mac, mac), entry->interface,
                     (unsigned long long)(entry->left / SECOND));
    else
        shell_printf("? (%s) at (incomplete) on %s [ethernet]\n", address, entry->interface);
}

static int arp_command_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "an"};
    struct arp_info entries[ARP_ENTRIES];
    uint32_t address = 0;
    unsigned number, shown = 0;
    bool all = false;
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        all = all || option == 'a';
    }
    if (argc - options.index != (all ? 0 : 1))
        return command_usage(argv[0]);
    if (!all && !wire_parse_address(argv[options.index], &address)) {
        shell_printf("arp: bad address \"%s\"\n", argv[options.index]);
        return STATUS_USAGE;
    }
    late_start();
    number = arp_snapshot(entries, ARP_ENTRIES);
    for (unsigned i = 0; i < number && i < ARP_ENTRIES; i++)
        if (all || entries[i].address == address) {
            arp_show(&entries[i]);
            shown++;
        }
    if (all || shown)
        return 0;
    shell_printf("%s -- no entry\n", argv[options.index]);
    return 1;
}

COMMAND(arp, .name = "arp", .summary = "print which Ethernet addresses are known",
        .usage = "arp [-n] -a | HOST",
        .description = "  -a  all of them\n"
                       "  -n  accepted: addresses are never shown as names\n"
                       "\n"
                       "Example: ping -c 1 10.0.2.2; arp -a\n",
        .run = arp_command_run);
