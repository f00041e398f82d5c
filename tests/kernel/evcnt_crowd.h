/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads on all CPUs, their timer interrupts and cross calls that raise the same two counters. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct crowd_plan {
    uint64_t times; /* each of four threads for each CPU raises both counters so often, or more */
    bool listed;    /* beside it counters are attached and detached, and lists looked through */
    bool planted;   /* instead of the counters, one word is raised by load, add and store */
    uint32_t
        seed; /* not 0: threads are moved between CPUs, at random from there; else each stays */
};

struct crowd_result {
    uint64_t raised, counted; /* counted: of the counter, or the word, that has lost most */
    unsigned strikes, calls;  /* interrupts by timers, and by cross calls */
    unsigned lists, moves;
};

/* A self-test's body: 0, or what was wrong has been noted. With a planted word nothing is compared.
 */
int evcnt_crowd(const struct crowd_plan *plan, struct crowd_result *result);

/* Beside it: begins to attach, detach and list; the first is what lists must hold. */
struct evcnt;
int evcnt_lists_begin(const struct evcnt *parent, const struct evcnt *child);
/* Ends it; how many lists were looked through, or -1: one was wrong, as has been noted. */
int evcnt_lists_end(void);
