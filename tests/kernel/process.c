/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of processes: statuses, the tree of them, orphans, and the order of ends, worked out by
 * hand. */
#include "kernel/process/process.h"
#include "tests/kernel/selftest.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/process_actor.h"
#include "tests/kernel/until.h"

static struct actor actors[6];
#define A (&actors[0])
#define B (&actors[1])
#define C (&actors[2])
#define D (&actors[3])
#define E (&actors[4])

/* ACTOR's process is there, in that state, a child of PARENT's. */
static int check_is(const struct actor *actor, enum process_state state, uint32_t parent)
{
    struct process *found = process_find(actor->id);

    SELFTEST_CHECK(found == actor->process);
    process_release(found);
    SELFTEST_EQUAL(found->id, actor->id);
    SELFTEST_EQUAL(found->state, state);
    SELFTEST_EQUAL(process_parent_id(found), parent);
    return 0;
}

/* Nobody has its number any more. */
static int check_gone(struct actor *actor)
{
    /* Its state says so a moment before whoever made it so has let go of it. */
    SELFTEST_CHECK(actor_alone(actor));
    SELFTEST_CHECK(process_find(actor->id) == NULL);
    SELFTEST_EQUAL(actor->process->state, PROCESS_GONE);
    SELFTEST_EQUAL(actor->process->thread_count, 0);
    SELFTEST_EQUAL(actor->process->waitable, 0);
    SELFTEST_EQUAL(process_wait(actor->id, 0, NULL), -ECHILD);
    actor_forget(actor);
    return 0;
}

SELFTEST(process_kernel, "process-kernel",
         "a command is a thread of process 0, which has no parent")
{
    struct process *found = process_find(0);

    SELFTEST_CHECK(found == &process_kernel && process_current() == found);
    process_release(found);
    SELFTEST_EQUAL(process_kernel.id, 0);
    SELFTEST_EQUAL(process_parent_id(&process_kernel), 0);
    SELFTEST_CHECK(process_kernel.aspace == NULL && !process_ending());
    SELFTEST_EQUAL(process_wait(PROCESS_ANY, 0, NULL), -ECHILD);
    SELFTEST_EQUAL(process_wait(0, 0, NULL), -ECHILD);
    SELFTEST_CHECK(process_find(PROCESS_ID_MAX + 1) == NULL && process_find(UINT32_MAX) == NULL);
    return 0;
}

static void exit_with(void *argument)
{
    process_exit(*(const int *)argument);
}

static void return_at_once(void *unused)
{
    (void)unused;
}

/* A process whose only thread runs ENTRY(ARGUMENT): its number, or an error. */
static int spawn(void (*entry)(void *), void *argument)
{
    struct process *process;
    int result = process_create("child", &process);

    if (result == 0)
        result = process_thread_create(process, "child", THREAD_PRIORITY_NORMAL, entry, argument);
    if (result != 0)
        return result;
    result = (int)process->id;
    process_release(process);
    return result;
}

SELFTEST(process_status, "process-status", "what a process ends with is what its parent is told")
{
    static int statuses[] = {0, 1, 7, 255, 256, 0x7f00, -1, INT32_MAX, INT32_MIN};

    for (unsigned n = 0; n < sizeof statuses / sizeof statuses[0]; n++) {
        int id = spawn(exit_with, &statuses[n]), status = 99;

        SELFTEST_CHECK(id > 0);
        SELFTEST_EQUAL(process_wait(n % 2 ? (uint32_t)id : PROCESS_ANY, 0, &status), id);
        SELFTEST_EQUAL(status, statuses[n]);
        SELFTEST_CHECK(process_find((uint32_t)id) == NULL);
        SELFTEST_EQUAL(process_wait((uint32_t)id, 0, &status), -ECHILD);
        SELFTEST_EQUAL(status, statuses[n]);
        id = spawn(return_at_once, NULL);
        SELFTEST_EQUAL(process_wait((uint32_t)id, 0, &status), id);
        SELFTEST_EQUAL(status, 0);
    }
    return 0;
}

/* 0 has A, A has B and C, B has D and E. */
static int grow_tree(void)
{
    SELFTEST_EQUAL(actor_start(A), 0);
    SELFTEST_EQUAL(actor_do(A, actor_has_child, (long)B), 0);
    SELFTEST_EQUAL(actor_do(A, actor_has_child, (long)C), 0);
    SELFTEST_EQUAL(actor_do(B, actor_has_child, (long)D), 0);
    SELFTEST_EQUAL(actor_do(B, actor_has_child, (long)E), 0);
    SELFTEST_EQUAL(check_is(A, PROCESS_ALIVE, 0), 0);
    SELFTEST_EQUAL(check_is(B, PROCESS_ALIVE, A->id), 0);
    SELFTEST_EQUAL(check_is(C, PROCESS_ALIVE, A->id), 0);
    SELFTEST_EQUAL(check_is(D, PROCESS_ALIVE, B->id), 0);
    SELFTEST_EQUAL(check_is(E, PROCESS_ALIVE, B->id), 0);
    return 0;
}

