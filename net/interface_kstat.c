/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counts of each interface as a kstat: net:0:pcnet0, class net, with the names that Solaris's
 * drivers use. Nothing is kept here; each reading asks the interface.
 */
#include <sys/kstat.h>
#include "kernel/device/late.h"
#include "lib/errno.h"
#include "net/interface.h"

/* In the order of the record; those that wrap at 2^32 are there beside their 64-bit twins because
 * readers ask for them. */
static const struct {
    const char *name;
    enum net_count count;
    uchar_t type;
} fields[] = {
    {"ipackets", NET_IPACKETS, KSTAT_DATA_UINT32},
    {"ipackets64", NET_IPACKETS, KSTAT_DATA_UINT64},
    {"opackets", NET_OPACKETS, KSTAT_DATA_UINT32},
    {"opackets64", NET_OPACKETS, KSTAT_DATA_UINT64},
    {"rbytes", NET_RBYTES, KSTAT_DATA_UINT32},
    {"rbytes64", NET_RBYTES, KSTAT_DATA_UINT64},
    {"obytes", NET_OBYTES, KSTAT_DATA_UINT32},
    {"obytes64", NET_OBYTES, KSTAT_DATA_UINT64},
    {"ierrors", NET_IERRORS, KSTAT_DATA_UINT32},
    {"oerrors", NET_OERRORS, KSTAT_DATA_UINT32},
    {"collisions", NET_COLLISIONS, KSTAT_DATA_UINT32},
    {"multircv", NET_MULTIRCV, KSTAT_DATA_UINT32},
    {"multixmt", NET_MULTIXMT, KSTAT_DATA_UINT32},
    {"brdcstrcv", NET_BRDCSTRCV, KSTAT_DATA_UINT32},
    {"brdcstxmt", NET_BRDCSTXMT, KSTAT_DATA_UINT32},
    {"norcvbuf", NET_NORCVBUF, KSTAT_DATA_UINT32},
    {"noxmtbuf", NET_NOXMTBUF, KSTAT_DATA_UINT32},
    {"missed", NET_MISSED, KSTAT_DATA_UINT32},
    {"idrops", NET_IDROPS, KSTAT_DATA_UINT32},
    {"unknowns", NET_UNKNOWN, KSTAT_DATA_UINT32},
};

#define FIELDS (sizeof fields / sizeof fields[0])

static int interface_kstat_update(kstat_t *ksp, int rw)
{
    struct net_interface *interface = ksp->ks_private;
    kstat_named_t *record = ksp->ks_data;

    if (rw == KSTAT_WRITE)
        return EACCES;
    if (interface->refresh)
        interface->refresh(interface);
    for (size_t i = 0; i < FIELDS; i++) {
        uint64_t value = net_interface_count(interface, fields[i].count);

        if (fields[i].type == KSTAT_DATA_UINT64)
            record[i].value.ui64 = value;
        else
            record[i].value.ui32 = (uint32_t)value;
    }
    return 0;
}

static void interface_kstat_make(struct net_interface *interface)
{
    const char *digit = interface->name;
    kstat_t *ksp;

    while (*digit < '0' || *digit > '9')
        digit++;
    ksp = kstat_create("net", *digit - '0', interface->name, "net", KSTAT_TYPE_NAMED, FIELDS, 0);
    if (!ksp)
        return; /* the log says why */
    for (size_t i = 0; i < FIELDS; i++)
        kstat_named_init((kstat_named_t *)ksp->ks_data + i, fields[i].name, fields[i].type);
    ksp->ks_crtime = (hrtime_t)interface->counts[0].ev_since;
    ksp->ks_private = interface;
    ksp->ks_update = interface_kstat_update;
    kstat_install(ksp);
}

static void interface_kstat_net_kstats(void)
{
    struct net_interface *interface = NULL;

    while ((interface = net_interface_next(interface)))
        interface_kstat_make(interface);
}
LATE(7, interface_kstat_net_kstats);
