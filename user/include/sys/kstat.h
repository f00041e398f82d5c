/* SPDX-License-Identifier: BSD-2-Clause */
/* kstat(3): what readers and the kernel share, for programs. */
#include "../../../stats/include/sys/kstat.h"
