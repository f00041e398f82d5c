/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes that a command makes, each with its own counts, as they were when last looked at.
 */
#pragma once

#include <stdio.h>
#include <sys/types.h>
#include "user/perfex/run.h"

#define FAMILY_SECONDS 0.01 /* between two looks */

/* ROOT, its children, and theirs. */
void family_look(pid_t root);
void family_report(const struct request *request, FILE *out);
