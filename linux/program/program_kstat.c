/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstats of processes that run programs: process:PID:NAME, class process. They come with the next
 * look at the chain, so that a fork or an exec that nobody looks at pays nothing for them, and go
 * when the process ends, before it is gone; after an exec under another name there is another one.
 */
#include "kernel/device/late.h"
#include "kernel/export/kstat_refresh.h"
#include "kernel/memory/page.h"
#include "kernel/process/process.h"
#include "kernel/thread/mutex.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "linux/program/program_facts.h"
#include "stats/kstat/kstat_values.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static kmutex_t program_kstat_lock; /* of who makes and deletes them */

static const struct kstat_value program_values[] = {
    {"ppid", KSTAT_DATA_UINT32},       {"nlwp", KSTAT_DATA_UINT32},
    {"nsec_user", KSTAT_DATA_UINT64},  {"nsec_kernel", KSTAT_DATA_UINT64},
    {"minf", KSTAT_DATA_UINT64},       {"majf", KSTAT_DATA_UINT64},
    {"zfod", KSTAT_DATA_UINT64},       {"cow_fault", KSTAT_DATA_UINT64},
    {"vol_swtch", KSTAT_DATA_UINT64},  {"inv_swtch", KSTAT_DATA_UINT64},
    {"syscall", KSTAT_DATA_UINT64},    {"signals", KSTAT_DATA_UINT64},
    {"sysread", KSTAT_DATA_UINT64},    {"syswrite", KSTAT_DATA_UINT64},
    {"readch", KSTAT_DATA_UINT64},     {"writech", KSTAT_DATA_UINT64},
    {"vsz", KSTAT_DATA_UINT64},        {"rss", KSTAT_DATA_UINT64},
    {"maxrss", KSTAT_DATA_UINT64},     {"child_nsec_user", KSTAT_DATA_UINT64},
    {"child_minf", KSTAT_DATA_UINT64}, {"child_nsec_kernel", KSTAT_DATA_UINT64},
    {"child_majf", KSTAT_DATA_UINT64}, {"child_syscall", KSTAT_DATA_UINT64},
    {"state", KSTAT_DATA_STRING},
};

static const char *program_kstat_state(char state)
{
    return state == 'R' ? "run" : state == 'S' ? "sleep" : state == 'T' ? "stop" : "zombie";
}

/* The process stays while its kstat does: its end deletes that. Sizes are bytes. */
static int program_kstat_update(kstat_t *ksp, int how)
{
    struct program_facts f;
    const struct program_usage *own = &f.usage;

    if (how == KSTAT_WRITE)
        return EACCES;
    if (!program_facts_get(ksp->ks_private, &f))
        return ENXIO;
    const uint64_t numbers[] = {
        f.parent,
        f.threads,
        program_user_ns(own),
        program_system_ns(own),
        own->minor,
        own->major,
        own->zeroed,
        own->copied,
        own->voluntary,
        own->involuntary,
        own->counts.calls,
        own->counts.signals,
        own->counts.reads,
        own->counts.writes,
        own->counts.read_bytes,
        own->counts.written_bytes,
        f.sizes.bytes,
        f.sizes.resident * PAGE_SIZE,
        f.sizes.most_resident * PAGE_SIZE,
        program_user_ns(&f.children),
        f.children.minor,
        program_system_ns(&f.children),
        f.children.major,
        f.children.counts.calls,
        (uintptr_t)program_kstat_state(f.state),
    };
    _Static_assert(COUNT(numbers) == COUNT(program_values), "a number for each name");
    return kstat_values_set(ksp, numbers);
}

/* KSTAT_STRLEN bytes: what cannot stand in a kstat's name becomes a dot. */
static void program_kstat_name(char *out, const char *name)
{
    strlcpy(out, name[0] != '\0' ? name : "?", KSTAT_STRLEN);
    for (; *out != '\0'; out++)
        if (*out <= ' ' || *out >= 0x7f || *out == ':')
            *out = '.';
}

/* Lock. What PROCESS had, and in its place KSTAT, if it is not NULL and PROCESS does not end. */
static void program_kstat_exchange(struct process *process, kstat_t *kstat)
{
    uintptr_t state = spinlock_acquire(&process->lock);
    kstat_t *old = process->kstat;

    process->kstat = NULL;
    if (!process->ending && process->thread_count > 0) {
        process->kstat = kstat;
        kstat = NULL;
    }
    spinlock_release(&process->lock, state);
    if (old != NULL)
        kstat_delete(old);
    if (kstat != NULL)
        kstat_delete(kstat);
}

/* Lock. */
static void program_kstat_show(struct process *process)
{
    char name[KSTAT_STRLEN];
    struct program_facts f;
    kstat_t *kstat = process->kstat;

    program_kstat_name(name, process->name);
    if ((kstat != NULL && strcmp(kstat->ks_name, name) == 0) || !program_facts_get(process, &f))
        return;
    kstat = kstat_values_create("process", (int)process->id, name, "process", program_values,
                                COUNT(program_values), program_kstat_update, process, f.started_ns);
    if (kstat != NULL)
        program_kstat_exchange(process, kstat);
}

static void program_kstat_refresh(void)
{
    struct process *process;
    uint32_t id = 0;

    mutex_enter(&program_kstat_lock);
    while ((process = process_next(id)) != NULL) {
        id = process->id;
        program_kstat_show(process);
        process_release(process);
    }
    mutex_exit(&program_kstat_lock);
}
KSTAT_REFRESH(program_kstat_refresh);

/* It was said under its lock that it ends: nobody shows it any more. */
static void program_kstat_end(struct process *process)
{
    if (process->kstat == NULL)
        return;
    mutex_enter(&program_kstat_lock);
    program_kstat_exchange(process, NULL);
    mutex_exit(&program_kstat_lock);
}
PROCESS_END_HOOK(program_kstat_end_hook, program_kstat_end);

static void program_kstat_prepare(void)
{
    mutex_init(&program_kstat_lock, "process kstats");
}
LATE(1, program_kstat_prepare);
