/* SPDX-License-Identifier: BSD-2-Clause */
/* What the console has written and read, as a device and as a kstat, from when devices are first
 * asked for. */
#pragma once

#include <sys/kstat.h>

struct devstat;

/* Its record as a device, to be read with devstat_copy; NULL before devices were asked for. */
const struct devstat *console_stats(void);
/* The same as its kstat has it, up to now: the time of that. Any context. */
uint64_t console_io(kstat_io_t *copy);
