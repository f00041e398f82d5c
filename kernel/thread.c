/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads: their birth, their end, their sleep, and the list of all of them. */
#include "kernel/thread.h"
#include <arch/context.h>
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/clock.h"
#include "kernel/cpu.h"
#include "kernel/kmem.h"
#include "kernel/lock_order.h"
#include "kernel/panic.h"
#include "kernel/run_queue.h"
#include "kernel/scheduler.h"
#include "kernel/wait.h"
#include "lib/errno.h"
#include "lib/string.h"

extern char boot_stack[], boot_stack_end[]; /* boot/..._entry.S; the idle thread's */

static struct thread boot_thread;
static TAILQ_HEAD(, thread) all_threads = TAILQ_HEAD_INITIALIZER(all_threads);
static struct wait_queue enders = WAIT_QUEUE_INITIALIZER(enders); /* joiners wait here */
static struct wait_queue sleepers = WAIT_QUEUE_INITIALIZER(sleepers);
static struct spinlock thread_lock = SPINLOCK_INITIALIZER("threads");
static struct thread
    *graveyard; /* a detached thread that has ended but stood on its stack a moment ago */
static uint32_t next_id = 1;

static void thread_free(struct thread *thread)
{
    context_stack_free(thread->stack, thread->stack_size);
    kmem_free(thread);
}

/* Frees the last detached thread that ended, now that another stack is in use. */
static void bury(void)
{
    uintptr_t state = spinlock_acquire(&thread_lock);
    struct thread *dead = graveyard;

    graveyard = NULL;
    spinlock_release(&thread_lock, state);
    if (dead)
        thread_free(dead);
}

struct thread *thread_current(void)
{
    return cpu_current()->current;
}

void thread_boot(void)
{
    struct cpu *cpu = cpu_current();

    run_queue_init(&cpu->ready);
    strlcpy(boot_thread.name, "idle", sizeof boot_thread.name);
    boot_thread.priority = THREAD_PRIORITY_IDLE;
    TAILQ_INSERT_TAIL(&all_threads, &boot_thread, all);
    cpu->current = cpu->idle = &boot_thread;
}

int thread_create(const char *name, unsigned priority, void (*entry)(void *), void *argument,
                  struct thread **out)
{
    struct thread *thread;
    uintptr_t state;

    if (priority == THREAD_PRIORITY_IDLE || priority >= THREAD_PRIORITIES || !entry)
        return -EINVAL;
    bury();
    thread = kmem_zalloc(sizeof *thread);
    if (!thread)
        return -ENOMEM;
    thread->stack_size = THREAD_STACK_SIZE;
    thread->stack = context_stack_alloc(THREAD_STACK_SIZE);
    if (!thread->stack) {
        kmem_free(thread);
        return -ENOMEM;
    }
    strlcpy(thread->name, name, sizeof thread->name);
    thread->priority = (uint8_t)priority;
    thread->entry = entry;
    thread->argument = argument;
    thread->joinable = out != NULL;
    thread->stack_pointer = context_prepare(thread->stack, thread->stack_size);
    if (out)
        *out = thread;
    state = spinlock_acquire(&thread_lock);
    thread->id = next_id++;
    TAILQ_INSERT_TAIL(&all_threads, thread, all);
    scheduler_ready(thread);
    spinlock_release(&thread_lock, state); /* runs it, if it is more urgent */
    return 0;
}

_Noreturn void thread_start(void)
{
    struct thread *self = cpu_current()->current;

    interrupts_enable();
    self->entry(self->argument);
    thread_exit();
}

_Noreturn void thread_exit(void)
{
    struct thread *self = cpu_current()->current;

    bury();
    interrupts_disable();
    self->state = THREAD_DEAD;
    TAILQ_REMOVE(&all_threads, self, all);
    if (self->joinable)
        wait_wake_all(&enders);
    else
        graveyard = self;
    scheduler_block();
    panic("thread: %s ran after its end", self->name);
}

void thread_join(struct thread *thread)
{
    uintptr_t state;

    lock_order_sleep(NULL);
    state = spinlock_acquire(&thread_lock);
    ASSERT(thread->joinable);
    while (thread->state != THREAD_DEAD)
        wait_sleep(&enders, &thread_lock, &state, WAIT_FOREVER, false);
    spinlock_release(&thread_lock, state);
    thread_free(thread);
}

int thread_sleep(uint64_t ns)
{
    uint64_t now = clock_now();
    uint64_t deadline = now + ns < now ? UINT64_MAX - 1 : now + ns;
    uintptr_t state = spinlock_acquire(&thread_lock);
    int result;

    do
        result = wait_sleep(&sleepers, &thread_lock, &state, deadline, true);
    while (result == 0);
    spinlock_release(&thread_lock, state);
    return result == -ETIMEDOUT ? 0 : result;
}

/* What its stack held when it last lost the CPU; for the running thread, what it holds now. */
static size_t stack_used(const struct thread *thread, bool running)
{
    const char *pointer = running ? __builtin_frame_address(0) : thread->stack_pointer;

    return thread->stack ? (size_t)(thread->stack + thread->stack_size - pointer) : 0;
}

size_t thread_snapshot(struct thread_info *out, size_t max)
{
    static const char letters[] = "rSZ";
    uintptr_t state = spinlock_acquire(&thread_lock);
    struct cpu *cpu = cpu_current();
    struct thread *thread;
    size_t count = 0;

    TAILQ_FOREACH (thread, &all_threads, all) {
        if (count < max) {
            struct thread_info *info = &out[count];
            uint64_t cycles = thread->cycles;

            *info =
                (struct thread_info){.id = thread->id,
                                     .state = thread == cpu->current ? 'R' : letters[thread->state],
                                     .priority = thread->priority,
                                     .affinity = thread->affinity,
                                     .system_ns = clock_cycles_to_ns(cycles),
                                     .voluntary = thread->switches - thread->involuntary,
                                     .involuntary = thread->involuntary,
                                     .stack_size = thread->stack_size};
            strlcpy(info->name, thread->name, sizeof info->name);
            info->stack_used = stack_used(thread, thread == cpu->current);
        }
        count++;
    }
    spinlock_release(&thread_lock, state);
    return count;
}

bool thread_on_stack(uintptr_t address)
{
    const struct thread *thread = cpu_current()->current;

    if (address % 8)
        return false;
    if (thread && thread->stack && address - (uintptr_t)thread->stack < thread->stack_size - 8)
        return true;
    return address >= (uintptr_t)boot_stack && address < (uintptr_t)boot_stack_end - 8;
}

int thread_set_affinity(struct thread *thread, uint32_t set)
{
    if (!(set & 1))
        return -EINVAL;
    thread->affinity = set;
    return 0;
}

uint32_t thread_affinity(const struct thread *thread)
{
    return thread->affinity;
}

unsigned thread_cpu(void)
{
    return cpu_here.id;
}
