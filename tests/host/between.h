/* SPDX-License-Identifier: BSD-2-Clause */
/* What another CPU does at one point in the middle of a call: each function runs once. */
#ifndef TESTS_HOST_BETWEEN_H
#define TESTS_HOST_BETWEEN_H

/* After the calling host thread's next release of the lock of stats/; NULL: nothing does. */
void between_locks(void (*what)(void));
/* Before pmc(9) next turns interrupts off. */
void before_interrupts_off(void (*what)(void));

#endif
