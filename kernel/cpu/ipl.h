/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupt priority levels in the spl tradition: while a CPU is at level L, handlers of level L
 * and below wait. Raising is a store; an interrupt that arrives too early is noted and its chip
 * line kept quiet until splx.
 */
#pragma once

#include <stdint.h>

#define IPL_NONE       0
#define IPL_SOFTCLOCK  1
#define IPL_SOFTBIO    2
#define IPL_SOFTNET    3
#define IPL_SOFTSERIAL 4
#define IPL_VM         5 /* devices */
#define IPL_SCHED      6 /* the clock: runs with the CPU's interrupts off */
#define IPL_HIGH       7 /* nothing gets through */
#define IPL_COUNT      8

/* Raises to LEVEL (never lowers); returns the old level for splx. Any context. */
int splraise(int level);
/* Back to LEVEL; runs what has waited for it. */
void splx(int level);
/*
 * interrupts_restore(STATE) for code that may have made a thread or a soft interrupt ready: what is
 * due runs now rather than after the next interrupt. Any context.
 */
void spl_restore(uintptr_t state);

/*
 * An upcall, answered by the dispatcher, and the machine's exit from any interrupt: runs what
 * waits, then lets a more urgent thread in. CPU interrupts off.
 */
void interrupt_exit(void);

#define splsoftclock()  splraise(IPL_SOFTCLOCK)
#define splsoftbio()    splraise(IPL_SOFTBIO)
#define splsoftnet()    splraise(IPL_SOFTNET)
#define splsoftserial() splraise(IPL_SOFTSERIAL)
#define splvm()         splraise(IPL_VM)
#define splsched()      splraise(IPL_SCHED)
#define splhigh()       splraise(IPL_HIGH)
#define spl0()          splx(IPL_NONE)
