/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc_system: `pmc start` and `pmc stop`: events counted on every CPU, as pmc(1) of 2017 did. */
#ifndef SHELL_PMC_SYSTEM_H
#define SHELL_PMC_SYSTEM_H

/* The words begin with the name of the command. All three return the status. */
int pmc_system_start(int argc, char **argv);
/* Prints what they have counted. */
int pmc_system_stop(int argc, char **argv);
/* Stops them and prints nothing. */
int pmc_system_cancel(void);

#endif
