/* SPDX-License-Identifier: BSD-2-Clause */
/* The 32 events of r10k_counters(5) by name. */
#pragma once

#include <sys/hwperfmacros.h>

/* For reports. Two of counter 0 depend on the chip's revision, which the kernel is asked for once.
 */
const char *perfex_event_name(int event);
/* One word, as in `pmc list`; with "-1" behind it what counter 1 counts as well as counter 0. */
const char *perfex_event_mnemonic(int event);
/* By number or by mnemonic, in capitals or not; -1: none. */
int perfex_event_find(const char *text);
