/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * job: lists of commands that run in the background, each in a thread of its own. A job has the
 * smallest number that is free. Once it is done it keeps its number and status until `wait` has
 * asked for it or a prompt has told of it; if all places are taken, the job that ended and is
 * oldest makes room.
 */
#ifndef SHELL_JOB_H
#define SHELL_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOBS_MAX       32
#define JOB_LINE_BYTES 256 /* of the command's text, with its NUL; what is longer is cut */

struct parser_list;

struct job_info {
    unsigned number; /* 1..JOBS_MAX */
    bool done;
    int status;    /* once it is done */
    bool own;      /* the job that asks */
    uint64_t born; /* later jobs have greater ones */
    char line[JOB_LINE_BYTES];
};

/*
 * Run the list; its text is copied. STATUS is what `$?` stands for at its beginning. Returns the
 * job's number, -EAGAIN if JOBS_MAX jobs run, -ENOMEM.
 */
int job_start(const struct parser_list *list, int status);

/* What is known of a job; false if there is none of that number. */
bool job_get(unsigned number, struct job_info *info);

/*
 * Wait for a job's end and forget it. 0 with its status, -ENOENT if there is no such job or it is
 * the caller, -EINTR after ^C.
 */
int job_wait(unsigned number, int *status);

/* The same for all jobs, of which a job waits for those that were started before it; the status of
 * the one started last, or 0. 0 or -EINTR. */
int job_wait_all(int *status);

/* What ^C does to a command in the foreground. 0, or -ENOENT. */
int job_stop(unsigned number);

/* Whether the calling thread runs a command in the background. */
bool job_current(void);

/* Print a line about a job. */
void job_print(const struct job_info *info);

/* Say which jobs have ended since, unless `jobs` did, and forget them: before a prompt. */
void job_tell(void);

/* The job was told of by `jobs`. */
void job_told(unsigned number);

#endif
