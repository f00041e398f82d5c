/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives each count of the loopback an amount of its own, so that sums of them tell what is in them:
 * what netstat prints afterwards is looked at from outside. */
#include "kernel/device/late.h"
#include "net/interface.h"
#include "net/loopback.h"
#include "tests/kernel/selftest.h"

/* By the laws: what has come went somewhere, and what was handed over was sent or lost. */
#define CAME        (1u << NET_UNKNOWN | 1u << NET_IDROPS)
#define HANDED_OVER (1u << NET_OPACKETS | 1u << NET_OERRORS | 1u << NET_NOXMTBUF)

SELFTEST_ONLY_NAMED(net_sums, "net-sums", "gives the loopback's count of number n 2^n, for netstat")
{
    late_start(); /* attaching clears */
    if (net_interface_count(loopback(), NET_IPACKETS) != 0)
        return 0; /* run once more, to see what memory it holds */
    net_interface_add(loopback(), NET_IPACKETS, CAME);
    for (unsigned i = NET_IPACKETS + 1; i < NET_OUTPUTS; i++)
        net_interface_add(loopback(), i, 1u << i);
    net_interface_add(loopback(), NET_OUTPUTS, HANDED_OVER);
    return 0;
}
