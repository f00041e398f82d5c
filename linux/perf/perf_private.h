/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of perf_event_open(2) share. An event counts one task. One that is inherited by a
 * child is an event of the child's with an ORIGIN, to which it adds what it has counted when the
 * child ends: so the order in which the tasks of a tree end does not matter.
 *
 * All of it is under one mutex, perf_lock, but what samples are about: that is under a spinlock,
 * perf_sampling_lock, which is taken wherever a period may end.
 */
#pragma once

#include <sys/pmc.h>
#include <sys/queue.h>
#include "abi/perf.h"
#include "fs/file/poll.h"
#include "kernel/thread/mutex.h"
#include "linux/perf/perf_ring.h"
#include "linux/program/program.h"
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
    PERF_UNALIGNED,
    PERF_EMULATED,
    PERF_NOTHING /* never happens here, or in none of the modes */
};

struct perf_count {
    uint64_t value, enabled, running; /* both in cycles of CPU time */
};

struct perf_event {
    TAILQ_ENTRY(perf_event) in_task, in_origin, in_group;
    struct task *task;         /* NULL: has ended, or it is a CPU's */
    int32_t cpu;               /* of a CPU, whoever it runs; -1: of a task */
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
    struct file *file;               /* of one that was opened */
    struct poll_source source;

    uint64_t period, sample_type; /* period 0: without samples */
    uint32_t wakeup;              /* samples, or (PERF_WATERMARK) bytes, until somebody is woken */

    /* Under perf_sampling_lock. */
    TAILQ_ENTRY(perf_event) in_sampling, in_pending;
    uint64_t passed;    /* of its counter, events up to the last end of a period */
    uint64_t limit;     /* so many more samples, then it halts; 0: for ever */
    bool halted;        /* it counts no more, though its counter may, until enabled or disabled */
    bool taken;         /* nor does this one: its counter is the system's; PASSED is what it had */
    bool sampling;      /* it is on its task's list */
    uint64_t halted_at; /* CPU time; of the first of the two */
    struct perf_ring *ring;
    uint64_t lost, untold; /* samples without a record; of them, of which no record tells yet */
    uint32_t since_wakeup; /* samples */
    unsigned owed;         /* signals */
    bool pending, busy, hung_up, ready;
};

extern kmutex_t perf_lock;
extern bool perf_in_use; /* an event was ever opened; before that there is no lock */

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
/* TASK, which has just begun to run, has counters of its creator's: events whose counter was taken
 * in between have not run yet. */
void perf_start_heirs(struct task *task);
/* The calling thread's counters that no event of its task has are given back. */
void perf_release_unused(struct task *task);

/* Ends what a halt has left, or the loss of its counter: that is given back, its times end where it
 * stopped to count. */
void perf_unhalt(struct perf_event *event);
/* Its counter is given back, so that it begins anew with the next perf_update. */
void perf_drop_counter(struct perf_event *event);

/* perf_cpu.c: of events of a CPU; thread context */
bool perf_cpu_take(struct perf_event *event, const struct pmu_event *choice, int counter);
void perf_cpu_give(struct perf_event *event); /* it has a counter */
/* Whether that has been taken; when. */
bool perf_cpu_is_taken(const struct perf_event *event, uint64_t *at);
uint64_t perf_cpu_source(const struct perf_event *event);
uint64_t perf_cpu_time(void); /* cycles */

/* perf_sample.c */
extern struct spinlock perf_sampling_lock;
void perf_sampling_first(void); /* before any */
void perf_sampled(const struct pmc_sample *sample);
void perf_taken(struct lwp *l, uint32_t mask);      /* an owner's `lost` */
void perf_sampling_begin(struct perf_event *event); /* it has a task now */
void perf_sampling_end(struct perf_event *event);   /* it will have none */
void perf_sampling_close(struct perf_event *event); /* nobody is being told of it any more */
/* It takes over the caller's hold on RING, which may be NULL. */
void perf_set_ring(struct perf_event *event, struct perf_ring *ring);

/* perf_output.c: what programs ask of samples; errno or 0 */
int perf_map(struct file *file, uint64_t offset, uint64_t size, bool write, struct vm_object **out);
uint32_t perf_poll(struct file *file, uint32_t events, struct poll_entry *entry);
long perf_refresh(struct perf_event *event, uint64_t more);
long perf_set_period(struct perf_event *event, const void *user);
long perf_set_output(struct perf_event *event, int descriptor);
long perf_pause(struct perf_event *event, bool pause);
/* The page of its ring says what it has counted, if it has one. */
void perf_tell_page(struct perf_event *event, const struct perf_count *count);

/* perf_file.c */
struct file;
struct file *perf_file(struct perf_event *event);   /* NULL: no memory */
struct perf_event *perf_of_file(struct file *file); /* NULL: another kind of file */
