/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel's code tells of its stacks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether ADDRESS follows a call of FUNCTION by name, or of one that ends in it. One that only
 * calls it passes too: its frame would lie below, and be found first. */
bool trap_is_return_to_caller(uintptr_t address, uintptr_t function);
/*
 * Where the function at START, which ends at END, makes its frame: `push %rbp` and, some
 * instructions later, `mov %rsp, %rbp`, which is returned; the compiler may have put others before
 * them. NULL: it makes none so early.
 */
const uint8_t *trap_find_frame(const uint8_t *start, const uint8_t *end, const uint8_t **push);
