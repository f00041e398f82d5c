/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TOOLS_QPMU_PLUGIN_HALT_H
#define TOOLS_QPMU_PLUGIN_HALT_H

#include <stdbool.h>

/* The argument halt=wait: runs shall repeat, so a CPU halts only when QEMU's main loop sleeps. */
void halt_argument(void);
/* Whether it was given, and a halting instruction is to call halt_begins before it executes. */
bool halt_waits(void);
void halt_begins(unsigned cpu, void *unused);

#endif
