/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address to name. The table is made after linking (tools/symbols/table.sh): addresses sorted, as
 * 32-bit offsets from the start of the kernel's text, and the names one after another.
 */
#include "kernel/base/symbol.h"
#include <stddef.h>

extern const uint32_t symbol_count;
extern const uint32_t symbol_offsets[]; /* from kernel_text_start */
extern const uint32_t symbol_names[];   /* offsets into symbol_text */
extern const char symbol_text[];
extern const char kernel_text_start[], kernel_text_end[];

/* The number of the symbol, or -1. */
static int64_t symbol_number_at(uintptr_t address)
{
    uintptr_t relative = address - (uintptr_t)kernel_text_start;
    uint32_t low = 0, high = symbol_count;

    if (address < (uintptr_t)kernel_text_start || address >= (uintptr_t)kernel_text_end ||
        high == 0)
        return -1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (symbol_offsets[middle] <= relative)
            low = middle;
        else
            high = middle;
    }
    return low;
}

const char *symbol_find(uintptr_t address, uintptr_t *offset)
{
    int64_t number = symbol_number_at(address);

    if (number < 0)
        return NULL;
    *offset = address - (uintptr_t)kernel_text_start - symbol_offsets[number];
    return symbol_text + symbol_names[number];
}

bool symbol_range(uintptr_t address, uintptr_t *start, uintptr_t *end)
{
    int64_t number = symbol_number_at(address), next = number + 1;

    if (number < 0)
        return false;
    *start = (uintptr_t)kernel_text_start + symbol_offsets[number];
    while (next < symbol_count && symbol_offsets[next] == symbol_offsets[number])
        next++;
    *end = next < symbol_count ? (uintptr_t)kernel_text_start + symbol_offsets[next]
                               : (uintptr_t)kernel_text_end;
    return true;
}
