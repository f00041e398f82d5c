/* SPDX-License-Identifier: BSD-2-Clause */
/* The subjects of a law that each CPU has to keep. */
#pragma once

#include "kernel/base/law.h"

/* Every CPU that runs, by its struct cpu. */
extern const struct law_subjects law_cpus;
