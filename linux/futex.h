/* SPDX-License-Identifier: BSD-2-Clause */
/* Futexes, for what else wakes their waiters. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Wakes up to MOST who wait at the word AT with one of BITS: how many, or -EINVAL, -EFAULT. */
long futex_wake(uint64_t at, bool private, uint32_t most, uint32_t bits);
