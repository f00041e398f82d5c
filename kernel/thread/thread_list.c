/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of threads, and walks along it. A walk visits a few threads at a time, with interrupts
 * on in between. It has its place in the list written down where whoever leaves the list finds it
 * and moves it on; who comes is younger than those that it still wants.
 */
#include "kernel/thread/thread_list.h"
#include "kernel/cpu/cpu.h"
#include "kernel/time/clock.h"
#include "lib/string.h"

struct spinlock thread_lock = SPINLOCK_INITIALIZER("threads");
struct thread_tailq all_threads = TAILQ_HEAD_INITIALIZER(all_threads);
/* Thread lock: how many there are, the next one's id (the first, 0, is the thread that boots), and
 * where those who walk along the list are in it. */
static size_t thread_number;
static uint32_t next_id;
static LIST_HEAD(, walk) walks = LIST_HEAD_INITIALIZER(walks);

/* One that is under way, without the lock most of the time. */
struct walk {
    LIST_ENTRY(walk) link;
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
    struct walk *walk;

    LIST_FOREACH (walk, &walks, link)
        if (walk->next == thread)
            walk->next = TAILQ_NEXT(thread, all);
    TAILQ_REMOVE(&all_threads, thread, all);
    thread_number--;
}

/* What its stack held when it last lost the CPU; for the running thread, what it holds now. */
static size_t thread_list_stack_used(const struct thread *thread, bool running)
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
    info->stack_used = thread_list_stack_used(thread, thread == thread_current());
}

#define THREADS_AT_ONCE 3u /* with interrupts off */

static bool thread_walk_goes_on(const struct walk *walk)
{
    return walk->next && walk->next->id < walk->end;
}

/* The next few; whether there are more. */
static __attribute__((noinline)) bool
thread_walk_some(struct walk *walk, void (*visit)(struct thread *, void *), void *argument)
{
    uintptr_t state = spinlock_acquire(&thread_lock);
    bool more;

    for (unsigned n = 0; n < THREADS_AT_ONCE && thread_walk_goes_on(walk); n++) {
        visit(walk->next, argument);
        walk->next = TAILQ_NEXT(walk->next, all);
    }
    more = thread_walk_goes_on(walk);
    spinlock_release(&thread_lock, state);
    return more;
}

void thread_walk(void (*visit)(struct thread *, void *), void *argument)
{
    uintptr_t state = spinlock_acquire(&thread_lock);
    struct walk walk = {.next = TAILQ_FIRST(&all_threads), .end = next_id};

    LIST_INSERT_HEAD(&walks, &walk, link);
    spinlock_release(&thread_lock, state);
    while (thread_walk_some(&walk, visit, argument))
        ;
    state = spinlock_acquire(&thread_lock);
    LIST_REMOVE(&walk, link);
    spinlock_release(&thread_lock, state);
}

struct snapshot {
    struct thread_info *out;
    size_t count, max;
};

static void thread_snapshot_one(struct thread *thread, void *argument)
{
    struct snapshot *snapshot = argument;

    if (snapshot->count < snapshot->max)
        thread_describe(thread, &snapshot->out[snapshot->count]);
    snapshot->count++;
}

size_t thread_snapshot(struct thread_info *out, size_t max)
{
    struct snapshot snapshot = {.out = out, .max = max};

    thread_walk(thread_snapshot_one, &snapshot);
    return snapshot.count;
}

uint32_t thread_ended(void)
{
    uintptr_t state = spinlock_acquire(&thread_lock);
    uint32_t ended = next_id - (uint32_t)thread_number;

    spinlock_release(&thread_lock, state);
    return ended;
}

size_t thread_population(void)
{
    return *(const volatile size_t *)&thread_number;
}
