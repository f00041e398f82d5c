/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event timer of a MIPS CPU: Compare of coprocessor 0 (MIPS R10000 User's Manual 14.11),
 * interrupt 7 when Count reaches it. A write to Compare also takes the interrupt away.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <machine/cpu.h>

/* For a deadline that passed while it was being written, which would come round only after 2^32
 * counts. */
int event_timer_arm_late(void);

static inline int event_timer_arm(uint64_t now, uint64_t deadline)
{
    (void)now;
    __asm__ volatile("mtc0 %0, $11" : : "r"(deadline) : "memory");
    if (__builtin_expect((int64_t)cycles_between(cycles_now(), deadline) <= 0, 0))
        return event_timer_arm_late();
    return 1;
}
