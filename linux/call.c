/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of system calls, and their counters: group "syscall", one for each name, which is there
 * from the first call of it on, also where the call is missing.
 */
/* Several calls that this machine does not have share the last place. */
#pragma GCC diagnostic ignored "-Woverride-init"
#include "linux/program/call.h"
#include "linux/program/machine.h"
#include <sys/evcnt.h>
#include "kernel/memory/kmem.h"
#include "kernel/process/process_count.h"
#include "kernel/thread/mutex.h"
#include "lib/section.h"

#define CALLS 464u

static CALL(lacking)
{
    (void)frame;
    return -ENOSYS;
}

#ifdef __mips__
/* A frame has not all registers yet. */
static CALL(whole)
{
    (void)frame;
    return -CALL_FRAME;
}
#endif

struct call {
    call_function *function;
    const char *name;
    call_function *whole; /* MIPS: with a whole frame */
};

#define ENTRY(at, ...) [at] = {.name = __VA_ARGS__},
#define CALL_LACKS(name, x86, mips)                                                                \
    ENTRY(ABI_CALL_NUMBER(x86, mips), #name, .function = call_lacking)
#define CALL_HAS(name, x86, mips) ENTRY(ABI_CALL_NUMBER(x86, mips), #name, .function = call_##name)
#define CALL_WHOLE(name, x86, mips)                                                                \
    ABI_ONLY_X86(CALL_HAS(name, x86, mips))                                                        \
    ABI_ONLY_MIPS(ENTRY(mips, #name, .function = call_whole, .whole = call_##name))
#define CALL_LACKS_X86(name, x86)   ABI_ONLY_X86(CALL_LACKS(name, x86, ))
#define CALL_HAS_X86(name, x86)     ABI_ONLY_X86(CALL_HAS(name, x86, ))
#define CALL_LACKS_MIPS(name, mips) ABI_ONLY_MIPS(CALL_LACKS(name, , mips))
#define CALL_HAS_MIPS(name, mips)   ABI_ONLY_MIPS(CALL_HAS(name, , mips))
static const struct call calls[CALLS + 1] = {
    [0 ... CALLS - 1] = {.function = call_lacking},
#include "linux/calls.def"
    [CALLS] = {.name = "unknown", .function = call_lacking}, /* whatever has no name */
};

/* Each from its first call on. */
static SHARED_BSS struct {
    call_function *function;
    struct evcnt *counter; /* set last */
} called[CALLS + 1];
static kmutex_t counters_lock; /* for the first call of each */
static bool counters_ready;

/* Without memory nothing is counted, this once. */
static void call_make_counter(uint64_t number)
{
    static struct spinlock making = SPINLOCK_INITIALIZER("system call counters");
    struct evcnt *counter = kmem_zalloc(sizeof *counter);
    uintptr_t state = spinlock_acquire(&making);

    if (!counters_ready)
        mutex_init(&counters_lock, "system call counters");
    counters_ready = true;
    spinlock_release(&making, state);
    if (!counter)
        return;
    mutex_enter(&counters_lock);
    if (called[number].counter) {
        kmem_free(counter);
    } else {
        evcnt_attach_dynamic(counter, EVCNT_TYPE_MISC, &process_event[PROCESS_SYSCALLS], "syscall",
                             calls[number].name);
        called[number].function = calls[number].function;
        __atomic_store_n(&called[number].counter, counter, __ATOMIC_RELEASE);
    }
    mutex_exit(&counters_lock);
}

/* The first call, or one of a number that Linux does not have. */
static __attribute__((noinline)) long call_first(struct trap_frame *frame)
{
    uint64_t number = trap_frame_number(frame) - ABI_CALL_BASE;

    if (number > CALLS || calls[number].name == NULL)
        number = CALLS;
    if (!called[number].counter)
        call_make_counter(number);
    if (called[number].counter)
        evcnt_incr(called[number].counter);
    return calls[number].function(frame);
}

long call_dispatch(struct trap_frame *frame, const struct trap_owner *owner)
{
    struct task *task = (struct task *)(uintptr_t)owner;
    uint64_t number = trap_frame_number(frame) - ABI_CALL_BASE;

    task->counts.calls++;
    evcnt_incr(&process_event[PROCESS_SYSCALLS]);
    if (__builtin_expect(number >= CALLS || !called[number].counter, 0))
        return call_first(frame);
    evcnt_incr(called[number].counter);
    return called[number].function(frame);
}

void call_rest(struct trap_frame *frame, long result)
{
    if (result == -CALL_FRAME)
        result = calls[trap_frame_number(frame) - ABI_CALL_BASE].whole(frame);
    if ((uint64_t)(-result - RESTART_CALL) > CALL_KEEP - RESTART_CALL)
        call_set_result(frame, result);
    else if (result != -CALL_KEEP)
        signal_deliver(frame, (int)-result);
}

CALL(restart_syscall)
{
    struct task *task = task_current();

    (void)frame;
    return task->remainder ? task->remainder(task) : -EINTR;
}
