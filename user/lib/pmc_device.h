/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/pmc, for libpmc. */
#ifndef USER_PMC_DEVICE_H
#define USER_PMC_DEVICE_H

/* One ioctl: 0, or -1 and errno. The device is opened at the first, and stays so. */
int pmc_device_ask(unsigned long request, void *argument);

#endif
