/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine contract: how a soft interrupt gets the CPU's attention outside of interrupts. */
#pragma once

#include <stdbool.h>

/*
 * Called with a soft interrupt pending at LEVEL. A machine with software interrupts of its own
 * (MIPS: Cause.IP0 and IP1) raises one, whose vector ends in interrupt_exit, and returns true;
 * others return false, and the caller runs what is due by itself.
 */
bool softint_kick(int level);
