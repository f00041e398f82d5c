/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a driver's softc begins with: the generic part of a device. Drivers written for the classic
 * autoconfiguration interface put a struct device first in their softc and use its name as the
 * group of their event counters, which is why this header brings <sys/evcnt.h> with it.
 *
 * This is a name and a place in a tree, not a driver model: nothing here finds or starts devices.
 */
#ifndef _SYS_DEVICE_H_
#define _SYS_DEVICE_H_

#include <sys/types.h>
#include <sys/queue.h>
#include <sys/evcnt.h>

#ifdef __cplusplus
extern "C" {
#endif

struct device {
    TAILQ_ENTRY(device) dv_list; /* for whoever keeps a list of devices */
    int dv_unit;                 /* the number in the name */
    char dv_xname[16];           /* driver's name and unit, NUL-terminated: "com0" */
    struct device *dv_parent;    /* the device this one hangs on; NULL at the root */
};

/* Type of the classic list heads of devices. */
TAILQ_HEAD(devicelist, device);

#ifdef __cplusplus
}
#endif

#endif
