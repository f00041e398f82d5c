/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HWPERF_PROFENABLE: thresholds raise PC buckets in the program's memory. Hits wait in the kernel
 * until a thread of the program goes back to user mode, which the soft interrupt of thresholds sees
 * to, or until somebody asks for its counters. Errors in the order EFAULT, EINVAL, EPERM, EBUSY.
 */
#include "abi/hwperf_syssgi.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "kernel/vm/vm.h"
#include "lib/string.h"
#include "linux/hwperf/hwperf_private.h"
#include "stats/pmc/pmu_owner.h"

static int hwperf_regions_in(const struct abi_hwperf_syssgi *asked, struct hwperf_region *region)
{
    struct abi_hwperf_prof in[HWPERF_REGIONS];
    uint64_t count = asked->argument[2];
    int error;

    if (count == 0 || count > HWPERF_REGIONS)
        return -EINVAL;
    error = copyin((const void *)(uintptr_t)asked->argument[1], in, count * sizeof *in);
    for (unsigned i = 0; error == 0 && i < count; i++)
        region[i] = (struct hwperf_region){in[i].base, in[i].size, in[i].offset, in[i].scale};
    return error != 0 ? error : -hwperf_profile_check(region, (unsigned)count);
}

/* In user mode, with a threshold at least. */
static bool hwperf_profile_suits(const struct hwperf_control *control)
{
    uint32_t periods = 0;

    for (unsigned i = 0; i < HWPERF_EVENTS; i++)
        periods |= hwperf_period(control, i);
    return periods != 0 && !(hwperf_control_modes(control) & PMC_MODE_K);
}

long hwperf_profile_begin(const struct abi_hwperf_syssgi *asked)
{
    struct hwperf_region region[HWPERF_REGIONS];
    struct hwperf_control control;
    struct hwperf_profile *profile;
    int error = hwperf_control_in((uintptr_t)asked->argument[0], &control);
    long result;

    if (error == 0)
        error = hwperf_regions_in(asked, region);
    if (error == 0 && !hwperf_profile_suits(&control))
        error = -EINVAL;
    if (error == 0)
        error = hwperf_modes_permitted(&control);
    if (error != 0)
        return error;
    profile = kmem_alloc((size_t)hwperf_profile_size(region, (unsigned)asked->argument[2]));
    if (!profile)
        return -ENOMEM;
    hwperf_profile_init(profile, region, (unsigned)asked->argument[2]);
    result = hwperf_set(task_current()->program, &control, true, profile);
    if (result < 0)
        kmem_free(profile);
    return result;
}

/* What the bucket has is read and written, by whoever comes here: one at a time. */
static bool hwperf_bucket_add(struct vm *vm, uintptr_t address, uint32_t hits)
{
    uint16_t bucket;

    if (vm_peek(vm, address, &bucket, sizeof bucket) != 0)
        return false;
    hits += bucket;
    bucket = hits < UINT16_MAX ? (uint16_t)hits : UINT16_MAX;
    return vm_poke(vm, address, &bucket, sizeof bucket) == 0;
}

void hwperf_profile_flush(struct program *program)
{
    struct hwperf_block *block = program->hwperf;
    struct vm *vm;
    uint64_t address;
    uint32_t hits;

    if (!block || !hwperf_block_is_profiled(block))
        return;
    vm = vm_hold_of(program->process);
    if (!vm)
        return;
    if (hwperf_block_vm(block, vm) == vm)
        while ((address = hwperf_block_take_hits(block, &hits)) != 0)
            if (!hwperf_bucket_add(vm, (uintptr_t)address, hits))
                hwperf_block_miss(block, hits); /* the program has no such memory any more */
    vm_release(vm);
}

void hwperf_profile_deliver(struct task *task)
{
    struct program *program = task->program;

    if (!program->hwperf || !hwperf_block_is_profiled(program->hwperf))
        return;
    mutex_enter(&hwperf_lock);
    hwperf_profile_flush(program);
    mutex_exit(&hwperf_lock);
}

void hwperf_profile_exec(struct task *task)
{
    struct program *program = task->program;

    if (!program->hwperf || !hwperf_block_is_profiled(program->hwperf))
        return;
    mutex_enter(&hwperf_lock);
    hwperf_block_set_profile(program->hwperf, NULL);
    mutex_exit(&hwperf_lock);
}

/* One of its threads that is on its way to user mode sees to its buckets there. With program_lock.
 * Those that sleep are left alone. */
void hwperf_profile_told(struct program *program)
{
    struct task *task;

    if (!program->hwperf || !hwperf_block_is_profiled(program->hwperf))
        return;
    TAILQ_FOREACH (task, &program->tasks, in_program)
        if (task->thread && task->thread->state == THREAD_READY &&
            !__atomic_load_n(&task->ends, __ATOMIC_SEQ_CST)) {
            thread_interrupt(task->thread);
            return;
        }
}
