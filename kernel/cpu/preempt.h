/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preemption off: the thread keeps its CPU until as many calls of the second have followed. It may
 * not sleep meanwhile; interrupts go on. The count is the CPU's, whose current thread cannot
 * change as long as it is not 0.
 */
#pragma once

void preempt_disable(void);
void preempt_enable(void);
