/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs: their birth, who finds them, groups. The end is in program_end.c. */
#include "linux/program/program.h"
#include "fs/file/vnode.h"
#include "fs/file/file_table.h"
#include "fs/file/path.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "kernel/process/process.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "lib/string.h"
#include "linux/program/program_part.h"
#include "linux/program/program_private.h"

#define BUCKETS         1024u
#define PAGES_A_PROCESS 64u /* of memory, for each process that one user may have */

struct spinlock program_lock = SPINLOCK_INITIALIZER("programs");
struct program_list program_all = TAILQ_HEAD_INITIALIZER(program_all);
struct thread_time program_gone;
static SHARED_BSS struct hash_link *program_buckets[BUCKETS], *task_buckets[BUCKETS],
    *group_buckets[BUCKETS];
static struct hash_table programs = HASH_TABLE_INITIALIZER(program_buckets);
static struct hash_table tasks = HASH_TABLE_INITIALIZER(task_buckets);
static struct hash_table groups = HASH_TABLE_INITIALIZER(group_buckets);

static uint32_t program_hash(uint32_t id)
{
    return hash_end(hash_number(0, id));
}

struct task *task_current_or_null(void)
{
    struct thread *thread = thread_current();

    return thread->owner && thread->owner->system_call == call_dispatch
               ? (struct task *)(uintptr_t)thread->owner
               : NULL;
}

struct program *program_find(uint32_t id)
{
    struct hash_link *link = hash_table_first(&programs, program_hash(id));

    for (; link; link = hash_table_next(link))
        if (HASH_ENTRY(link, struct program, by_id)->id == id)
            return HASH_ENTRY(link, struct program, by_id);
    return NULL;
}

size_t program_count(void)
{
    return programs.count;
}

struct task *task_find(uint32_t id)
{
    struct hash_link *link = hash_table_first(&tasks, program_hash(id));

    for (; link; link = hash_table_next(link))
        if (HASH_ENTRY(link, struct task, by_id)->id == id)
            return HASH_ENTRY(link, struct task, by_id);
    return NULL;
}

struct program_group *program_group_find(uint32_t id)
{
    struct hash_link *link = hash_table_first(&groups, program_hash(id));

    for (; link; link = hash_table_next(link))
        if (HASH_ENTRY(link, struct program_group, by_id)->id == id)
            return HASH_ENTRY(link, struct program_group, by_id);
    return NULL;
}

static void program_table_insert(struct hash_table *table, struct hash_link *link, uint32_t id)
{
    hash_table_insert(table, link, program_hash(id));
}

void program_leave_group(struct program *program)
{
    struct program_group *group = program->group;

    if (!group)
        return;
    TAILQ_REMOVE(&group->members, program, in_group);
    program->group = NULL;
    if (TAILQ_EMPTY(&group->members)) {
        hash_table_remove(&groups, &group->by_id);
        kmem_free(group);
    }
}

int program_join_group(struct program *program, uint32_t id, uint32_t session)
{
    struct program_group *group = program_group_find(id);

    program->session = session;
    if (group && group == program->group && group->session == session)
        return 0;
    if (group && group->session != session) {
        /* setsid of a group's only member */
        group->session = session;
    }
    if (!group) {
        group = kmem_zalloc(sizeof *group);
        if (!group)
            return -ENOMEM;
        group->id = id;
        group->session = session;
        TAILQ_INIT(&group->members);
        program_table_insert(&groups, &group->by_id, id);
    }
    program_leave_group(program);
    program->group = group;
    program->wait_group = id;
    TAILQ_INSERT_TAIL(&group->members, program, in_group);
    return 0;
}

