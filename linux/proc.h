/* SPDX-License-Identifier: BSD-2-Clause */
/* What /proc tells of programs. */
#pragma once

/* Registers the files; more than once is harmless. */
void proc_register_programs(void);
