/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that do what a self-test asks of them: one thread each, which makes children, waits for
 * them, and ends. */
#pragma once

#include "kernel/process/process.h"

struct actor {
    uint32_t id;             /* of its process; 0: it has not been started */
    struct process *process; /* held, from actor_start to actor_forget */
    struct thread *volatile thread;
    int (*volatile job)(struct actor *self, long argument); /* NULL: it has done the last one */
    long argument;
    int result; /* of the job */
    int status; /* of the child that it has waited for */
};

/* Starts ACTOR as a child of the caller's process: 0 or an error. */
int actor_start(struct actor *actor);
/* Has ACTOR run JOB, and waits until it has: what that returns; -ETIMEDOUT. */
int actor_do(struct actor *actor, int (*job)(struct actor *self, long argument), long argument);
/* The same without waiting, and waiting alone. */
void actor_ask(struct actor *actor, int (*job)(struct actor *self, long argument), long argument);
int actor_answer(struct actor *actor);
/* Waits until ACTOR's process is in that STATE; whether it came to that. */
bool actor_reaches(const struct actor *actor, enum process_state state);
/* Waits until only ACTOR refers to its process; whether it came to that. */
bool actor_alone(const struct actor *actor);
void actor_forget(struct actor *actor);

/* Jobs. The argument: a struct actor to be started as a child; the number to wait for; the
 * status. */
int actor_has_child(struct actor *self, long actor);
int actor_waits(struct actor *self, long id);
int actor_looks(struct actor *self, long id); /* PROCESS_NO_HANG */
int actor_exits(struct actor *self, long status);
