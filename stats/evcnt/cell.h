/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that every CPU raises in its own copy (<machine/cell.h>), outside of the kernel's data. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* SIZE bytes of them, a multiple of 8, all 0; they stay. NULL: no memory. Any context, once the
 * number of CPUs is known. */
void *cell_create(size_t size);
