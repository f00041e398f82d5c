/* SPDX-License-Identifier: BSD-2-Clause */
/* A Malta's interrupt of performance counters. */
#ifndef QPMU_PLUGIN_MALTA_H
#define QPMU_PLUGIN_MALTA_H

#include "tools/qpmu/plugin/vcpu.h"

#define MALTA_PIN 4u /* of the CPU: what IntCtl.IPPCI says */

/* The line becomes what the counters say. True: it has just been raised. */
bool malta_line(struct vcpu *cpu);

#endif
