/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc_stat_run: `pmc stat`, and the older `pmc -c`: they run a command and count events meanwhile.
 */
#ifndef SHELL_PMC_STAT_RUN_H
#define SHELL_PMC_STAT_RUN_H

/* The words begin with the name of the command, then its options. Both return the status. */
int pmc_stat_run(int argc, char **argv);

/* Count EVENT while the command of the words runs: outside and inside the kernel, on two counters,
 * and print one line. */
int pmc_stat_old(const char *name, const char *event, int argc, char **argv);

#endif
