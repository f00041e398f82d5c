/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/stat and status: see proc(5). What Quipu does not have is 0 there, or has no line. */
#include "fs/file/path.h"
#include "fs/proc/proc.h"
#include "kernel/cpu/cpu.h"
#include "kernel/process/process.h"
#include "kernel/thread/thread.h"
#include "linux/proc/proc.h"
#include "linux/program/program_facts.h"
#include "linux/program/program_private.h"
#include "linux/tty/tty.h"

#define TICK_NS        (1000000000u / 100u)
#define CONSOLE_DEVICE 0x501 /* 5, 1 */

static unsigned long proc_ticks(uint64_t ns)
{
    return (unsigned long)(ns / TICK_NS);
}

/* Signals up to 31 of a set, as a number. */
static unsigned long proc_few_signals(const struct signal_set *set)
{
    return (unsigned long)(set->word[0] & 0x7fffffff);
}

static void proc_stat_begin(struct proc_text *text, const struct program_facts *f)
{
    uint32_t foreground = f->left_tty ? 0 : tty_foreground_of(f->session);

    proc_printf(text, "%u (%s) %c %u %u %u %u %d 0 %lu %lu %lu %lu ", f->id, f->name, f->state,
                f->parent, f->group, f->session, foreground ? CONSOLE_DEVICE : 0,
                foreground ? (int)foreground : -1, (unsigned long)f->usage.minor,
                (unsigned long)f->children.minor, (unsigned long)f->usage.major,
                (unsigned long)f->children.major);
    proc_printf(text, "%lu %lu %lu %lu %d %d %u 0 %lu ", proc_ticks(program_user_ns(&f->usage)),
                proc_ticks(program_system_ns(&f->usage)), proc_ticks(program_user_ns(&f->children)),
                proc_ticks(program_system_ns(&f->children)), 20 + f->nice, f->nice, f->threads,
                proc_ticks(f->started_ns));
}

static int proc_stat(struct proc_text *text, struct process *process, void *unused)
{
    struct program_facts f;

    (void)unused;
    if (!program_facts_get(process, &f))
        return -ESRCH;
    proc_stat_begin(text, &f);
    proc_printf(text, "%lu %lu %lu 0 0 0 0 0 %lu %lu %lu %lu 0 0 0 %u %u 0 %d 0 0 0 0 0 0 ",
                (unsigned long)f.sizes.bytes, (unsigned long)f.sizes.resident,
                (unsigned long)f.resident_limit, proc_few_signals(&f.pending),
                proc_few_signals(&f.blocked), proc_few_signals(&f.ignored),
                proc_few_signals(&f.handled), f.exit_signal, f.cpu, f.policy);
    proc_printf(text, "%lu %lu %lu %lu %d\n", (unsigned long)f.arguments,
                (unsigned long)f.arguments_end, (unsigned long)f.arguments_end,
                (unsigned long)f.environment_end, f.state == 'Z' ? f.status : 0);
    return 0;
}

static void proc_set(struct proc_text *text, const char *name, const struct signal_set *set)
{
    proc_printf(text, "%s:\t", name);
    for (int i = ABI_SIGNAL_WORDS - 1; i >= 0; i--)
        proc_printf(text, "%016lx", (unsigned long)set->word[i]);
    proc_printf(text, "\n");
}

static const char *proc_state_name(char state)
{
    return state == 'R'   ? "R (running)"
           : state == 'S' ? "S (sleeping)"
           : state == 'T' ? "T (stopped)"
                          : "Z (zombie)";
}

/* The CPUs of SET, "0-2,5". */
static void proc_cpus(struct proc_text *text, uint32_t set)
{
    const char *comma = "";

    for (unsigned n = 0; n < cpu_count(); n++) {
        unsigned last = n;

        if (!(set >> n & 1))
            continue;
        while (last + 1 < cpu_count() && set >> (last + 1) & 1)
            last++;
        proc_printf(text, last == n ? "%s%u" : "%s%u-%u", comma, n, last);
        comma = ",";
        n = last;
    }
    proc_printf(text, "\n");
}

static void proc_status_memory(struct proc_text *text, const struct program_facts *f)
{
    if (f->sizes.bytes != 0)
        proc_printf(text, "VmPeak:\t%8lu kB\nVmSize:\t%8lu kB\nVmHWM:\t%8lu kB\nVmRSS:\t%8lu kB\n",
                    (unsigned long)f->sizes.bytes >> 10, (unsigned long)f->sizes.bytes >> 10,
                    (unsigned long)f->sizes.most_resident * 4,
                    (unsigned long)f->sizes.resident * 4);
}

static int proc_status(struct proc_text *text, struct process *process, void *unused)
{
    struct program_facts f;

    (void)unused;
    if (!program_facts_get(process, &f))
        return -ESRCH;
    proc_printf(text, "Name:\t%s\n", f.name);
    if (f.umask >= 0)
        proc_printf(text, "Umask:\t0%03o\n", (unsigned)f.umask);
    proc_printf(text, "State:\t%s\nTgid:\t%u\nNgid:\t0\nPid:\t%u\nPPid:\t%u\nTracerPid:\t0\n",
                proc_state_name(f.state), f.id, f.id, f.parent);
    proc_printf(text, "Uid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\n", f.uid, f.euid, f.suid,
                f.fsuid, f.gid, f.egid, f.sgid, f.fsgid);
    proc_status_memory(text, &f);
    proc_printf(text, "Threads:\t%u\n", f.threads);
    proc_set(text, "SigPnd", &f.pending_first);
    proc_set(text, "ShdPnd", &f.pending);
    proc_set(text, "SigBlk", &f.blocked);
    proc_set(text, "SigIgn", &f.ignored);
    proc_set(text, "SigCgt", &f.handled);
    proc_printf(text, "NoNewPrivs:\t%u\nSeccomp:\t0\nCpus_allowed:\t%x\nCpus_allowed_list:\t",
                f.no_new_privileges, f.affinity);
    proc_cpus(text, f.affinity);
    proc_printf(text, "voluntary_ctxt_switches:\t%lu\nnonvoluntary_ctxt_switches:\t%lu\n",
                (unsigned long)f.usage.voluntary, (unsigned long)f.usage.involuntary);
    return 0;
}

void proc_register_status(void)
{
    static struct proc_file files[] = {
        {.name = "stat", .mode = 0444, .make = proc_stat},
        {.name = "status", .mode = 0444, .make = proc_status},
    };

    for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
        (void)proc_register_process(&files[i]);
}
