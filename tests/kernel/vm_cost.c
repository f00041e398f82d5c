/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process's memory costs, in instructions, for one like a small static program. */
#include <arch/interrupt_flag.h>
#include "tests/kernel/pmu_measure.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/vm_run.h"

#define TEXT  0x400000ul
#define DATA  0x4c0000ul
#define HEAP  0x4d0000ul
#define STACK (VM_TOP - 4 * PAGE_SIZE)

/* The most that each may cost. */
#define COPY_MOST  15000u
#define END_MOST   13000u
#define FORK_MOST  60000u
#define FAULT_MOST 2600u

static struct vm *parent, *child;
static struct {
    uint64_t copy, end, zero, own, again, fork, trap;
} costs;

static void do_copy(uint64_t unused)
{
    (void)unused;
    vm_copy(parent, &child);
}

static void do_end(uint64_t unused)
{
    (void)unused;
    vm_release(child);
}

static void do_fault(uint64_t address)
{
    vm_fault(vm_current(), address, ASPACE_WRITE);
}

/* The same by a copy, with the trap. */
static void do_touch(uint64_t address)
{
    interrupts_enable();
    vm_write(address, 1);
    interrupts_save();
}

/* In the child: the thread that was forked, which writes to some of its pages. */
static void child_runs(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < 4; i++)
        vm_fault(vm_current(), i < 2 ? DATA + i * PAGE_SIZE : STACK + i * PAGE_SIZE, ASPACE_WRITE);
    process_exit(0);
}

/* fork, exit and wait without system calls: also what the end of the child costs in its parent. */
static void do_fork(uint64_t unused)
{
    struct process *process;

    (void)unused;
    interrupts_enable();
    process_create("child", &process);
    vm_copy(parent, &child);
    vm_attach(process, child);
    process_thread_create(process, "child", THREAD_PRIORITY_NORMAL, child_runs, NULL);
    process_wait(process->id, 0, NULL);
    process_release(process);
    interrupts_save();
}

static uint64_t measure(void (*run)(uint64_t), uint64_t argument)
{
    struct pmu_event_at what = {CODE_INSTRUCTIONS, ON_INSTRUCTIONS, PMC_MODE_K | PMC_MODE_EXL};

    return pmu_measure(what, run, argument);
}

/* The least of a few: a tick may come in between. BEFORE and AFTER it, if any, are not counted. */
static uint64_t least(void (*run)(uint64_t), void (*before)(uint64_t), void (*after)(uint64_t))
{
    uint64_t found = UINT64_MAX;

    for (unsigned i = 0; i < 5; i++) {
        uint64_t cost;

        if (before)
            before(0);
        cost = measure(run, 0);
        if (after)
            after(0);
        found = cost < found ? cost : found;
    }
    return found;
}

/* 60 pages in 5 mappings. */
static int prepare(struct vm *vm)
{
    SELFTEST_EQUAL(vm_map_at(vm, TEXT, 0xc0, ASPACE_READ, 0), 0);
    SELFTEST_EQUAL(vm_map_at(vm, DATA, 10, VM_RW, 0), 0);
    SELFTEST_EQUAL(vm_map_at(vm, HEAP, 33, VM_RW, 0), 0);
    SELFTEST_EQUAL(vm_map_at(vm, STACK, 4, VM_RW, VM_GROWS_DOWN), 0);
    for (unsigned i = 0; i < 40; i++)
        SELFTEST_EQUAL(vm_fault(vm, TEXT + 3 * i * PAGE_SIZE, ASPACE_READ), 0);
    SELFTEST_EQUAL(vm_write_pages(DATA, 10, 0), 10);
    SELFTEST_EQUAL(vm_write_pages(HEAP, 8, 0), 8);
    SELFTEST_EQUAL(vm_write_pages(STACK + 2 * PAGE_SIZE, 2, 0), 2);
    SELFTEST_EQUAL(vm_resident(vm), 60);
    return 0;
}

static int measure_all(struct vm *vm)
{
    if (prepare(vm) != 0)
        return 1;
    parent = vm;
    do_copy(0); /* memory for small things is there after that */
    do_end(0);
    costs.copy = least(do_copy, NULL, do_end);
    costs.end = least(do_end, do_copy, NULL);
    costs.zero = measure(do_fault, HEAP + 20 * PAGE_SIZE);
    costs.again = measure(do_fault, HEAP + 20 * PAGE_SIZE);
    costs.trap = measure(do_touch, HEAP + 21 * PAGE_SIZE);
    costs.trap -= measure(do_touch, HEAP + 21 * PAGE_SIZE);
    do_copy(0);
    costs.own = measure(do_fault, HEAP + 20 * PAGE_SIZE);
    do_end(0);
    SELFTEST_EQUAL(vm_run_faults().copied, 1);
    costs.fork = least(do_fork, NULL, NULL);
    return 0;
}

SELFTEST_COUNTERS_ONE_CPU(vm_cost, "vm-cost", "a copy of 60 pages, its end and faults cost little")
{
    int result;

#ifdef QUIPU_CHECKED
    return selftest_skip("the checked build looks at locks as well");
#endif
    if (!pmu_hardware())
        return selftest_skip("no performance counters");
    result = vm_run(measure_all);
    if (result != 0)
        return result;
    selftest_note("copy %lu, end %lu, zero %lu, copy at a write %lu, again %lu, fork %lu, zero "
                  "with its trap %lu",
                  (unsigned long)costs.copy, (unsigned long)costs.end, (unsigned long)costs.zero,
                  (unsigned long)costs.own, (unsigned long)costs.again, (unsigned long)costs.fork,
                  (unsigned long)costs.trap);
    SELFTEST_CHECK(costs.copy <= COPY_MOST);
    SELFTEST_CHECK(costs.end <= END_MOST);
    SELFTEST_CHECK(costs.fork <= FORK_MOST);
    SELFTEST_CHECK(costs.zero <= FAULT_MOST && costs.own <= FAULT_MOST);
    return 0;
}
