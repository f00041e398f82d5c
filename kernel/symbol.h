/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's own symbol table: addresses to function names. */
#pragma once

#include <stdint.h>

/* The name of the function that holds ADDRESS, and the offset in it; NULL if it is not kernel text.
 * Any context. */
const char *symbol_find(uintptr_t address, uintptr_t *offset);
