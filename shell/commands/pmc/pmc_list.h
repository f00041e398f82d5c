/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc_list: prints the classes of PMUs and their events. */
#ifndef SHELL_PMC_LIST_H
#define SHELL_PMC_LIST_H

#include <stdbool.h>

/* Every class with its counters, and every event; SAMPLED: only what can be sampled. */
void pmc_list_print(bool sampled);
/* The names alone, two a line, as pmc(1) printed them. */
void pmc_list_names(void);

#endif
