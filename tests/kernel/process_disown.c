/* SPDX-License-Identifier: BSD-2-Clause */
/* Children that there is nothing to wait for any more, and who waits for them. */
#include "lib/errno.h"
#include "tests/kernel/process_actor.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/until.h"
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"

#define NAP 20000000ull

static struct actor actors[3];
#define A (&actors[0])
#define B (&actors[1])
#define C (&actors[2])

static int process_disown_end(struct actor *actor)
{
    process_end(actor->process, 0);
    SELFTEST_CHECK(actor_reaches(actor, PROCESS_GONE));
    SELFTEST_CHECK(actor_alone(actor));
    actor_forget(actor);
    return 0;
}

SELFTEST(process_disown, "process-disown",
         "who waits for children is told when the last is no more")
{
    SELFTEST_EQUAL(actor_start(A), 0);
    SELFTEST_EQUAL(actor_do(A, actor_has_child, (long)B), 0);
    SELFTEST_EQUAL(actor_do(A, actor_has_child, (long)C), 0);
    actor_ask(A, actor_waits, (long)PROCESS_ANY);
    thread_sleep(NAP);
    process_disown(B->process);
    process_disown(B->process); /* it is process 0's already */
    SELFTEST_EQUAL(process_parent_id(B->process), 0);
    SELFTEST_EQUAL(A->process->waitable, 1);
    thread_sleep(NAP);
    SELFTEST_CHECK(A->job != NULL); /* there is one left */
    process_disown(C->process);
    SELFTEST_EQUAL(actor_answer(A), -ECHILD);
    SELFTEST_EQUAL(A->process->waitable, 0);
    SELFTEST_EQUAL(process_wait(B->id, PROCESS_NO_HANG, NULL), -ECHILD); /* adopted */
    if (process_disown_end(B) != 0 || process_disown_end(C) != 0)
        return 1;
    SELFTEST_EQUAL(actor_do(A, actor_exits, 5), 0);
    SELFTEST_EQUAL(process_wait(PROCESS_ANY, 0, &A->status), A->id);
    SELFTEST_EQUAL(A->status, 5);
    SELFTEST_CHECK(actor_alone(A));
    actor_forget(A);
    return 0;
}

static volatile int process_disown_answer;

static void process_disown_wait(void *unused)
{
    (void)unused;
    process_disown_answer = process_wait(PROCESS_ANY, 0, NULL);
}

SELFTEST(process_discard, "process-discard", "one that was never begun is waited for by nobody")
{
    uint64_t deadline = until_deadline();
    struct process *process;
    struct thread *thread;

    SELFTEST_EQUAL(process_create("discarded", &process), 0);
    SELFTEST_EQUAL(process_kernel.waitable, 1);
    process_disown_answer = 0;
    SELFTEST_EQUAL(
        thread_create("waits", THREAD_PRIORITY_NORMAL, process_disown_wait, NULL, &thread), 0);
    thread_sleep(NAP);
    SELFTEST_EQUAL(process_disown_answer, 0);
    process_discard(process);
    while (process_disown_answer == 0 && clock_now() < deadline)
        thread_sleep(NAP);
    SELFTEST_EQUAL(process_disown_answer, -ECHILD);
    thread_join(thread);
    SELFTEST_EQUAL(process_kernel.waitable, 0);
    return 0;
}
