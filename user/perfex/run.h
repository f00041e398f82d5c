/* SPDX-License-Identifier: BSD-2-Clause */
/* A command is run, and counted with the children that its processes wait for. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/hwperftypes.h>
#include "user/perfex/cost.h"

struct request {
    hwperf_profevctrarg_t args;
    int modes;      /* HWPERF_CNTEN_K: the system is counted while the command runs */
    bool signalled; /* SIGUSR1 to perfex begins, SIGUSR2 stops */
    bool family;    /* each process by itself as well */
    double period;  /* seconds between reports of what was counted so far; 0: none */
    const struct cost_table *costs; /* NULL: counts alone */
    FILE *out;
    char **command;
};

/* The command's status, 128 and a signal's number. FD: the caller's own counters. What goes wrong
 * ends the caller with status 1. */
int run_command(const struct request *request, int fd);
/* "perfex: WHAT: " and what errno says; status 1. */
_Noreturn void run_fail(const char *what);
