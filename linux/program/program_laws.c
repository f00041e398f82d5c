/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The laws of programs' CPU time: what their kstats tell of it, of those that are there and those
 * that are gone, and what threads have used that no program has, is all that CPUs have given.
 */
#include "kernel/base/law.h"
#include "kernel/thread/cpu_time_laws.h"
#include "kernel/thread/thread.h"
#include "linux/program/program_private.h"

static struct thread_time program_times(void)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    struct thread_time sum = program_gone;
    const struct program *program;
    const struct task *task;

    TAILQ_FOREACH (program, &program_all, in_all) {
        sum.all += program->dead.time.all;
        sum.user += program->dead.time.user;
        TAILQ_FOREACH (task, &program->tasks, in_program) {
            sum.all += task->thread ? task->thread->cycles : 0;
            sum.user += task->thread ? task->thread->user_cycles : 0;
        }
    }
    spinlock_release(&program_lock, state);
    return sum;
}

static uint64_t program_law_time(void *unused)
{
    struct thread_totals threads;

    (void)unused;
    thread_totals_get(&threads);
    return cpu_time_law_threads(program_times().all + threads.apart.all);
}

static uint64_t program_law_user(void *unused)
{
    struct thread_totals threads;

    (void)unused;
    thread_totals_get(&threads);
    return program_times().user + threads.apart.user;
}

static uint64_t *program_law_time_word(void *unused)
{
    (void)unused;
    return &program_gone.all;
}

static uint64_t *program_law_user_word(void *unused)
{
    (void)unused;
    return &program_gone.user;
}

LAW(program_time, .name = "process-time", .about = &program_gone,
    .left = "cycles of processes, of ended ones, of other threads",
    .right = "CPUs' cycles outside of interrupts", .get_left = program_law_time,
    .get_right = cpu_time_law_cpus, .word = program_law_time_word);

LAW(program_user_time, .name = "process-user-time", .about = &program_gone,
    .left = "cycles in user mode of processes, of ended ones, of other threads",
    .right = "CPUs' cycles in user mode", .get_left = program_law_user,
    .get_right = cpu_time_law_user, .word = program_law_user_word);
