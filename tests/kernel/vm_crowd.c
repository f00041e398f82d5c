/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of several threads that fault at the same pages at once, and of a program that does. */
#include "kernel/thread/user.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/process_actor.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/until.h"
#include "tests/kernel/user_program.h"
#include "tests/kernel/user_run.h"
#include "tests/kernel/vm_run.h"

#define THREADS 8u
#define PAGES   200u

static volatile unsigned ready, done, wrong;
static struct spinlock lock = SPINLOCK_INITIALIZER("vm test");

static const struct trap_owner answers = {.fault = vm_fault_trap};

static void vm_crowd_add(volatile unsigned *sum, unsigned more)
{
    uintptr_t state = spinlock_acquire(&lock);

    *sum += more;
    spinlock_release(&lock, state);
}

/* All wait for all, and touch the pages in the same order: each thread a word of its own. */
static void touch(void *number)
{
    uintptr_t offset = 8 * (uintptr_t)number;
    unsigned failed = thread_user_prepare(&answers) != 0;
    uint64_t value;

    vm_crowd_add(&ready, 1);
    while (ready < THREADS)
        thread_yield();
    for (unsigned i = 0; i < PAGES && !failed; i++)
        if (!vm_write(VM_AT + i * PAGE_SIZE + offset, offset + i + 1))
            failed++;
    for (unsigned i = 0; i < PAGES && !failed; i++)
        failed += !vm_read(VM_AT + i * PAGE_SIZE + offset, &value) || value != offset + i + 1;
    vm_crowd_add(&wrong, failed);
    vm_crowd_add(&done, 1);
}

static int run_threads(void)
{
    uint64_t end = until_deadline();

    ready = done = wrong = 0;
    for (unsigned i = 0; i < THREADS; i++)
        SELFTEST_EQUAL(process_thread_create(process_current(), "toucher", THREAD_PRIORITY_NORMAL,
                                             touch, (void *)(uintptr_t)i),
                       0);
    while (done < THREADS && clock_now() < end)
        thread_yield();
    SELFTEST_EQUAL(done, THREADS);
    SELFTEST_EQUAL(wrong, 0);
    return 0;
}

/* First new pages, then those that a copy has as well. */
static int crowd(struct vm *vm)
{
    uint64_t pages = vm_run_pages(), faults = vm_run_counter("faults");
    uint64_t there = vm_run_counter("flt_anon");
    struct vm *copy;

    SELFTEST_EQUAL(vm_map_at(vm, VM_AT, PAGES, VM_RW, 0), 0);
    if (run_threads() != 0)
        return 1;
    SELFTEST_EQUAL(vm_run_pages() - pages, PAGES);
    SELFTEST_EQUAL(vm_run_faults().zeroed, PAGES);
    SELFTEST_EQUAL(-vm_copy(vm, &copy), 0);
    if (run_threads() != 0)
        return 1;
    SELFTEST_EQUAL(vm_run_faults().copied, PAGES);
    SELFTEST_EQUAL(vm_run_pages() - pages, 2 * PAGES);
    SELFTEST_EQUAL(vm_run_counter("faults") - faults,
                   2 * PAGES + vm_run_counter("flt_anon") - there);
    SELFTEST_EQUAL(vm_run_faults().minor, vm_run_counter("faults") - faults);
    vm_release(copy);
    SELFTEST_EQUAL(vm_run_pages() - pages, PAGES);
    return 0;
}

SELFTEST(vm_crowd, "vm-crowd", "threads on all CPUs fault at the same pages; each comes once")
{
    return vm_run(crowd);
}

#define TOUCHED 64u

/* A byte of 64 pages; then a call. */
#ifdef __mips__
USER_PROGRAM(toucher, "li $2, 64; 1: sb $2, 0($4); daddiu $4, $4, 2048; daddiu $2, $2, -1\n"
                      "bnez $2, 1b; daddiu $4, $4, 2048; syscall; nop");
#else
USER_PROGRAM(toucher, "movl $64, %eax; 1: movb %al, (%rdi); addq $4096, %rdi; decl %eax; jnz 1b\n"
                      "int $0x80; nop");
#endif

static bool user_fault(struct user_run *run, const struct trap *trap)
{
    ++*(unsigned *)run->more;
    return vm_fault_trap(trap);
}

