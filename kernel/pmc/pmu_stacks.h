/* SPDX-License-Identifier: BSD-2-Clause */
/* What qpmu is told of the kernel's stacks, so that it knows of calls that were made before it
 * began to follow them. */
#pragma once

#include <stdbool.h>

/* Once qpmu follows calls: of all threads that do not run on other CPUs. Thread context. */
void pmu_stacks_tell(void);
