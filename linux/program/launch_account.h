/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the programs use that a thread of the kernel starts, between two moments: with all their
 * threads, and the children that they have waited for. For `time`. Accounts of a thread nest.
 */
#pragma once

#include "linux/program/program.h"

struct launch_account {
    struct program_usage usage; /* of those that have ended; the lock */
    struct thread *thread;
    LIST_HEAD(, program) programs; /* that have not ended; the lock */
    struct launch_account *outer;  /* another one of the thread's */
    TAILQ_ENTRY(launch_account) link;
};

/* From now on, the calling thread's; ACCOUNT stays where it is. */
void launch_account_begin(struct launch_account *account);
/* No more. Programs that have not ended are nobody's. */
void launch_account_end(struct launch_account *account);

/* With program_lock: PROGRAM, which the calling thread starts, is for its innermost account. */
void launch_account_join(struct program *program);
/* With program_lock: PROGRAM, which has an account, has ended, and is nobody's any more: USAGE is
 * for that account and those around it. */
void launch_account_leave(struct program *program, const struct program_usage *usage);