static enum vm_fault cause;

static bool user_exception(struct user_run *run, const struct trap *trap)
{
    (void)run;
    cause = vm_fault_cause(trap);
    return false;
}

static int program(struct vm *vm)
{
    unsigned asked = 0;
    struct user_run run = {.pc = USER_CODE,
                           .sp = VM_TOP - 64,
                           .argument = VM_AT,
                           .fault = user_fault,
                           .exception = user_exception,
                           .more = &asked};
    uint64_t word;

    SELFTEST_EQUAL(vm_map_at(vm, USER_CODE, 1, VM_RW, 0), 0);
    SELFTEST_EQUAL(vm_map_at(vm, VM_AT, TOUCHED, VM_RW, 0), 0);
    for (unsigned i = 0; i < 64; i += 8) {
        memcpy(&word, toucher.start + i, sizeof word);
        SELFTEST_CHECK(vm_write(USER_CODE + i, word));
    }
    SELFTEST_EQUAL(vm_protect(vm, USER_CODE, PAGE_SIZE, VM_RX), 0);
    SELFTEST_EQUAL(user_enter(&run), 0);
    SELFTEST_CHECK(run.called);
    SELFTEST_EQUAL(asked, TOUCHED);
    SELFTEST_EQUAL(vm_run_faults().minor, TOUCHED + 1);
    SELFTEST_EQUAL(vm_protect(vm, VM_AT, PAGE_SIZE, ASPACE_READ), 0);
    SELFTEST_EQUAL(user_enter(&run), 0);
    SELFTEST_CHECK(!run.called);
    SELFTEST_EQUAL(cause, VM_FAULT_RIGHTS);
    run.argument = VM_AT + PAGE_SIZE;
    SELFTEST_EQUAL(user_enter(&run), 0); /* up to the end, and beyond */
    SELFTEST_CHECK(!run.called);
    SELFTEST_EQUAL(cause, VM_FAULT_UNMAPPED);
    SELFTEST_EQUAL(asked, TOUCHED + 2);
    run.pc = VM_AT + PAGE_SIZE;
    if (aspace_guards() & ASPACE_GUARD_EXECUTE) {
        SELFTEST_EQUAL(user_enter(&run), 0);
        SELFTEST_EQUAL(cause, VM_FAULT_RIGHTS);
    }
    SELFTEST_EQUAL(vm_run_faults().minor, TOUCHED + 1);
    return 0;
}

SELFTEST(vm_program, "vm-program", "a program gets its pages, and what it may not is told apart")
{
    return vm_run(program);
}

/* Its memory goes with it, however it ends: before it began, too. */
static int leaves(struct actor *self, long unused)
{
    struct vm *vm;

    (void)self;
    (void)unused;
    SELFTEST_EQUAL(vm_create(&vm), 0);
    SELFTEST_EQUAL(vm_map_at(vm, VM_AT, 30, VM_RW, VM_POPULATE), 0);
    vm_attach(process_current(), vm);
    return 0;
}

SELFTEST(vm_end, "vm-end",
         "memory goes with its process, whoever ends it, and with one never begun")
{
    uint64_t pages = vm_run_pages();
    struct process *process;
    struct actor actor;
    struct vm *vm;
    int status = 0;

    SELFTEST_EQUAL(actor_start(&actor), 0);
    SELFTEST_EQUAL(actor_do(&actor, leaves, 0), 0);
    SELFTEST_EQUAL(vm_run_pages() - pages, 30);
    process_end(actor.process, 7);
    SELFTEST_EQUAL(process_wait(actor.id, 0, &status), actor.id);
    SELFTEST_EQUAL(vm_run_pages(), pages);
    SELFTEST_EQUAL(actor.process->faults.minor, 30); /* still known, for who waited */
    actor_forget(&actor);
    SELFTEST_EQUAL(process_create("never", &process), 0);
    SELFTEST_EQUAL(vm_create(&vm), 0);
    SELFTEST_EQUAL(vm_map_at(vm, VM_AT, 3, VM_RW, VM_POPULATE), 0);
    vm_attach(process, vm);
    process_discard(process);
    SELFTEST_EQUAL(vm_run_pages(), pages);
    return 0;
}
