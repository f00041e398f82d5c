/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine checks (Intel SDM volume 3, chapter 15): the hardware has found an error in itself. */
#pragma once

#include <stdint.h>

/* Has them reported from now on, as exceptions. Boot, once per CPU, on that CPU. */
void machine_check_boot(void);
/* For the exception: NAME, or it with the first bank that has an error, and *ADDRESS where that
 * bank knows one. The text lives until the next call. */
const char *machine_check_cause(const char *name, uint64_t *address);
