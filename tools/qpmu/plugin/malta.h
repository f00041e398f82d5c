/* SPDX-License-Identifier: BSD-2-Clause */
/* A Malta's interrupt of performance counters. */
#ifndef QPMU_PLUGIN_MALTA_H
#define QPMU_PLUGIN_MALTA_H

#include "tools/qpmu/plugin/vcpu.h"

/* Once, where the first block is translated. PIN: the one that is to interrupt, 4 or 7; 0: 7 where
 * it can be had. */
void malta_begin(unsigned pin);
/* The one that does: what IntCtl.IPPCI says. */
unsigned malta_pin(void);

/* The line becomes what the counters say. True: it has just been raised. */
bool malta_line(struct vcpu *cpu);
/* It is down, as all lines after a reset. */
void malta_reset(const struct vcpu *cpu);

#endif
