/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2): what it is asked for, and whether that can be. */
#include "fs/file/file.h"
#include "fs/file/file_table.h"
#include "kernel/cpu/cpu.h"
#include "kernel/device/late.h"
#include "kernel/memory/kmem.h"
#include "lib/format.h"
#include "lib/string.h"
#include "linux/program/call.h"
#include "linux/perf/perf_private.h"
#include "stats/read/pmu_plan.h"

#define ATTR_MOST 4096u /* as Linux: a page */

bool perf_in_use;

/* config of PERF_TYPE_HARDWARE. */
static const char *const perf_hardware[] = {
    "cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses", NULL,
    NULL,     NULL,           "ref-cycles"};

/* config of PERF_TYPE_CACHE: cache, operation, result. */
static const struct {
    uint32_t config;
    const char *name;
} perf_caches[] = {
    {0x000005, "branches"}, {0x010005, "branch-misses"}, {0x010001, "L1-icache-misses"}};

/* What follows the edition that the kernel knows is to be 0. */
static int perf_attr_rest(const char *user, uint32_t size)
{
    char byte;

    for (uint32_t at = sizeof(struct abi_perf_attr); at < size; at++) {
        if (copyin(user + at, &byte, 1) != 0)
            return -EFAULT;
        if (byte != 0)
            return -E2BIG;
    }
    return 0;
}

static int perf_attr_in(char *user, struct abi_perf_attr *attr)
{
    uint32_t size, own = sizeof *attr;
    int error;

    if (copyin(user + offsetof(struct abi_perf_attr, size), &size, sizeof size) != 0)
        return -EFAULT;
    if (size == 0)
        size = PERF_ATTR_FIRST;
    error = size < PERF_ATTR_FIRST || size > ATTR_MOST ? -E2BIG : perf_attr_rest(user, size);
    if (error == -E2BIG)
        (void)copyout(&own, user + offsetof(struct abi_perf_attr, size), sizeof own);
    if (error != 0)
        return error;
    memset(attr, 0, sizeof *attr);
    return copyin(user, attr, size < own ? size : own);
}

static bool perf_attr_valid(const struct abi_perf_attr *attr)
{
    uint64_t known = 0;

    for (unsigned bit = 0; bit < PERF_BITS; bit++)
        if (bit != 26)
            known |= PERF_BIT(bit);
    return !(attr->flags & ~known) && attr->read_format <= PERF_FORMATS && attr->reserved2 == 0 &&
           attr->reserved3 == 0 && attr->sample_type < 1u << 25 &&
           !(attr->flags & PERF_INHERIT_THREAD && !(attr->flags & PERF_INHERIT)) &&
           !(attr->flags & PERF_REMOVE_ON_EXEC && attr->flags & PERF_ENABLE_ON_EXEC);
}

/* Happens in the kernel: of nobody who leaves that out. */
static enum perf_kind perf_in_kernel(const struct abi_perf_attr *attr, enum perf_kind kind)
{
    return attr->flags & PERF_EXCLUDE_KERNEL ? PERF_NOTHING : kind;
}

static enum perf_kind perf_in_user(const struct abi_perf_attr *attr, enum perf_kind kind)
{
    return attr->flags & PERF_EXCLUDE_USER ? PERF_NOTHING : kind;
}

static int perf_software(const struct abi_perf_attr *attr, enum perf_kind *kind)
{
    switch (attr->config) {
    case PERF_SW_CPU_CLOCK:
    case PERF_SW_TASK_CLOCK:
        *kind = PERF_CLOCK;
        return 0;
    case PERF_SW_FAULTS:
        *kind = perf_in_user(attr, PERF_FAULTS);
        return 0;
    case PERF_SW_FAULTS_MINOR:
        *kind = perf_in_user(attr, PERF_FAULTS_MINOR);
        return 0;
    case PERF_SW_FAULTS_MAJOR:
        *kind = perf_in_user(attr, PERF_FAULTS_MAJOR);
        return 0;
    case PERF_SW_SWITCHES:
        *kind = perf_in_kernel(attr, PERF_SWITCHES);
        return 0;
    case PERF_SW_MIGRATIONS:
        *kind = perf_in_kernel(attr, PERF_MIGRATIONS);
        return 0;
    case PERF_SW_ALIGNMENT:
        *kind = perf_in_user(attr, PERF_UNALIGNED);
        return 0;
    case PERF_SW_EMULATION:
        *kind = perf_in_user(attr, PERF_EMULATED);
        return 0;
    case PERF_SW_DUMMY:
        *kind = PERF_NOTHING;
        return 0;
    default:
        return -ENOENT;
    }
}

