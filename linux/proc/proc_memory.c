/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/cmdline, environ and auxv, which are read where the program has them; limits. */
#include "fs/proc/proc.h"
#include "kernel/process/process.h"
#include "kernel/vm/vm.h"
#include "lib/string.h"
#include "linux/proc/proc.h"
#include "linux/program/program_private.h"

enum proc_part { PROC_ARGUMENTS, PROC_ENVIRONMENT, PROC_AUXILIARY };

struct proc_range {
    uintptr_t from, to;
};

static struct proc_range proc_range_of(const struct process *process, enum proc_part part)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    const struct program *program = program_find(process->id);
    struct proc_range range = {0, 0};

    if (program && program->process == process)
        range = part == PROC_ARGUMENTS
                    ? (struct proc_range){program->arguments, program->arguments_end}
                : part == PROC_ENVIRONMENT
                    ? (struct proc_range){program->arguments_end, program->environment_end}
                    : (struct proc_range){program->auxiliary, program->auxiliary_end};
    spinlock_release(&program_lock, state);
    return range;
}

/* Up to where it cannot be read. */
static int proc_memory(struct proc_text *text, struct process *process, struct proc_range range)
{
    struct vm *vm = vm_hold_of(process);
    char buffer[256];

    while (vm && range.from < range.to) {
        size_t left = range.to - range.from, size = left < sizeof buffer ? left : sizeof buffer;

        if (vm_peek(vm, range.from, buffer, size) != 0)
            break;
        proc_write(text, buffer, size);
        range.from += size;
    }
    if (vm)
        vm_release(vm);
    return 0;
}

/* Of one that has ended nothing. */
static int proc_arguments(struct proc_text *text, struct process *process, void *unused)
{
    (void)unused;
    return proc_memory(text, process, proc_range_of(process, PROC_ARGUMENTS));
}

static int proc_environment(struct proc_text *text, struct process *process, void *unused)
{
    (void)unused;
    return proc_is_visible(process)
               ? proc_memory(text, process, proc_range_of(process, PROC_ENVIRONMENT))
               : -EACCES;
}

static int proc_auxiliary(struct proc_text *text, struct process *process, void *unused)
{
    (void)unused;
    return proc_is_visible(process)
               ? proc_memory(text, process, proc_range_of(process, PROC_AUXILIARY))
               : -EACCES;
}

/* Lines are in the order of the machine's numbers. */
static const struct {
    const char *name, *unit;
} proc_limit_names[RLIMITS] = {
    [RLIMIT_CPU] = {"Max cpu time", "seconds"},
    [RLIMIT_FSIZE] = {"Max file size", "bytes"},
    [RLIMIT_DATA] = {"Max data size", "bytes"},
    [RLIMIT_STACK] = {"Max stack size", "bytes"},
    [RLIMIT_CORE] = {"Max core file size", "bytes"},
    [RLIMIT_RSS] = {"Max resident set", "bytes"},
    [RLIMIT_NPROC] = {"Max processes", "processes"},
    [RLIMIT_NOFILE] = {"Max open files", "files"},
    [RLIMIT_MEMLOCK] = {"Max locked memory", "bytes"},
    [RLIMIT_AS] = {"Max address space", "bytes"},
    [10] = {"Max file locks", "locks"},
    [RLIMIT_SIGPENDING] = {"Max pending signals", "signals"},
    [12] = {"Max msgqueue size", "bytes"},
    [13] = {"Max nice priority", ""},
    [14] = {"Max realtime priority", ""},
    [15] = {"Max realtime timeout", "us"},
};

static void proc_limit(struct proc_text *text, uint64_t limit)
{
    if (limit == RLIM_INFINITY)
        proc_printf(text, "%-20s ", "unlimited");
    else
        proc_printf(text, "%-20lu ", (unsigned long)limit);
}

static int proc_limits(struct proc_text *text, struct process *process, void *unused)
{
    struct abi_rlimit limits[RLIMITS];
    uintptr_t state = spinlock_acquire(&program_lock);
    const struct program *program = program_find(process->id);
    bool found = program && program->process == process;

    (void)unused;
    if (found)
        memcpy(limits, program->limits, sizeof limits);
    spinlock_release(&program_lock, state);
    if (!found)
        return -ESRCH;
    proc_printf(text, "%-25s %-20s %-20s %-10s\n", "Limit", "Soft Limit", "Hard Limit", "Units");
    for (unsigned i = 0; i < RLIMITS; i++) {
        proc_printf(text, "%-25s ", proc_limit_names[i].name);
        proc_limit(text, limits[i].now);
        proc_limit(text, limits[i].max);
        proc_printf(text, "%-10s\n", proc_limit_names[i].unit);
    }
    return 0;
}

void proc_register_memory(void)
{
    static struct proc_file files[] = {
        {.name = "cmdline", .mode = 0444, .make = proc_arguments},
        {.name = "environ", .mode = 0400, .make = proc_environment},
        {.name = "auxv", .mode = 0400, .make = proc_auxiliary},
        {.name = "limits", .mode = 0444, .make = proc_limits},
    };

    for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
        (void)proc_register_process(&files[i]);
}