static const uint64_t program_default_limits[RLIMITS][2] = {
    [RLIMIT_CPU] = {RLIM_INFINITY, RLIM_INFINITY},
    [RLIMIT_FSIZE] = {RLIM_INFINITY, RLIM_INFINITY},
    [RLIMIT_DATA] = {RLIM_INFINITY, RLIM_INFINITY},
    [RLIMIT_STACK] = {8ul << 20, RLIM_INFINITY},
    [RLIMIT_CORE] = {0, RLIM_INFINITY},
    [RLIMIT_RSS] = {RLIM_INFINITY, RLIM_INFINITY},
    [RLIMIT_NPROC] = {4096, 4096},
    [RLIMIT_NOFILE] = {1024, 1048576},
    [RLIMIT_MEMLOCK] = {8ul << 20, 8ul << 20},
    [RLIMIT_AS] = {RLIM_INFINITY, RLIM_INFINITY},
    [10] = {RLIM_INFINITY, RLIM_INFINITY}, /* locks */
    [RLIMIT_SIGPENDING] = {4096, 4096},
    [12] = {819200, 819200}, /* message queues */
    [13] = {0, 0},           /* nice */
    [14] = {0, 0},           /* real-time priority */
    [15] = {RLIM_INFINITY, RLIM_INFINITY},
};

static void program_inherit(struct program *program, const struct program *parent)
{
    struct page_stats pages;

    if (!parent) {
        for (unsigned i = 0; i < RLIMITS; i++)
            program->limits[i] =
                (struct abi_rlimit){program_default_limits[i][0], program_default_limits[i][1]};
        page_stats_get(&pages);
        program->limits[RLIMIT_NPROC].now = program->limits[RLIMIT_NPROC].max =
            pages.total / PAGES_A_PROCESS;
        program->dumpable = 1;
        program->timer_slack = PROGRAM_TIMER_SLACK;
        return;
    }
    memcpy(program->actions, parent->actions, sizeof *program->actions);
    memcpy(program->limits, parent->limits, sizeof program->limits);
    program->uid = parent->uid;
    program->euid = parent->euid;
    program->suid = parent->suid;
    program->fsuid = parent->fsuid;
    program->gid = parent->gid;
    program->egid = parent->egid;
    program->sgid = parent->sgid;
    program->fsgid = parent->fsgid;
    program->group_count = parent->group_count;
    memcpy(program->groups, parent->groups, sizeof program->groups);
    program->left_tty = parent->left_tty;
    program->dumpable = parent->dumpable;
    program->personality = parent->personality;
    program->nice = parent->nice;
    program->policy = parent->policy;
    program->priority = parent->priority;
    program->keep_capabilities = parent->keep_capabilities;
    program->timer_slack = parent->timer_slack;
    program->barriers = parent->barriers;
    program->no_new_privileges = parent->no_new_privileges;
    program->arguments = parent->arguments;
    program->arguments_end = parent->arguments_end;
    program->environment_end = parent->environment_end;
    program->auxiliary = parent->auxiliary;
    program->auxiliary_end = parent->auxiliary_end;
    program->trampoline = parent->trampoline;
    program->has_executed = false;
}

static bool program_inherit_files(struct program *program, struct program *parent, bool share_files,
                                  bool share_base)
{
    if (!parent) {
        program->files = file_table_create();
        program->base = path_base_create();
    } else {
        program->files =
            share_files ? file_table_hold(parent->files) : file_table_copy(parent->files);
        program->base = share_base ? path_base_hold(parent->base) : path_base_copy(parent->base);
        if (parent->executable && vnode_run_begin(parent->executable) == 0)
            program_set_executable(program, parent->executable);
        if (parent->path) {
            size_t size = strlen(parent->path) + 1;

            program->path = kmem_alloc(size);
            if (program->path)
                memcpy(program->path, parent->path, size);
        }
    }
    return program->files && program->base;
}

struct program *program_create(struct program *parent, bool share_files, bool share_base)
{
    struct program *program = kmem_zalloc(sizeof *program);

