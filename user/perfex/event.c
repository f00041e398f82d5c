/* SPDX-License-Identifier: BSD-2-Clause */
/* See event.h. */
#include "user/perfex/event.h"

#include <pmc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BRANCHES    6 /* revision 2.x: decoded; 3.x: resolved */
#define COHERENCY   14
#define REVISION_2  "branches-decoded"
#define REVISION_3  "branches-resolved"
#define EITHER_NAME "Branches decoded or resolved"

static const struct {
    const char *mnemonic, *name;
} events[HWPERF_EVENTMAX] = {
    {"cycles", "Cycles"},
    {"instructions-issued", "Issued instructions"},
    {"loads-issued", "Issued loads"},
    {"stores-issued", "Issued stores"},
    {"sc-issued", "Issued store conditionals"},
    {"sc-failed", "Failed store conditionals"},
    {"branches", EITHER_NAME},
    {"L2-writebacks", "Quadwords written back from secondary cache"},
    {"ecc-errors", "Correctable ECC errors of secondary cache"},
    {"L1-icache-misses", "Primary instruction cache misses"},
    {"L2-icache-misses", "Secondary instruction cache misses"},
    {"L2-icache-way-misses", "Secondary instruction way mispredictions"},
    {"interventions", "External interventions"},
    {"invalidations", "External invalidations"},
    {"coherency", "Virtual coherency or unit completions"},
    {"instructions", "Graduated instructions"},
    {"cycles-1", "Cycles"},
    {"instructions-1", "Graduated instructions"},
    {"loads", "Graduated loads"},
    {"stores", "Graduated stores"},
    {"sc", "Graduated store conditionals"},
    {"fp-instructions", "Graduated floating-point instructions"},
    {"L1-dcache-writebacks", "Quadwords written back from data cache"},
    {"tlb-refill-exceptions", "TLB refill exceptions"},
    {"branch-misses", "Mispredicted branches"},
    {"L1-dcache-misses", "Primary data cache misses"},
    {"L2-dcache-misses", "Secondary data cache misses"},
    {"L2-dcache-way-misses", "Secondary data way mispredictions"},
    {"intervention-hits", "External intervention hits"},
    {"invalidation-hits", "External invalidation hits"},
    {"upgrades-clean", "Upgrades of clean secondary lines"},
    {"upgrades-shared", "Upgrades of shared secondary lines"},
};

/* 2 or 3 by what the kernel calls event 6; 0: it has neither. */
static int event_revision(void)
{
    static int revision = -1;
    const struct pmc_event *list;

    if (revision >= 0)
        return revision;
    revision = 0;
    list = pmc_get_counter_event_list();
    for (; list && list->name; list++)
        if (strcmp(list->name, REVISION_2) == 0)
            revision = 2;
        else if (strcmp(list->name, REVISION_3) == 0)
            revision = 3;
    return revision;
}

const char *perfex_event_name(int event)
{
    static const char *const branches[] = {"Branches decoded", "Branches resolved"};
    static const char *const coherency[] = {"Virtual coherency conditions",
                                            "Functional unit completion cycles"};

    if ((event == BRANCHES || event == COHERENCY) && event_revision() != 0)
        return (event == BRANCHES ? branches : coherency)[event_revision() - 2];
    return events[event].name;
}

const char *perfex_event_mnemonic(int event)
{
    return events[event].mnemonic;
}

/* Whether TEXT is what pmc(8) calls EVENT, where that depends on the revision. */
static bool event_is_of_revision(int event, const char *text)
{
    static const char *const names[][2] = {{REVISION_2, REVISION_3},
                                           {"virtual-coherency", "fu-completions"}};

    if ((event != BRANCHES && event != COHERENCY) || event_revision() == 0)
        return false;
    return strcasecmp(text, names[event == COHERENCY][event_revision() - 2]) == 0;
}

int perfex_event_find(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (end != text && *end == '\0')
        return number >= 0 && number < HWPERF_EVENTMAX ? (int)number : -1;
    for (int i = 0; i < HWPERF_EVENTMAX; i++)
        if (strcasecmp(text, events[i].mnemonic) == 0 || event_is_of_revision(i, text))
            return i;
    return -1;
}
