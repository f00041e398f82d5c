/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What programs ask of the kernel, counted on each CPU: system calls, forks and their like. In
 * NetBSD's words (struct uvmexp, group "uvm") where it has them. What a single process has done is
 * kept by who runs programs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/evcnt.h>

enum process_event {
    PROCESS_SYSCALLS,     /* system calls, also of what is missing: syscalls */
    PROCESS_FORKS,        /* processes that a process has made: forks */
    PROCESS_FORKS_PPWAIT, /* of these, those whose parent waited for their exec or end (vfork) */
    PROCESS_FORKS_SHARED, /* of these, those that shared its memory: forks_sharevm */
    PROCESS_EXECS,        /* programs that have begun in a process */
    PROCESS_READS,        /* calls that read from a file that there is */
    PROCESS_WRITES,
    PROCESS_SIGNALS, /* that ran a handler, or stopped or ended a process */
    PROCESS_EVENTS
};

/* Raised by evcnt_incr; any context. */
extern struct evcnt process_event[PROCESS_EVENTS];

/* What CPU has counted. Any context. */
uint64_t process_event_on(enum process_event event, unsigned cpu);

/* BYTES more were read by a process (or written), on this CPU. Any context. */
void process_moved(bool written, uint64_t bytes);
uint64_t process_moved_on(bool written, unsigned cpu);
