/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of threads, and copies of it. A copy is made a few threads at a time, with interrupts on
 * in between. It has its place in the list written down where whoever leaves the list finds it and
 * moves it on; who comes is younger than those that it still wants.
 */
#include "kernel/thread/thread_list.h"
#include "kernel/cpu/cpu.h"
#include "kernel/time/clock.h"
#include "lib/string.h"

struct spinlock thread_lock = SPINLOCK_INITIALIZER("threads");
struct thread_tailq all_threads = TAILQ_HEAD_INITIALIZER(all_threads);
/* Thread lock: how many there are, the next one's id (the first, 0, is the thread that boots), and
 * where those who copy the list are in it. */
static size_t thread_number;
static uint32_t next_id;
static LIST_HEAD(, snapshot) snapshots = LIST_HEAD_INITIALIZER(snapshots);

/* A copy of the list that is being made, without the lock most of the time. */
struct snapshot {
    LIST_ENTRY(snapshot) link;
    struct thread *next; /* that it has not seen; NULL: none is left */
    uint32_t end;        /* id of the first one that is too young */
};

void thread_list_add(struct thread *thread)
{
    thread->id = next_id++;
    TAILQ_INSERT_TAIL(&all_threads, thread, all);
    thread_number++;
}

void thread_list_remove(struct thread *thread)
{
    struct snapshot *snapshot;

    LIST_FOREACH (snapshot, &snapshots, link)
        if (snapshot->next == thread)
            snapshot->next = TAILQ_NEXT(thread, all);
    TAILQ_REMOVE(&all_threads, thread, all);
    thread_number--;
}

/* What its stack held when it last lost the CPU; for the running thread, what it holds now. */
static size_t stack_used(const struct thread *thread, bool running)
{
    const char *pointer = running ? __builtin_frame_address(0) : thread->stack_pointer;

    return thread->stack ? (size_t)(thread->stack + thread->stack_size - pointer) : 0;
}

static void thread_describe(struct thread *thread, struct thread_info *info)
{
    static const char letters[] = "rSZ";
    struct thread_time time;
    bool runs = cpu_of(thread->cpu)->current == thread;
    uint64_t involuntary = *(const volatile uint64_t *)&thread->involuntary; /* before switches */

    thread_time_get(thread, &time);
    *info = (struct thread_info){
        .id = thread->id,
        .state = runs ? 'R' : letters[thread->state],
        .blocked =
            thread->process != NULL && thread->state == THREAD_SLEEPING && !thread->interruptible,
        .priority = thread->priority,
        .affinity = thread->affinity,
        .cpu = thread->cpu,
        .migrations = thread->migrations,
        .user_ns = clock_cycles_to_ns(time.user),
        .system_ns = clock_cycles_to_ns(time.all - time.user),
        .voluntary = *(const volatile uint64_t *)&thread->switches - involuntary,
        .involuntary = involuntary,
        .stack_size = thread->stack_size};
    strlcpy(info->name, thread->name, sizeof info->name);
    info->stack_used = stack_used(thread, thread == thread_current());
}

#define THREADS_AT_ONCE 3u /* with interrupts off */

/* The next few; returns how many. */
static __attribute__((noinline)) size_t thread_snapshot_some(struct snapshot *snapshot,
                                                             struct thread_info *out, size_t max)
{
    uintptr_t state = spinlock_acquire(&thread_lock);
    size_t count = 0;

    while (count < THREADS_AT_ONCE && snapshot->next && snapshot->next->id < snapshot->end) {
        if (count < max)
            thread_describe(snapshot->next, &out[count]);
        count++;
        snapshot->next = TAILQ_NEXT(snapshot->next, all);
    }
    spinlock_release(&thread_lock, state);
    return count;
}

size_t thread_snapshot(struct thread_info *out, size_t max)
{
    uintptr_t state = spinlock_acquire(&thread_lock);
    struct snapshot snapshot = {.next = TAILQ_FIRST(&all_threads), .end = next_id};
    size_t count = 0, some;

    LIST_INSERT_HEAD(&snapshots, &snapshot, link);
    spinlock_release(&thread_lock, state);
    do {
        size_t room = count < max ? max - count : 0;

        some = thread_snapshot_some(&snapshot, room > 0 ? out + count : out, room);
        count += some;
    } while (some > 0);
    state = spinlock_acquire(&thread_lock);
    LIST_REMOVE(&snapshot, link);
    spinlock_release(&thread_lock, state);
    return count;
}

size_t thread_population(void)
{
    return *(const volatile size_t *)&thread_number;
}
