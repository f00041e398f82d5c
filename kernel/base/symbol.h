/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's own symbol table: addresses to function names. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The name of the function that holds ADDRESS, and the offset in it; NULL if it is not kernel text.
 * Any context. */
const char *symbol_find(uintptr_t address, uintptr_t *offset);

/* Where the function that holds ADDRESS begins, and where the next one does. False if it is not
 * kernel text. Any context. */
bool symbol_range(uintptr_t address, uintptr_t *start, uintptr_t *end);
