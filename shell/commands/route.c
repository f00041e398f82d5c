/* SPDX-License-Identifier: BSD-2-Clause */
/* route: where packets to other networks go. */
#include "kernel/device/late.h"
#include "lib/string.h"
#include "net/ipv4.h"
#include "shell/command.h"
#include "shell/commands/shared/route_list.h"
#include "shell/options.h"
#include "shell/output.h"

static int route_run(int argc, char **argv)
{
    uint32_t gateway = 0;
    bool adds = argc == 4 && strcmp(argv[1], "add") == 0;
    bool deletes = argc == 3 && strcmp(argv[1], "delete") == 0;

    if (argc == 1 || (argc == 2 && (strcmp(argv[1], "show") == 0 || strcmp(argv[1], "-n") == 0))) {
        late_start();
        route_list_print();
        return 0;
    }
    if ((!adds && !deletes) || strcmp(argv[2], "default") != 0)
        return command_usage(argv[0]);
    if (adds && (!wire_parse_address(argv[3], &gateway) || gateway == 0)) {
        shell_printf("route: bad address \"%s\"\n", argv[3]);
        return STATUS_USAGE;
    }
    late_start(); /* which sets the usual gateway */
    if (adds && (ipv4_is_ours(gateway) || ipv4_is_broadcast(gateway))) {
        shell_printf("route: %s cannot be a gateway\n", argv[3]);
        return 1;
    }
    if (deletes && !ipv4_gateway()) {
        shell_printf("route: there is no default route\n");
        return 1;
    }
    ipv4_set_gateway(gateway);
    return 0;
}

COMMAND(route, .name = "route", .summary = "show or set where packets to other networks go",
        .usage = "route [show | -n | add default GATEWAY | delete default]",
        .description = "Alone it shows the routes, as `netstat -r` does.\n"
                       "\n"
                       "Example: route add default 10.0.2.2\n",
        .run = route_run);
