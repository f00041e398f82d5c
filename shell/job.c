/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * job: see job.h. The table and every field that changes are under job_lock. A job's thread can be
 * joined, so that it and the job exist until who takes the job out of the table has done that.
 */
#include "shell/job.h"

#include "kernel/memory/kmem.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/wait.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/section.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/command_list.h"
#include "shell/output.h"
#include "shell/parser.h"

struct job {
    struct thread *thread; /* NULL while it is being created */
    uint64_t born;
    bool done, told;
    bool collected; /* its status was asked for: it goes with the last who waits */
    unsigned waiters;
    int status;            /* the last one before it; once it is done, its own */
    struct parser *parser; /* until it is done */
    char line[];
};

static struct spinlock job_lock = SPINLOCK_INITIALIZER("jobs");
static struct wait_queue enders = WAIT_QUEUE_INITIALIZER(enders);
static SHARED_BSS struct job *jobs[JOBS_MAX];
static uint64_t births;

static void job_run(void *arg)
{
    struct job *job = arg;
    int status;
    uintptr_t state;

    parser_init(job->parser, job->line);
    status = command_list_run(job->parser, job->status, NULL);
    kmem_free(job->parser);
    state = spinlock_acquire(&job_lock);
    job->parser = NULL;
    job->status = status;
    job->done = true;
    wait_wake_all(&enders);
    spinlock_release(&job_lock, state);
}

/* NULL if there is no memory. */
static struct job *job_create(const struct parser_list *list, int status)
{
    struct job *job = kmem_zalloc(sizeof(*job) + list->length + 1);

    if (job == NULL)
        return NULL;
    job->parser = kmem_alloc(sizeof(*job->parser));
    if (job->parser == NULL) {
        kmem_free(job);
        return NULL;
    }
    job->status = status;
    memcpy(job->line, list->source, list->length);
    return job;
}

/* It has no thread. */
static void job_discard(struct job *job)
{
    if (job != NULL)
        kmem_free(job->parser);
    kmem_free(job);
}

static void job_free(struct job *job)
{
    if (job != NULL && job->thread != NULL)
        thread_join(job->thread);
    job_discard(job);
}

/* A free place, or that of the oldest job which has ended, given back in *old. Lock held. */
static int job_find_place(struct job **old)
{
    int oldest = -1;

    *old = NULL;
    for (int i = 0; i < JOBS_MAX; i++) {
        if (jobs[i] == NULL)
            return i;
        if (jobs[i]->done && jobs[i]->waiters == 0 &&
            (oldest < 0 || jobs[i]->born < jobs[oldest]->born))
            oldest = i;
    }
    if (oldest >= 0)
        *old = jobs[oldest];
    return oldest;
}

int job_start(const struct parser_list *list, int status)
{
    struct job *job = job_create(list, status), *old;
    uintptr_t state;
    int place, error;

    if (job == NULL)
        return -ENOMEM;
    state = spinlock_acquire(&job_lock);
    place = job_find_place(&old);
    if (place >= 0) {
        job->born = ++births;
        jobs[place] = job;
    }
    spinlock_release(&job_lock, state);
    job_free(old);
    if (place < 0) {
        job_discard(job);
        return -EAGAIN;
    }
    error = thread_create(list->name, THREAD_PRIORITY_NORMAL, job_run, job, &job->thread);
    if (error == 0)
        return place + 1;
    state = spinlock_acquire(&job_lock);
    jobs[place] = NULL;
    spinlock_release(&job_lock, state);
    job_discard(job);
    return error;
}

/* The job of that number, if it can be asked for. Lock held. */
static struct job *job_find(unsigned number)
{
    struct job *job = number >= 1 && number <= JOBS_MAX ? jobs[number - 1] : NULL;

    return job != NULL && !job->collected && job->thread != NULL ? job : NULL;
}

bool job_get(unsigned number, struct job_info *info)
{
    uintptr_t state = spinlock_acquire(&job_lock);
    const struct job *job = job_find(number);

    if (job != NULL) {
        info->number = number;
        info->done = job->done;
        info->status = job->status;
        info->own = job->thread == thread_current();
        info->born = job->born;
        strlcpy(info->line, job->line, sizeof(info->line));
    }
    spinlock_release(&job_lock, state);
    return job != NULL;
}

