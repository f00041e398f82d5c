/* SPDX-License-Identifier: BSD-2-Clause */
/* See process_actor.h. */
#include "tests/kernel/process_actor.h"
#include "lib/errno.h"
#include "tests/kernel/until.h"

static struct wait_queue jobs = WAIT_QUEUE_INITIALIZER(jobs);
static struct wait_queue answers = WAIT_QUEUE_INITIALIZER(answers);
static struct spinlock lock = SPINLOCK_INITIALIZER("actor");

static void act(void *argument)
{
    struct actor *self = argument;

    self->thread = thread_current();
    while (!process_ending()) {
        uintptr_t state = spinlock_acquire(&lock);
        int result = 0;

        while (self->job == NULL && result == 0)
            result = wait_interruptible(&jobs, &lock, &state, WAIT_FOREVER);
        spinlock_release(&lock, state);
        if (self->job == NULL) { /* interrupted */
            thread_yield();
            continue;
        }
        result = self->job(self, self->argument);
        state = spinlock_acquire(&lock);
        self->result = result;
        self->job = NULL;
        wait_wake_all(&answers);
        spinlock_release(&lock, state);
    }
}

int actor_start(struct actor *actor)
{
    int error;

    *actor = (struct actor){.id = 0};
    error = process_create("actor", &actor->process);
    if (error != 0)
        return error;
    actor->id = actor->process->id;
    error = process_thread_create(actor->process, "actor", THREAD_PRIORITY_NORMAL, act, actor);
    if (error != 0)
        process_discard(actor->process);
    return error;
}

void actor_ask(struct actor *actor, int (*job)(struct actor *self, long argument), long argument)
{
    uintptr_t state = spinlock_acquire(&lock);

    actor->argument = argument;
    actor->job = job;
    wait_wake_all(&jobs);
    spinlock_release(&lock, state);
}

int actor_answer(struct actor *actor)
{
    uint64_t end = until_deadline();
    uintptr_t state = spinlock_acquire(&lock);
    int result = 0;

    while (actor->job != NULL && result == 0)
        result = wait_sleep(&answers, &lock, &state, end);
    if (result == 0)
        result = actor->result;
    spinlock_release(&lock, state);
    return result;
}

int actor_do(struct actor *actor, int (*job)(struct actor *self, long argument), long argument)
{
    actor_ask(actor, job, argument);
    return actor_answer(actor);
}

bool actor_reaches(const struct actor *actor, enum process_state state)
{
    uint64_t end = until_deadline();

    while (*(const volatile uint8_t *)&actor->process->state != state && clock_now() < end)
        thread_yield();
    return actor->process->state == state;
}

bool actor_alone(const struct actor *actor)
{
    uint64_t end = until_deadline();

    while (*(const volatile uint32_t *)&actor->process->references != 1 && clock_now() < end)
        thread_yield();
    return actor->process->references == 1;
}

void actor_forget(struct actor *actor)
{
    process_release(actor->process);
    actor->process = NULL;
}

int actor_has_child(struct actor *self, long actor)
{
    (void)self;
    return actor_start((struct actor *)actor);
}

int actor_waits(struct actor *self, long id)
{
    return process_wait((uint32_t)id, 0, &self->status);
}

int actor_looks(struct actor *self, long id)
{
    return process_wait((uint32_t)id, PROCESS_NO_HANG, &self->status);
}

int actor_exits(struct actor *self, long status)
{
    uintptr_t state = spinlock_acquire(&lock);

    self->result = 0;
    self->job = NULL; /* answered before the end */
    wait_wake_all(&answers);
    spinlock_release(&lock, state);
    process_exit((int)status);
}