static const char *perf_cache(uint64_t config)
{
    for (size_t i = 0; i < sizeof perf_caches / sizeof perf_caches[0]; i++)
        if (perf_caches[i].config == config)
            return perf_caches[i].name;
    return NULL;
}

/* The event as a command would ask for it: 0, -ENOENT, -EINVAL. */
static int perf_named(const struct abi_perf_attr *attr, char *text, size_t size)
{
    const char *name = NULL, *modes = "";

    if (attr->flags & PERF_EXCLUDE_KERNEL)
        modes = ":u";
    else if (attr->flags & PERF_EXCLUDE_USER)
        modes = ":k";
    if (attr->type == PERF_TYPE_RAW) {
        if (attr->config > UINT32_MAX)
            return -EINVAL;
        format(text, size, "0x%x%s", (unsigned)attr->config, modes);
        return 0;
    }
    if (attr->type == PERF_TYPE_CACHE)
        name = perf_cache(attr->config);
    else if (attr->config < sizeof perf_hardware / sizeof perf_hardware[0])
        name = perf_hardware[attr->config];
    if (!name)
        return -ENOENT;
    format(text, size, "%s%s", name, modes);
    return 0;
}

static int perf_counted(const struct abi_perf_attr *attr, struct perf_event *event)
{
    struct pmu_event_error wrong;
    char text[PMU_EVENT_TEXT];
    int error = perf_named(attr, text, sizeof text);

    if (error != 0)
        return error;
    if (attr->flags & PERF_EXCLUDE_KERNEL && attr->flags & PERF_EXCLUDE_USER) {
        event->kind = PERF_NOTHING;
        return 0;
    }
    if (pmu_event_list(text, &event->request, 1, &wrong) != 1)
        return attr->type == PERF_TYPE_RAW ? -EINVAL : -ENOENT;
    if (event->request.choice_count == 0)
        return event->request.no_such_modes ? -EOPNOTSUPP : -ENOENT;
    event->kind = PERF_COUNTER;
    return 0;
}

static int perf_what(const struct abi_perf_attr *attr, struct perf_event *event)
{
    if (attr->flags & (PERF_FREQUENCY | PERF_SIGTRAP))
        return -EOPNOTSUPP;
    if (attr->period >> 63 != 0)
        return -EINVAL;
    if (attr->period != 0 &&
        (attr->type == PERF_TYPE_SOFTWARE || attr->sample_type & ~(uint64_t)PERF_SAMPLES ||
         (attr->sample_type & PERF_SAMPLE_READ && attr->read_format & PERF_FORMAT_GROUP)))
        return -EOPNOTSUPP;
    switch (attr->type) {
    case PERF_TYPE_SOFTWARE:
        return perf_software(attr, &event->kind);
    case PERF_TYPE_HARDWARE:
    case PERF_TYPE_CACHE:
    case PERF_TYPE_RAW:
        return perf_counted(attr, event);
    default:
        return -ENOENT;
    }
}

/* Of a CPU's events only these are there. */
static bool perf_cpu_can(const struct abi_perf_attr *attr, const struct perf_event *event)
{
    return attr->period == 0 && (event->kind == PERF_COUNTER || event->kind == PERF_CLOCK);
}

/* With perf_lock, after which the task stays until perf_end: 0, -ESRCH, -EACCES. */
static int perf_whom(int32_t pid, struct task **task)
{
    const struct program *self = task_current()->program;
    uintptr_t state;
    int error = 0;

    *task = task_current();
    if (pid == 0)
        return 0;
    state = spinlock_acquire(&program_lock);
    *task = task_find((uint32_t)pid);
    if (!*task || (*task)->perf_ended)
        error = -ESRCH;
    else if (!program_is_root(self) && (*task)->program->uid != self->uid)
        error = -EACCES;
    spinlock_release(&program_lock, state);
    return error;
}

static int perf_check(const struct abi_perf_attr *attr, int32_t pid, int32_t cpu, uint64_t flags)
{
    if (flags & ~(uint64_t)(PERF_FLAG_NO_GROUP | PERF_FLAG_CLOEXEC) || !perf_attr_valid(attr) ||
        (pid == -1 && cpu == -1) || cpu < -1)
        return -EINVAL;
    if (!program_is_root(task_current()->program) &&
        (pid == -1 || !(attr->flags & PERF_EXCLUDE_KERNEL)))
        return -EACCES;
    if (cpu >= (int32_t)cpu_count())
        return -ENODEV;
    if (pid < -1)
        return -ESRCH;
    /* A task on one CPU of several is not counted yet. */
    return pid != -1 && cpu != -1 && cpu_count() > 1 ? -EOPNOTSUPP : 0;
}

