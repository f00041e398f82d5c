/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU's interrupt pins and exception vectors. */
#pragma once

#include <stdbool.h>

struct interrupt_line;

/* Boot: vectors in place, all interrupts masked. */
void cpu_boot(void);
/* By PRId: an R10000 has no wait instruction. */
bool cpu_is_r10000(void);
/* Boot: the counters of exceptions. */
void trap_boot(void);
/* Interrupts on CPU pin 7 (timer) go to TIMER; on pin 2 to PIN2, for which POLL finds out what it
 * was. */
void cpu_set_lines(struct interrupt_line *timer, struct interrupt_line *pin2, bool (*poll)(void));
