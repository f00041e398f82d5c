/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells of counters for the host's CPUs other than 0. Private to the host library. */
#ifndef STATS_HOST_CELLS_H
#define STATS_HOST_CELLS_H

/* Gives all cells back, for a new life. */
void host_cells_reset(void);

#endif
