/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine contract: the device that interrupts once, at a cycle count. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Interrupt when cycles_now() reaches DEADLINE, which lies after NOW, the present count, by a
 * second at most; or as soon after as can be. Too early is allowed (the clock arms again), missing
 * it is not. Returns 1, so that a handler may end with it. Interrupts off.
 */
static inline int event_timer_arm(uint64_t now, uint64_t deadline);

/* The same for every place but the short path of the clock interrupt; out of line. */
int event_timer_arm_anywhere(uint64_t now, uint64_t deadline);
/* Whether the short path must not be taken, because this timer is peculiar. Asked after start-up.
 */
bool event_timer_peculiar(void);

#include <machine/event_timer.h>
