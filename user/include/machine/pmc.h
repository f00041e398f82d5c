/* SPDX-License-Identifier: BSD-2-Clause */
/* The types of <sys/pmc.h>, for programs. */
#include "../../../stats/host/include/machine/pmc.h"