/* Take the job out of the table if nobody needs it any more. Lock held; free what is returned. */
static struct job *job_take_out(unsigned number, struct job *job)
{
    if (!job->done || !job->collected || job->waiters > 0)
        return NULL;
    jobs[number - 1] = NULL;
    return job;
}

int job_wait(unsigned number, int *status)
{
    uintptr_t state = spinlock_acquire(&job_lock);
    struct job *job = job_find(number);
    int result = 0;

    if (job == NULL || job->thread == thread_current()) {
        spinlock_release(&job_lock, state);
        return -ENOENT;
    }
    job->waiters++;
    while (!job->done && result == 0)
        result = wait_interruptible(&enders, &job_lock, &state, WAIT_FOREVER);
    job->waiters--;
    if (job->done) {
        *status = job->status;
        job->collected = true;
        result = 0;
    }
    job = job_take_out(number, job);
    spinlock_release(&job_lock, state);
    job_free(job);
    return result;
}

/* The number of the job started next after the one born at AFTER, up to LAST; 0 if none. */
static unsigned job_find_younger(uint64_t after, uint64_t last, uint64_t *born)
{
    unsigned number = 0;
    struct job_info info;

    for (unsigned i = 1; i <= JOBS_MAX; i++) {
        if (!job_get(i, &info) || info.born <= after || info.born > last)
            continue;
        if (number == 0 || info.born < *born) {
            number = i;
            *born = info.born;
        }
    }
    return number;
}

/* Of the jobs that a job waits for, or anybody else now: two jobs do not wait for each other. */
static uint64_t job_last_to_wait_for(void)
{
    uintptr_t state = spinlock_acquire(&job_lock);
    uint64_t last = births;

    for (int i = 0; i < JOBS_MAX; i++)
        if (jobs[i] != NULL && jobs[i]->thread == thread_current())
            last = jobs[i]->born - 1;
    spinlock_release(&job_lock, state);
    return last;
}

int job_wait_all(int *status)
{
    uint64_t born = 0, last = job_last_to_wait_for();
    unsigned number;

    *status = 0;
    while ((number = job_find_younger(born, last, &born)) != 0) {
        if (job_wait(number, status) == -EINTR)
            return -EINTR;
    }
    return 0;
}

int job_stop(unsigned number)
{
    uintptr_t state = spinlock_acquire(&job_lock);
    const struct job *job = job_find(number);

    if (job != NULL && !job->done)
        thread_interrupt(job->thread);
    spinlock_release(&job_lock, state);
    return job != NULL ? 0 : -ENOENT;
}

bool job_current(void)
{
    uintptr_t state = spinlock_acquire(&job_lock);
    bool found = false;

    for (unsigned i = 0; i < JOBS_MAX; i++)
        found = found || (jobs[i] != NULL && jobs[i]->thread == thread_current());
    spinlock_release(&job_lock, state);
    return found;
}

void job_print(const struct job_info *info)
{
    char what[16] = "running";

    if (info->done)
        format(what, sizeof(what), "done %d", info->status & 255);
    shell_printf("[%u] %-8s %s\n", info->number, what, info->line);
}

void job_told(unsigned number)
{
    uintptr_t state = spinlock_acquire(&job_lock);
    struct job *job = job_find(number);

    if (job != NULL && job->done)
        job->told = true;
    spinlock_release(&job_lock, state);
}

void job_tell(void)
{
    struct job_info info;

    if (births == 0)
        return; /* the first prompt has to come quickly */
    for (unsigned i = 1; i <= JOBS_MAX; i++) {
        uintptr_t state;
        struct job *job;
        bool told;

        if (!job_get(i, &info) || !info.done)
            continue;
        state = spinlock_acquire(&job_lock);
        job = job_find(i);
        told = job == NULL || job->told;
        if (job != NULL) {
            job->collected = true;
            job = job_take_out(i, job);
        }
        spinlock_release(&job_lock, state);
        job_free(job);
        if (!told)
            job_print(&info);
    }
}
