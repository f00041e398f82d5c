/* SPDX-License-Identifier: BSD-2-Clause */
/* sort: sorts an array of pointers, in place, in n log n steps at worst; equal ones in any order.
 */
#ifndef LIB_SORT_H
#define LIB_SORT_H

#include <stddef.h>

/* COMPARE is negative, 0 or positive as for strcmp. */
void sort_pointers(const void **items, size_t count, int (*compare)(const void *a, const void *b));

#endif
