/* SPDX-License-Identifier: BSD-2-Clause */
/* The ioctls of r10k_counters(5) on /proc/PID. Errors in this order: EFAULT, EINVAL, EPERM, EBUSY;
 * of all, ESRCH first, and EFAULT at last of what is written. */
#include "abi/hwperf.h"
#include "kernel/hwperf/hwperf_system.h"
#include "kernel/memory/page.h"
#include "kernel/process/process.h"
#include "kernel/time/clock.h"
#include "lib/string.h"
#include "linux/hwperf/hwperf_private.h"
#include "linux/program/program_facts.h"
#include "linux/program/signal.h"
#include "stats/pmc/pmu_owner.h"

#define GIGABYTE (1ull << 30)

int hwperf_control_in(uintptr_t user, struct hwperf_control *control)
{
    struct abi_hwperf_arguments in;
    int error = copyin((const void *)user, &in, sizeof in);

    if (error != 0)
        return error;
    memcpy(control->spec, in.control.spec, sizeof control->spec);
    memcpy(control->frequency, in.frequency, sizeof control->frequency);
    control->signal = in.signal;
    error = hwperf_control_check(control);
    if (error == 0)
        error = hwperf_machine_check(control);
    return -error;
}

/* Of the caller's process group, or the caller is root. */
static bool hwperf_is_permitted(const struct program *target)
{
    const struct program *self = task_current()->program;

    return program_is_root(self) || (self->group && self->group == target->group);
}

int hwperf_modes_permitted(const struct hwperf_control *control)
{
    uint32_t modes = hwperf_control_modes(control);

    if (modes & (PMC_MODE_K | PMC_MODE_S) && !program_is_root(task_current()->program))
        return -EPERM;
    return 0;
}

static long hwperf_set_system(struct program *target, const struct hwperf_control *control,
                              bool anew)
{
    uint32_t id = target->id;
    int before = target->hwperf_signal, error;

    if (hwperf_signal_set(target, control->signal) != 0)
        return -ENOMEM;
    if (!anew && hwperf_system_process() == id)
        error = hwperf_system_set(control, id);
    else
        error = hwperf_system_begin(control, false, id, id);
    if (error != 0)
        (void)hwperf_signal_set(target, before);
    return error != 0 ? -error : (long)hwperf_system_generation();
}

long hwperf_set(struct program *target, const struct hwperf_control *control, bool anew,
                struct hwperf_profile *profile)
{
    struct hwperf_block *block;
    int error;

    if (hwperf_machine_busy())
        return -EBUSY;
    block = hwperf_block_of(target);
    if (!block || hwperf_signal_set(target, control->signal) != 0)
        return -ENOMEM;
    hwperf_block_name(block, target->id);
    hwperf_stop_tasks(target);
    hwperf_profile_flush(target);
    hwperf_block_set(block, control, anew);
    error = hwperf_start_tasks(target);
    if (error != 0)
        hwperf_block_off(block);
    else if (anew)
        hwperf_block_set_profile(block, profile);
    hwperf_profile_flush(target);
    return error != 0 ? -error : (long)hwperf_block_generation(block);
}

static bool hwperf_counts(const struct program *target)
{
    return hwperf_system_process() == target->id ||
           (target->hwperf && hwperf_block_is_on(target->hwperf));
}

static long hwperf_ask(struct program *target, uintptr_t argument, bool anew)
{
    struct hwperf_control control;
    int error = hwperf_control_in(argument, &control);

    if (error == 0 && !anew && !hwperf_counts(target))
        error = -EINVAL;
    if (error == 0 && !hwperf_is_permitted(target))
        error = -EPERM;
    if (error == 0)
        error = hwperf_modes_permitted(&control);
    if (error != 0)
        return error;
    if (hwperf_control_modes(&control) & PMC_MODE_K)
        return hwperf_set_system(target, &control, anew);
    return hwperf_set(target, &control, anew, NULL);
}

/* The process's, or, of one that has begun system mode, the system's. */
static uint32_t hwperf_read(struct program *target, uint64_t count[HWPERF_EVENTS])
{
    uint32_t generation;

    if (hwperf_system_process() != target->id) {
        generation = hwperf_block_read(target->hwperf, count);
        hwperf_profile_flush(target);
        return generation;
    }
    hwperf_system_read(count);
    return hwperf_system_generation();
}

static long hwperf_get(struct program *target, uintptr_t argument)
{
    struct abi_hwperf_counts out;
    uint32_t generation;
    int error;

    if (!hwperf_is_permitted(target))
        return -EPERM;
    generation = hwperf_read(target, out.count);
    error = copyout(&out, (void *)argument, sizeof out);
    return error != 0 ? error : (long)generation;
}