    if (!program)
        return NULL;
    program->actions = parent ? kmem_alloc(sizeof *program->actions) /* inherited whole */
                              : kmem_zalloc(sizeof *program->actions);
    TAILQ_INIT(&program->children);
    TAILQ_INIT(&program->ended);
    TAILQ_INIT(&program->tasks);
    wait_queue_init(&program->waiters);
    wait_queue_init(&program->task_waiters);
    wait_queue_init(&program->stop_waiters);
    signal_pending_init(&program->pending);
    poll_source_init(&program->signal_source);
    program->started_ns = clock_now();
    if (program->actions)
        program_inherit(program, parent);
    if (!program->actions || !program_inherit_files(program, parent, share_files, share_base)) {
        program_discard(program);
        return NULL;
    }
    return program;
}

void program_set_executable(struct program *program, struct vnode *vnode)
{
    struct vnode *old = program->executable;

    program->executable = vnode ? vnode_hold(vnode) : NULL;
    if (old) {
        vnode_run_end(old);
        vnode_release(old);
    }
}

void program_close(struct program *program)
{
    program_set_executable(program, NULL);
    if (program->files)
        file_table_release(program->files);
    if (program->base)
        path_base_release(program->base);
    program->files = NULL;
    program->base = NULL;
}

void program_discard(struct program *program)
{
    program_close(program);
    program_free(program);
}

int program_enter(struct program *program, struct process *process, struct program *parent)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    int error;

    program->id = process->id;
    program->process = process;
    if (parent)
        error = program_join_group(program, parent->group->id, parent->group->session);
    else
        error = program_join_group(program, program->id, program->id);
    if (error == 0) {
        program_table_insert(&programs, &program->by_id, program->id);
        TAILQ_INSERT_TAIL(&program_all, program, in_all);
        program->parent = parent;
        if (parent)
            TAILQ_INSERT_TAIL(&parent->children, program, sibling);
    }
    spinlock_release(&program_lock, state);
    return error;
}

void program_remove(struct program *program)
{
    hash_table_remove(&programs, &program->by_id);
    TAILQ_REMOVE(&program_all, program, in_all);
    program_gone.all += program->dead.time.all;
    program_gone.user += program->dead.time.user;
    PROGRAM_PARTS_TELL(remove, program);
    program_leave_group(program);
}

static const struct trap_owner task_owner = {.fault = task_fault,
                                             .exception = task_exception,
                                             .system_call = call_dispatch,
                                             .call_rest = call_rest,
                                             .interrupted = task_interrupted};

struct task *task_create(struct program *program)
{
    struct task *task = kmem_zalloc(sizeof *task);

    if (task) {
        task->owner = task_owner;
        task->program = program;
        task->alternate.flags = SS_DISABLE;
        signal_pending_init(&task->pending);
        TAILQ_INIT(&task->perf);
        TAILQ_INIT(&task->perf_sampling);
    }
    return task;
}

void task_set_thread(struct task *task)
{
    task->thread = thread_current();
    task->thread->of_program = true;
}

void task_free(struct task *task)
{
    if (task)
        PROGRAM_PARTS_TELL(free, task);
    kmem_free(task);
}

void task_enter(struct task *task, uint32_t id)
{
    task->id = id;
    program_table_insert(&tasks, &task->by_id, id);
    TAILQ_INSERT_TAIL(&task->program->tasks, task, in_program);
    task->program->task_count++;
}

void task_remove(struct task *task)
{
    hash_table_remove(&tasks, &task->by_id);
    TAILQ_REMOVE(&task->program->tasks, task, in_program);
    task->program->task_count--;
}

void task_rename(struct task *task, uint32_t id)
{
    hash_table_remove(&tasks, &task->by_id);
    task->id = id;
    program_table_insert(&tasks, &task->by_id, id);
}

void program_credentials(const struct program *program, struct credentials *out)
{
    *out =
        (struct credentials){program->fsuid, program->fsgid, program->group_count, program->groups};
}

bool program_may_signal(const struct program *from, const struct program *to, int signal)
{
    if (from->euid == 0 || from->euid == to->suid || from->euid == to->uid ||
        from->uid == to->suid || from->uid == to->uid)
        return true;
    return signal == SIGCONT && from->session == to->session;
}
