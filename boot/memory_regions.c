/* SPDX-License-Identifier: BSD-2-Clause */
/* Subtracting what is in use from RAM. */
#include "boot/memory_regions.h"
#include "kernel/memory/page.h"

/* Adds [START, END) without the COUNT ranges in USED. */
static void memory_regions_add_without(uint64_t start, uint64_t end, const struct boot_range *used,
                                       unsigned count)
{
    for (; count > 0; used++, count--) {
        if (used->end <= start || used->start >= end || used->end <= used->start)
            continue;
        if (used->start > start)
            memory_regions_add_without(start, used->start, used + 1, count - 1);
        if (used->end >= end)
            return;
        start = used->end;
    }
    page_add_region(start, end);
}

void memory_regions_add(const struct boot_info *info, uint64_t kernel_start, uint64_t kernel_end)
{
    struct boot_range used[2] = {{kernel_start, kernel_end}, info->module};

    for (unsigned i = 0; i < info->ram_count; i++)
        memory_regions_add_without(info->ram[i].start, info->ram[i].end, used, 2);
}
