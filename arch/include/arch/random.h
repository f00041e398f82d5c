/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine contract: the CPU's own source of randomness, if it has one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* 64 random bits; false: this CPU has no source of them, or it has nothing now. Any context. */
static inline bool cpu_random(uint64_t *word);

#include <machine/random.h>
