/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions that never become a frame: see trap.c. */
#pragma once

#include <stdint.h>

/* Counts the exception, by Cause, that has ended a user's run. */
void trap_count_user(uint32_t cause);
