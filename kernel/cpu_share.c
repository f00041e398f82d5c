/* SPDX-License-Identifier: BSD-2-Clause */
/* Shares of counters, by CPU. */
#include "kernel/cpu_share.h"
#include "kernel/cpu.h"
#include "kernel/kmem.h"
#include "kernel/log.h"
#include "lib/format.h"
#include "lib/string.h"

#define NAME_SIZE 6 /* "cpu15" */

static char names[CPU_MAX][NAME_SIZE];

static const char *cpu_name(unsigned cpu)
{
    if (!names[cpu][0])
        format(names[cpu], NAME_SIZE, "cpu%u", cpu);
    return names[cpu];
}

const char *cpu_group(void)
{
    return cpu_possible() > 1 ? "cpu" : "cpu0";
}

/* The name of WHOLE's shares; NULL if out of memory. */
static const char *share_name(const struct evcnt *whole)
{
    size_t size = whole->ev_grouplen + 1u + whole->ev_namelen + 1u;
    char *name;

    if (strcmp(whole->ev_group, cpu_group()) == 0)
        return whole->ev_name;
    if (size > EVCNT_STRING_MAX)
        return NULL;
    name = kmem_alloc(size);
    if (name)
        format(name, size, "%s %s", whole->ev_group, whole->ev_name);
    return name;
}

void cpu_shares_attach_many(struct evcnt *whole)
{
    const char *name;
    struct evcnt *shares;

    name = share_name(whole);
    shares = kmem_zalloc(cpu_possible() * sizeof *shares);
    if (!name || !shares) {
        log_printf("cpu: no memory for the shares of %s %s", whole->ev_group, whole->ev_name);
        return;
    }
    for (unsigned cpu = 0; cpu < cpu_possible(); cpu++)
        evcnt_attach_share(&shares[cpu], whole, cpu, cpu_name(cpu), name);
}
