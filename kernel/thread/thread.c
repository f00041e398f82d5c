/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads: their birth, their end, their sleep, and the list of all of them. */
#include "kernel/thread/thread.h"
#include <arch/context.h>
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/user.h>
#include "kernel/time/clock.h"
#include "kernel/time/cpu_clock.h"
#include "kernel/thread/thread_list.h"
#include "kernel/thread/thread_time.h"
#include "kernel/memory/kmem.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/lock/lock_order.h"
#include "kernel/base/panic.h"
#include "kernel/thread/counting.h"
#include "kernel/thread/run_queue.h"
#include "kernel/thread/scheduler.h"
#include "kernel/memory/stack.h"
#include "kernel/thread/wait.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/section.h"
#include "lib/string.h"

static SHARED_BSS struct thread boot_thread;
static uintptr_t boot_stack, boot_stack_end; /* the idle thread's */
/* Threads that have ended and are not freed, and what those counted that are; thread lock. */
static TAILQ_HEAD(, thread) ended_threads = TAILQ_HEAD_INITIALIZER(ended_threads);
static struct thread_totals freed;
static struct thread *graveyard; /* detached threads that have ended; thread lock */
const struct thread_counting *thread_counting;

static void thread_total(struct thread_totals *totals, const struct thread *thread)
{
    totals->cycles += thread->cycles;
    totals->user_cycles += thread->user_cycles;
    totals->switches += thread->switches;
    totals->involuntary += thread->involuntary;
    totals->migrations += thread->migrations;
    if (thread->of_program && thread->settled.all == 0)
        return; /* its program tells */
    totals->apart.all += thread->cycles - thread->settled.all;
    totals->apart.user += thread->user_cycles - thread->settled.user;
}

void thread_totals_get(struct thread_totals *out)
{
    uintptr_t state = spinlock_acquire(&thread_lock);
    const struct thread *thread;

    *out = freed;
    TAILQ_FOREACH (thread, &ended_threads, all)
        thread_total(out, thread);
    TAILQ_FOREACH (thread, &all_threads, all)
        thread_total(out, thread);
    spinlock_release(&thread_lock, state);
}

static void thread_free(struct thread *thread)
{
    uintptr_t state = spinlock_acquire(&thread_lock);

    TAILQ_REMOVE(&ended_threads, thread, all);
    thread_total(&freed, thread);
    spinlock_release(&thread_lock, state);
    if (thread->user)
        user_state_free(thread->user);
    stack_free(thread->stack);
    kmem_free(thread);
}

/* Frees the detached threads that have ended and whose stack is out of use; they are linked by
 * next_ready. */
static void thread_bury(void)
{
    uintptr_t state = spinlock_acquire(&thread_lock);
    struct thread **link = &graveyard, *dead = NULL;

    while (*link) {
        struct thread *thread = *link;

        if (thread->on_cpu) {
            link = &thread->next_ready;
            continue;
        }
        *link = thread->next_ready;
        thread->next_ready = dead;
        dead = thread;
    }
    spinlock_release(&thread_lock, state);
    while (dead) {
        struct thread *next = dead->next_ready;

        thread_free(dead);
        dead = next;
    }
}

struct thread *thread_current(void)
{
    return cpu_here.current;
}

/* What runs on this CPU becomes its idle thread. */
static void thread_become_idle(struct thread *thread)
{
    struct cpu *cpu = cpu_current();
    uintptr_t state;
    uint64_t own;

    thread->priority = THREAD_PRIORITY_IDLE;
    thread->affinity = 1u << cpu->id;
    thread->cpu = cpu->id;
    thread->on_cpu = CPU_MAX > 1;
    cpu->current = cpu->idle = thread;
    run_queue_init(&cpu->ready);
    timer_queue_init(&cpu->timers);
    spinlock_init(&cpu->calls_lock, "cross calls");
    cpu->time_interrupt = CPU_TIME_BASE;
    interrupt_times_begin();
    cpu->time_started = cpu_cycles(cpu);
    cpu->started = clock_now();
    own = CPU_TIME_KEPT ? cpu->time_started - CPU_TIME_BASE : 0; /* all three at one moment */
    thread->cycles -= own;
    cpu->time_idle -= own;
    state = spinlock_acquire(&thread_lock);
    thread_list_add(thread);
    spinlock_release(&thread_lock, state);
    cpu->running = true;
}

