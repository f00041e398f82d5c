/* SPDX-License-Identifier: BSD-2-Clause */
/* Futexes, for what else wakes their waiters. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Wakes up to MOST who wait at the word AT with one of BITS: how many, or -EINVAL, -EFAULT. */
long futex_wake(uint64_t at, bool private, uint32_t most, uint32_t bits);

/* Locks whose word says who has them: futex(2). Who waits longest is next; as all threads of
 * programs have one priority, none is lent. */
long futex_lock_pi(uint64_t at, uint32_t operation, const void *timeout);
long futex_trylock_pi(uint64_t at, bool private);
long futex_unlock_pi(uint64_t at, bool private);