/* Whether LEADER's group, with EVENT, can be on the counters of this machine at once. */
static bool perf_group_fits(const struct perf_event *leader, const struct perf_event *event)
{
    struct pmu_event_request *requests = kmem_alloc(PMU_EVENTS_MAX * sizeof *requests);
    struct pmu_plan *plan = kmem_alloc(sizeof *plan);
    const struct perf_event *member;
    unsigned count = 0;
    bool fits = requests && plan;

    TAILQ_FOREACH (member, &leader->group, in_group)
        if (fits && member->kind == PERF_COUNTER && count < PMU_EVENTS_MAX)
            requests[count++] = member->request;
    if (fits && event->kind == PERF_COUNTER) {
        fits = count < PMU_EVENTS_MAX;
        if (fits)
            requests[count++] = event->request;
        fits = fits &&
               pmu_plan_make(plan, requests, count, (1u << pmc_get_num_counters()) - 1) == -1 &&
               plan->slices <= 1;
    }
    kmem_free(plan);
    kmem_free(requests);
    return fits;
}

/* With perf_lock; LEADER may be NULL. */
static int perf_join(struct perf_event *event, int32_t pid, struct perf_event *leader)
{
    struct task *task = NULL;
    int error = pid == -1 ? 0 : perf_whom(pid, &task);

    if (error != 0)
        return error;
    if (leader && (leader->task != task || leader->cpu != event->cpu || leader->leader != leader ||
                   event->flags & (PERF_PINNED | PERF_EXCLUSIVE)))
        return -EINVAL;
    if (leader && leader->members >= PERF_GROUP_MAX)
        return -ENOSPC;
    if (leader && !perf_group_fits(leader, event))
        return -EINVAL;
    perf_attach(event, task, leader);
    perf_update(event->leader);
    return 0;
}

static struct file *perf_leader(int descriptor, uint64_t flags, struct perf_event **leader)
{
    struct file *file = descriptor == -1 ? NULL : call_file(descriptor);

    *leader = file ? perf_of_file(file) : NULL;
    if (flags & PERF_FLAG_NO_GROUP)
        *leader = NULL;
    return file;
}

static void perf_first(void)
{
    static struct spinlock making = SPINLOCK_INITIALIZER("performance events");
    uintptr_t state = spinlock_acquire(&making);

    if (!perf_in_use)
        mutex_init(&perf_lock, "performance events");
    perf_in_use = true;
    spinlock_release(&making, state);
}

static long perf_open(struct perf_event *event, int32_t pid, struct perf_event *leader,
                      uint64_t flags)
{
    static uint64_t last_id;
    struct program *program = task_current()->program;
    uint64_t limit = program->limits[RLIMIT_NOFILE].now;
    struct file *file = perf_file(event);
    long error;

    if (!file)
        return -ENOMEM;
    perf_first();
    mutex_enter(&perf_lock);
    if (last_id == 0)
        perf_sampling_first();
    event->id = ++last_id;
    event->wanted = !(event->flags & PERF_DISABLED);
    error = perf_join(event, pid, leader);
    mutex_exit(&perf_lock);
    if (error != 0) {
        file_release(file);
        return error;
    }
    return file_table_add(program->files, file, 0, flags & PERF_FLAG_CLOEXEC,
                          limit < FILE_TABLE_MAX ? (uint32_t)limit : FILE_TABLE_MAX);
}

CALL(perf_event_open)
{
    struct abi_perf_attr attr;
    struct perf_event *event, *leader;
    struct file *file;
    long error = perf_attr_in(ARG_PTR(0), &attr);

    if (error == 0)
        error = perf_check(&attr, ARG_INT(1), ARG_INT(2), ARG(4));
    if (error != 0)
        return error;
    late_start(); /* of it PMUs are part */
    file = perf_leader(ARG_INT(3), ARG(4), &leader);
    if (ARG_INT(3) != -1 && (!file || (!leader && !(ARG(4) & PERF_FLAG_NO_GROUP)))) {
        file_release(file);
        return -EBADF;
    }
    event = kmem_zalloc(sizeof *event);
    error = event ? perf_what(&attr, event) : -ENOMEM;
    if (error == 0 && ARG_INT(1) == -1 && !perf_cpu_can(&attr, event))
        error = -EOPNOTSUPP;
    if (error == 0) {
        event->cpu = ARG_INT(1) == -1 ? ARG_INT(2) : -1;
        event->flags = attr.flags;
        event->read_format = attr.read_format;
        event->period = attr.period;
        event->sample_type = attr.sample_type;
        event->wakeup = attr.wakeup;
        error = perf_open(event, ARG_INT(1), leader, ARG(4)); /* the file frees it */
    } else {
        kmem_free(event);
    }
    file_release(file);
    return error;
}