void thread_boot(const char *stack, const char *end)
{
    boot_stack = (uintptr_t)stack;
    boot_stack_end = (uintptr_t)end;
    strlcpy(boot_thread.name, "idle", sizeof boot_thread.name);
    thread_become_idle(&boot_thread);
}

void thread_boot_cpu(void)
{
    struct thread *thread = kmem_zalloc(sizeof *thread);

    if (thread) {
        format(thread->name, sizeof thread->name, "idle %u", cpu_here.id);
        thread_become_idle(thread);
    } else {
        panic("thread: no memory for the idle thread of CPU %u", cpu_here.id);
    }
}

int thread_create(const char *name, unsigned priority, void (*entry)(void *), void *argument,
                  struct thread **out)
{
    struct thread *thread, *creator = thread_current();
    uintptr_t state;

    if (priority == THREAD_PRIORITY_IDLE || priority >= THREAD_PRIORITIES || !entry)
        return -EINVAL;
    thread_bury();
    thread = kmem_zalloc(sizeof *thread);
    if (!thread)
        return -ENOMEM;
    thread->stack_size = THREAD_STACK_SIZE;
    thread->stack = stack_alloc();
    if (!thread->stack) {
        kmem_free(thread);
        return -ENOMEM;
    }
    strlcpy(thread->name, name, sizeof thread->name);
    thread->priority = (uint8_t)priority;
    thread->affinity = creator->affinity;
    if (creator == cpu_here.idle)
        thread->affinity = CPU_SET_ALL;
    thread->cpu = cpu_here.id;
    thread->entry = entry;
    thread->argument = argument;
    thread->joinable = out != NULL;
    wait_queue_init(&thread->joiners);
    thread->stack_pointer = context_prepare(thread->stack, thread->stack_size);
    thread->lwp.l_pmc_claim = creator->lwp.l_pmc_claim;
    if (lwp_counts(&creator->lwp))
        thread_counting->born(thread);
    if (out)
        *out = thread;
    state = spinlock_acquire(&thread_lock);
    thread_list_add(thread);
    thread->parent = creator;
    LIST_INSERT_HEAD(&creator->children, thread, sibling);
    scheduler_ready(thread);
    spinlock_release(&thread_lock, state); /* runs it, if it is more urgent */
    return 0;
}

_Noreturn void thread_start(void)
{
    struct thread *self = thread_current();

    interrupts_enable();
    self->entry(self->argument);
    thread_exit();
}

/* A thread is ending, which has created none since it was last here: its children get its parent,
 * which gets its counts. Thread lock. */
static void thread_bequeath(struct thread *self)
{
    struct thread *child, *parent = self->parent;

    if (lwp_counts(&self->lwp))
        thread_counting->ends(self, parent);
    if (!parent)
        return;
    while ((child = LIST_FIRST(&self->children)) != NULL) {
        LIST_REMOVE(child, sibling);
        child->parent = parent;
        LIST_INSERT_HEAD(&parent->children, child, sibling);
    }
    LIST_REMOVE(self, sibling);
    self->parent = NULL;
}

