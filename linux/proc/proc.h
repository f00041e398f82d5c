/* SPDX-License-Identifier: BSD-2-Clause */
/* What /proc tells of programs. */
#pragma once

#include <stdbool.h>

struct process;

/* Registers the files; more than once is harmless. */
void proc_register_programs(void);
/* Of that, stat and status; what is in a program's memory, and its limits. */
void proc_register_status(void);
void proc_register_memory(void);

/* Whether the reader may look into PROCESS. */
bool proc_is_visible(const struct process *process);
