/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of perf_event_open(2) share. An event counts one task. One that is inherited by a
 * child is an event of the child's with an ORIGIN, to which it adds what it has counted when the
 * child ends: so the order in which the tasks of a tree end does not matter.
 *
 * All of it is under one mutex, perf_lock.
 */
#pragma once

#include <sys/pmc.h>
#include <sys/queue.h>
#include "abi/perf.h"
#include "kernel/thread/mutex.h"
#include "linux/perf.h"
#include "linux/program.h"
#include "stats/read/pmu_event_name.h"

#define PERF_GROUP_MAX 32u

enum perf_kind {
    PERF_COUNTER, /* of a PMU */
    PERF_CLOCK,
    PERF_FAULTS,
    PERF_FAULTS_MINOR,
    PERF_FAULTS_MAJOR,
    PERF_SWITCHES,
    PERF_MIGRATIONS,
    PERF_NOTHING /* never happens here, or in none of the modes */
};

struct perf_count {
    uint64_t value, enabled, running; /* both in cycles of CPU time */
};

struct perf_event {
    TAILQ_ENTRY(perf_event) in_task, in_origin, in_group;
    struct task *task;         /* NULL: has ended */
    struct perf_event *origin; /* whose heir it is; NULL: it was opened */
    struct perf_event *heir;   /* while a child is made: its */
    TAILQ_HEAD(, perf_event) heirs;
    struct perf_event *leader;                /* itself, if it leads; never NULL */
    TAILQ_HEAD(perf_group, perf_event) group; /* a leader's: itself first */
    unsigned members;
    enum perf_kind kind;
    struct pmu_event_request request; /* of a counter */
    uint64_t flags, read_format, id;
    int counter; /* the system's number; -1: it has none */
    bool wanted; /* enabled by itself; its leader has to be too */
    bool enabled, active;
    bool failed; /* pinned, and got no counter */
    uint64_t enabled_since, active_since, base;
    struct perf_count own, children; /* own: until it was last stopped */
};

extern kmutex_t perf_lock;

/* perf_count.c */
/* EVENT is TASK's, and of LEADER's group (NULL: leads its own). */
void perf_attach(struct perf_event *event, struct task *task, struct perf_event *leader);
/* It stops, and is no task's any more. */
void perf_detach(struct perf_event *event);
/* Its members, if it leads, do so themselves from then on. */
void perf_leave_group(struct perf_event *event);
/* What is wanted of LEADER's group is put in force. */
void perf_update(struct perf_event *leader);
/* The same for all of the task's, after one has given a counter back. */
void perf_update_task(struct task *task);
/* Of COUNT events of one task, at one moment if it is the caller's; children included. */
void perf_read(struct perf_event **events, unsigned count, struct perf_count *out);
void perf_reset(struct perf_event *event);
/* The calling thread's counters that no event of its task has are given back. */
void perf_release_unused(struct task *task);

/* perf_file.c */
struct file;
struct file *perf_file(struct perf_event *event);   /* NULL: no memory */
struct perf_event *perf_of_file(struct file *file); /* NULL: another kind of file */