SELFTEST(process_orphans, "process-orphans",
         "an ended process is its parent's until waited for; children left behind are process 0's")
{
    if (grow_tree() != 0)
        return 1;
    SELFTEST_EQUAL(process_wait(B->id, 0, NULL), -ECHILD); /* a grandchild */
    SELFTEST_EQUAL(actor_do(B, actor_waits, (long)C->id), -ECHILD);
    SELFTEST_EQUAL(actor_do(A, actor_looks, (long)PROCESS_ANY), 0);
    process_end(B->process, 7);
    process_end(B->process, 8); /* too late to say */
    SELFTEST_CHECK(actor_reaches(B, PROCESS_ENDED));
    SELFTEST_EQUAL(check_is(B, PROCESS_ENDED, A->id), 0);
    SELFTEST_EQUAL(check_is(D, PROCESS_ALIVE, 0), 0);
    SELFTEST_EQUAL(check_is(E, PROCESS_ALIVE, 0), 0);
    SELFTEST_EQUAL(process_wait(D->id, PROCESS_NO_HANG, NULL), -ECHILD); /* adopted */
    SELFTEST_EQUAL(actor_do(A, actor_waits, (long)PROCESS_ANY), B->id);
    SELFTEST_EQUAL(A->status, 7);
    SELFTEST_EQUAL(check_gone(B), 0);
    SELFTEST_EQUAL(actor_do(D, actor_exits, 3), 0); /* nobody waits for it */
    SELFTEST_CHECK(actor_reaches(D, PROCESS_GONE));
    SELFTEST_EQUAL(check_gone(D), 0);
    SELFTEST_EQUAL(actor_do(C, actor_exits, 9), 0);
    SELFTEST_CHECK(actor_reaches(C, PROCESS_ENDED));
    SELFTEST_EQUAL(actor_do(A, actor_exits, -5), 0); /* C goes with it */
    SELFTEST_EQUAL(process_wait(PROCESS_ANY, 0, &A->status), A->id);
    SELFTEST_EQUAL(A->status, -5);
    SELFTEST_EQUAL(check_gone(A), 0);
    SELFTEST_EQUAL(check_gone(C), 0);
    SELFTEST_EQUAL(process_wait(PROCESS_ANY, 0, NULL), -ECHILD); /* E is not mine */
    process_end(E->process, 0);
    SELFTEST_CHECK(actor_reaches(E, PROCESS_GONE));
    return check_gone(E);
}

SELFTEST(process_order, "process-order",
         "of several that have ended, who ended first is told first")
{
    static const uint8_t ends[5] = {3, 0, 4, 1, 2};

    for (unsigned n = 0; n < 5; n++)
        SELFTEST_EQUAL(actor_start(&actors[n]), 0);
    SELFTEST_EQUAL(process_wait(PROCESS_ANY, PROCESS_NO_HANG, NULL), 0);
    for (unsigned n = 0; n < 5; n++) {
        SELFTEST_EQUAL(actor_do(&actors[ends[n]], actor_exits, 100 + ends[n]), 0);
        SELFTEST_CHECK(actor_reaches(&actors[ends[n]], PROCESS_ENDED));
    }
    SELFTEST_EQUAL(process_wait(actors[4].id, 0, &actors[4].status), actors[4].id);
    for (unsigned n = 0; n < 5; n++) {
        struct actor *actor = &actors[ends[n]];

        if (actor != &actors[4])
            SELFTEST_EQUAL(process_wait(PROCESS_ANY, 0, &actor->status), actor->id);
        SELFTEST_EQUAL(actor->status, 100 + ends[n]);
        SELFTEST_EQUAL(check_gone(actor), 0);
    }
    return 0;
}

SELFTEST(process_wait_interrupted, "process-wait-interrupted",
         "who waits for a child is interrupted; the child, and a wait for it, go on afterwards")
{
    for (unsigned any = 0; any < 2; any++) {
        SELFTEST_EQUAL(actor_start(A), 0);
        SELFTEST_EQUAL(actor_do(A, actor_has_child, (long)B), 0);
        actor_ask(A, actor_waits, (long)(any ? PROCESS_ANY : B->id));
        thread_interrupt(A->thread); /* before, or in its sleep */
        SELFTEST_EQUAL(actor_answer(A), -EINTR);
        SELFTEST_CHECK(A->thread->interrupted);
        SELFTEST_EQUAL(actor_do(A, actor_waits, (long)B->id), -EINTR);
        SELFTEST_EQUAL(actor_do(B, actor_exits, 6), 0);
        SELFTEST_CHECK(actor_reaches(B, PROCESS_ENDED));
        SELFTEST_EQUAL(actor_do(A, actor_waits, (long)PROCESS_ANY), B->id); /* no sleep */
        SELFTEST_EQUAL(A->status, 6);
        SELFTEST_EQUAL(check_gone(B), 0);
        process_end(A->process, 1);
        SELFTEST_EQUAL(process_wait(A->id, 0, NULL), A->id);
        SELFTEST_EQUAL(check_gone(A), 0);
    }
    return 0;
}
