/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of system calls, and their counters: group "syscall", one for each name, which is there
 * from the first call of it on, also where the call is missing.
 */
/* Several calls that this machine does not have share the last place. */
#pragma GCC diagnostic ignored "-Woverride-init"
#include "linux/call.h"
#include <sys/evcnt.h>
#include "kernel/memory/kmem.h"
#include "kernel/process/process_count.h"
#include "kernel/thread/mutex.h"

#define CALLS 464u

static CALL(lacking)
{
    (void)frame;
    return -ENOSYS;
}

struct call {
    call_function *function;
    const char *name;
};

#define CALL_LACKS(name, x86, mips) [ABI_CALL_NUMBER(x86, mips)] = {call_lacking, #name},
#define CALL_HAS(name, x86, mips)   [ABI_CALL_NUMBER(x86, mips)] = {call_##name, #name},
#define CALL_LACKS_X86(name, x86)   ABI_ONLY_X86([x86] = {call_lacking, #name}, )
#define CALL_HAS_X86(name, x86)     ABI_ONLY_X86([x86] = {call_##name, #name}, )
#define CALL_LACKS_MIPS(name, mips) ABI_ONLY_MIPS([mips] = {call_lacking, #name}, )
#define CALL_HAS_MIPS(name, mips)   ABI_ONLY_MIPS([mips] = {call_##name, #name}, )
static const struct call calls[CALLS + 1] = {
    [0 ... CALLS] = {call_lacking, "unknown"},
#include "linux/calls.def"
};

static struct evcnt *counters[CALLS + 1];
static kmutex_t counters_lock; /* for the first call of each */
static bool counters_ready;

/* What is not there by name is "unknown"; without memory nothing is counted, this once. */
static __attribute__((noinline)) struct evcnt *call_first(uint64_t number)
{
    static struct spinlock making = SPINLOCK_INITIALIZER("system call counters");
    struct evcnt *counter = kmem_zalloc(sizeof *counter);
    uintptr_t state = spinlock_acquire(&making);

    if (!counters_ready)
        mutex_init(&counters_lock, "system call counters");
    counters_ready = true;
    spinlock_release(&making, state);
    if (!counter)
        return NULL;
    mutex_enter(&counters_lock);
    if (counters[number]) {
        kmem_free(counter);
    } else {
        evcnt_attach_dynamic(counter, EVCNT_TYPE_MISC, &process_event[PROCESS_SYSCALLS], "syscall",
                             calls[number].name);
        counters[number] = counter;
    }
    counter = counters[number];
    mutex_exit(&counters_lock);
    return counter;
}

/* The shortest way. */
#define CALL_RESULT(frame, result)                                                                 \
    ABI_ONLY_X86(trap_frame_set_result(frame, (uint64_t)(result)))                                 \
    ABI_ONLY_MIPS(call_set_result(frame, result))

/* A call that asks for more than a result. */
static __attribute__((noinline)) void call_special(struct trap_frame *frame, long result)
{
    if (result != -CALL_KEEP)
        signal_deliver(frame, (int)-result);
}

void call_dispatch(struct trap_frame *frame)
{
    uint64_t number = trap_frame_number(frame) - ABI_CALL_BASE;
    struct evcnt *counter;
    long result;

    task_current()->counts.calls++;
    evcnt_incr(&process_event[PROCESS_SYSCALLS]);
    if (__builtin_expect(number > CALLS, 0))
        number = CALLS;
    counter = counters[number];
    if (__builtin_expect(!counter, 0))
        counter = call_first(number);
    if (counter)
        evcnt_incr(counter);
    result = calls[number].function(frame);
    if (__builtin_expect((uint64_t)(-result - RESTART_CALL) <= CALL_KEEP - RESTART_CALL, 0))
        call_special(frame, result);
    else
        CALL_RESULT(frame, result);
}

CALL(restart_syscall)
{
    struct task *task = task_current();

    (void)frame;
    return task->remainder ? task->remainder(task) : -EINTR;
}
