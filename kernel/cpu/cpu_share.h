/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each CPU has of a counter that all of them raise: children `cpu0` / NAME ..., views of its
 * cells (shares, see <sys/evcnt.h>). With one CPU there are none: the whole is that CPU's, and
 * carries its name.
 */
#pragma once

#include <sys/evcnt.h>
#include "kernel/cpu/cpu.h"

/* Group of counters that every CPU raises: "cpu", or "cpu0" where it is the only one. */
const char *cpu_group(void);
/*
 * Attaches the shares of WHOLE, which is attached and will not be detached. They are called after
 * WHOLE; where its group is not cpu_group(), by group and name ("cpu1" / "ioapic0 pin 4"). Without
 * memory there are none, and the log says so.
 */
static inline void cpu_shares_attach(struct evcnt *whole);

void cpu_shares_attach_many(struct evcnt *whole);
static inline void cpu_shares_attach(struct evcnt *whole)
{
    if (CPU_MAX > 1 && cpu_possible() > 1)
        cpu_shares_attach_many(whole);
}
