/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of user mode: see user_run.h. */
#include "tests/kernel/user_run.h"
#include <arch/frame.h>
#include <arch/interrupt_flag.h>
#include <arch/trap.h>
#include "kernel/thread/thread.h"
#include "kernel/thread/user.h"

/* The test's end of user mode. */
struct run_owner {
    struct trap_owner owner; /* first */
    struct user_run *run;
    struct trap_jump end;
};

static struct run_owner *own(void)
{
    return (struct run_owner *)(uintptr_t)thread_current()->owner;
}

static _Noreturn void user_run_leave(const struct trap_frame *frame, bool called)
{
    own()->run->called = called;
    own()->run->result = trap_frame_result(frame);
    trap_jump_to(&own()->end);
}

static long user_run_call(struct trap_frame *frame, const struct trap_owner *owner)
{
    struct user_run *run = own()->run;

    (void)frame;
    (void)owner;
    return run->quick ? run->quick(run) : -1;
}

static void user_run_rest(struct trap_frame *frame, long result)
{
    struct user_run *run = own()->run;

    if (run->quick) {
        trap_frame_set_result(frame, (uint64_t)result);
        return;
    }
    if (!run->call || !run->call(run, frame))
        user_run_leave(frame, true);
}

static bool fault(const struct trap *trap)
{
    struct user_run *run = own()->run;

    return run->fault && run->fault(run, trap);
}

static bool exception(const struct trap *trap)
{
    struct user_run *run = own()->run;

    if (run->exception && run->exception(run, trap))
        return true;
    user_run_leave(trap->frame, false);
}

static void interrupted(struct trap_frame *frame)
{
    struct user_run *run = own()->run;

    if (!run->interrupted(run, frame))
        user_run_leave(frame, false);
}

int user_enter(struct user_run *run)
{
    struct run_owner owner = {.owner = {.fault = fault,
                                        .exception = exception,
                                        .system_call = user_run_call,
                                        .call_rest = user_run_rest,
                                        .interrupted = run->interrupted ? interrupted : NULL},
                              .run = run};
    struct trap_frame frame;
    uintptr_t volatile state;
    int error = thread_user_prepare(&owner.owner);

    if (error != 0)
        return error;
    state = interrupts_save();
    interrupts_restore(state);
    if (trap_jump_set(&owner.end) == 0) {
        user_frame_prepare(&frame, run->mode, run->pc, run->sp, run->argument);
        user_start(run->begin ? run->begin : &frame);
    }
    interrupts_restore(state);
    thread_user_end();
    return 0;
}