static void hwperf_usage(const struct program_facts *facts, struct abi_hwperf_prusage *out)
{
    const struct program_usage *usage = &facts->usage;

    out->tstamp = call_timespec(clock_now());
    out->starttime = call_timespec(facts->started_ns);
    out->utime = call_timespec(program_user_ns(usage));
    out->stime = call_timespec(program_system_ns(usage));
    out->minf = usage->minor;
    out->majf = usage->major;
    out->vfault = usage->minor + usage->major;
    out->gbread = usage->counts.read_bytes / GIGABYTE;
    out->bread = usage->counts.read_bytes % GIGABYTE;
    out->gbwrit = usage->counts.written_bytes / GIGABYTE;
    out->bwrit = usage->counts.written_bytes % GIGABYTE;
    out->sigs = usage->counts.signals;
    out->vctx = usage->voluntary;
    out->ictx = usage->involuntary;
    out->sysc = usage->counts.calls;
    out->syscr = usage->counts.reads;
    out->syscw = usage->counts.writes;
    out->size = facts->sizes.bytes / PAGE_SIZE;
    out->rss = facts->sizes.resident;
}

static long hwperf_get_usage(struct process *process, struct program *target, uintptr_t argument)
{
    struct abi_hwperf_prusage out = {.minf = 0};
    struct program_facts facts;
    uint32_t generation;
    int error;

    if (!hwperf_is_permitted(target))
        return -EPERM;
    if (!program_facts_get(process, &facts))
        return -ESRCH;
    hwperf_usage(&facts, &out);
    generation = hwperf_read(target, out.cpu_mon.count);
    error = copyout(&out, (void *)argument, sizeof out);
    return error != 0 ? error : (long)generation;
}

static long hwperf_get_control(struct program *target, uintptr_t argument)
{
    bool system = hwperf_system_process() == target->id;
    struct abi_hwperf_control out;
    int error;

    if (!hwperf_is_permitted(target))
        return -EPERM;
    memcpy(out.spec,
           (system ? hwperf_system_control() : hwperf_block_control(target->hwperf))->spec,
           sizeof out.spec);
    error = copyout(&out, (void *)argument, sizeof out);
    if (error != 0)
        return error;
    return (long)(system ? hwperf_system_generation() : hwperf_block_generation(target->hwperf));
}

static long hwperf_give_back(struct program *target)
{
    if (!hwperf_is_permitted(target))
        return -EPERM;
    if (hwperf_system_process() == target->id)
        hwperf_system_end();
    if (target->hwperf) {
        hwperf_stop_tasks(target);
        hwperf_block_off(target->hwperf);
        hwperf_profile_flush(target);
    }
    return 0;
}

static long hwperf_save(struct program *target)
{
    struct program *parent;
    uintptr_t state;

    if (!hwperf_is_permitted(target))
        return -EPERM;
    state = spinlock_acquire(&program_lock);
    parent = target->parent;
    target->hwperf_saved = true;
    spinlock_release(&program_lock, state);
    return !parent || hwperf_block_of_parent(target) ? 0 : -ENOMEM;
}

static long hwperf_command(struct process *process, struct program *target, uint32_t command,
                           uintptr_t argument)
{
    bool has = target->hwperf || hwperf_system_process() == target->id;

    switch (command) {
    case ABI_PIOCENEVCTRS:
    case ABI_PIOCSETEVCTRL:
        return hwperf_ask(target, argument, command == ABI_PIOCENEVCTRS);
    case ABI_PIOCGETEVCTRS:
        return has ? hwperf_get(target, argument) : -EINVAL;
    case ABI_PIOCGETPREVCTRS:
        return has ? hwperf_get_usage(process, target, argument) : -EINVAL;
    case ABI_PIOCGETEVCTRL:
        return has ? hwperf_get_control(target, argument) : -EINVAL;
    case ABI_PIOCRELEVCTRS:
        return hwperf_give_back(target);
    case ABI_PIOCSAVECCNTRS:
        return hwperf_save(target);
    default:
        return -ENOTTY;
    }
}

long hwperf_ioctl(struct process *process, uint32_t command, uintptr_t argument, bool user)
{
    struct program *target;
    long result = -ESRCH;

    if (!user || command < ABI_PIOCENEVCTRS || command > ABI_PIOCSAVECCNTRS)
        return -ENOTTY;
    hwperf_enter();
    target = hwperf_find_program(process->id);
    if (target)
        result = hwperf_command(process, target, command, argument);
    mutex_exit(&hwperf_lock);
    return result;
}
