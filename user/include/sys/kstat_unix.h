/* SPDX-License-Identifier: BSD-2-Clause */
/* The raw data of unix:0:sysinfo and unix:0:vminfo, for programs. */
#include "../../../stats/include/sys/kstat_unix.h"