_Noreturn void thread_exit(void)
{
    struct thread *self = thread_current();

    ASSERT(!self->process); /* those end by process_thread_exit */
    thread_bury();
    if (lwp_counts(&self->lwp)) {
        uintptr_t state = spinlock_acquire(&thread_lock);

        thread_bequeath(self);
        spinlock_release(&thread_lock, state);
        thread_counting->ended(self);
    }
    interrupts_disable();
    spinlock_lock(&thread_lock);
    if (self->parent)
        thread_bequeath(self);
    self->state = THREAD_DEAD;
    thread_list_remove(self);
    TAILQ_INSERT_TAIL(&ended_threads, self, all);
    if (self->joinable) {
        wait_wake_one(&self->joiners);
    } else {
        self->next_ready = graveyard;
        graveyard = self;
    }
    spinlock_unlock(&thread_lock);
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
        wait_sleep(&thread->joiners, &thread_lock, &state, WAIT_FOREVER);
    spinlock_release(&thread_lock, state);
    while (thread->on_cpu) /* its CPU is about to leave its stack */
        cpu_relax();
    thread_free(thread);
}

void thread_detach(void)
{
    thread_current()->joinable = false;
}

int thread_sleep(uint64_t ns)
{
    uint64_t now = clock_now();
    uint64_t deadline = now + ns < now ? UINT64_MAX - 1 : now + ns;
    struct spinlock lock = SPINLOCK_INITIALIZER("sleep");
    struct wait_queue alone = WAIT_QUEUE_INITIALIZER(alone); /* nobody wakes it */
    uintptr_t state = spinlock_acquire(&lock);
    int result = wait_interruptible(&alone, &lock, &state, deadline);

    spinlock_release(&lock, state);
    return result == -ETIMEDOUT ? 0 : result;
}

struct stack_visit {
    thread_stack_visit *visit;
};

static void thread_visit_stack(struct thread *thread, void *argument)
{
    const struct stack_visit *call = argument;
    uintptr_t stack = (uintptr_t)thread->stack, end = stack + thread->stack_size;
    bool runs = cpu_of(thread->cpu)->current == thread;

    if (!thread->stack) { /* an idle thread's: the bounds are those of the first CPU's */
        stack = boot_stack - (uintptr_t)thread->cpu * CPU_STRIDE;
        end = boot_stack_end - (uintptr_t)thread->cpu * CPU_STRIDE;
    }
    if (thread == cpu_here.current)
        call->visit(NULL, stack, end);
    else if (!runs && !thread->on_cpu)
        call->visit(thread->stack_pointer, stack, end);
}

void thread_visit_stacks(thread_stack_visit *visit)
{
    thread_walk(thread_visit_stack, &(struct stack_visit){visit});
}

bool thread_in_interrupt(void)
{
    return cpu_here.in_handler || (cpu_here.leaving && cpu_here.leaving->returning);
}

bool thread_on_stack(uintptr_t address)
{
    const struct thread *leaving = cpu_here.leaving;
    const struct thread *thread = leaving ? leaving : cpu_here.current;
    uintptr_t own =
        (uintptr_t)cpu_here.id * CPU_STRIDE; /* how far below the first CPU's the boot stack lies */

    if (address % 8)
        return false;
    if (thread && thread->stack && address - (uintptr_t)thread->stack < thread->stack_size - 8)
        return true;
    return address >= boot_stack - own && address < boot_stack_end - own - 8;
}

int thread_set_affinity(struct thread *thread, uint32_t set)
{
    uintptr_t state;
    bool settled;

    if (!(set & ((1ull << cpu_count()) - 1)))
        return -EINVAL;
    do {
        state = interrupts_save();
        thread->affinity = set;
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the other half: placement_queue_on */
        settled = scheduler_settle(thread);
        spl_restore(state);
        if (!settled)
            thread_yield();
    } while (!settled);
    return 0;
}

int thread_ask_affinity(struct thread *thread, uint32_t set)
{
    uintptr_t state;

    if (!(set & ((1ull << cpu_count()) - 1)))
        return -EINVAL;
    state = interrupts_save();
    thread->affinity = set;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    (void)scheduler_settle(thread);
    spl_restore(state);
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

bool thread_stands(const struct thread *thread, uint64_t *switches)
{
    const volatile struct thread *t = thread;
    bool stands;

    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    *switches = t->switches;
    stands = !t->on_cpu && (int64_t)t->cycles >= 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return stands;
}
