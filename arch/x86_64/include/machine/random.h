/* SPDX-License-Identifier: BSD-2-Clause */
/* RDRAND: Intel SDM vol. 1, 7.3.17. */
#pragma once

#include <machine/cpu.h>
#include <stdbool.h>
#include <stdint.h>

#define CPUID_RDRAND (1u << 30) /* leaf 1, ECX */
#define RDRAND_TRIES 10         /* as the manual advises */

static inline bool cpu_random(uint64_t *word)
{
    uint32_t features[4];
    bool good = false;

    cpuid(1, features);
    if ((features[2] & CPUID_RDRAND) == 0)
        return false;
    for (unsigned i = 0; i < RDRAND_TRIES && !good; i++)
        __asm__ volatile("rdrand %0" : "=r"(*word), "=@ccc"(good));
    return good;
}
