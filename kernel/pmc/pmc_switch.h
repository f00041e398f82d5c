/* SPDX-License-Identifier: BSD-2-Clause */
/* Performance counters at a thread switch. */
#pragma once

#include <stdint.h>

struct thread;

/* context_switch on a CPU where somebody counts: struct thread_counting's hand_over. */
void pmc_hand_over(struct thread *from, struct thread *to, uintptr_t state);
