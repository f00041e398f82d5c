/* SPDX-License-Identifier: BSD-2-Clause */
/* These processors have no source of randomness. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline bool cpu_random(uint64_t *word)
{
    (void)word;
    return false;
}
