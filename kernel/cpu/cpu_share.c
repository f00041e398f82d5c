/* SPDX-License-Identifier: BSD-2-Clause */
/* Shares of counters, by CPU. */
#include "kernel/cpu/cpu_share.h"
#include "kernel/base/log.h"
#include "kernel/cpu/cpu.h"
#include "lib/format.h"
#include "lib/section.h"
#include "stats/evcnt/evcnt_share.h"

#define NAME_SIZE 6 /* "cpu15" */

static SHARED_BSS char names[CPU_MAX][NAME_SIZE];
static SHARED_BSS struct evcnt_label groups[CPU_MAX]; /* of the names that have been made */

const char *cpu_group(void)
{
    return cpu_possible() > 1 ? "cpu" : "cpu0";
}

void cpu_shares_attach_many(struct evcnt *whole)
{
    for (unsigned cpu = 0; cpu < cpu_possible() && !groups[cpu].group; cpu++) {
        format(names[cpu], NAME_SIZE, "cpu%u", cpu);
        groups[cpu] = evcnt_label_of(names[cpu], NULL);
    }
    if (!evcnt_attach_shares(whole, groups, cpu_possible(), cpu_group()))
        log_printf("cpu: no memory for the shares of %s %s", whole->ev_group, whole->ev_name);
}
