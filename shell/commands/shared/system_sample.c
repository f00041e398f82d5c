/* SPDX-License-Identifier: BSD-2-Clause */
/* What the console and the CPUs have done so far: see system_sample.h. */
#include "shell/commands/shared/system_sample.h"
#include <sys/evcnt.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/time/cpu_time.h"

static uint64_t system_sample_count_of(const char *group, const char *name)
{
    const struct evcnt *ev = evcnt_lookup(group, name);

    return ev != NULL ? evcnt_value(ev) : 0;
}

void system_sample_take(struct iostat_bsd_system *out)
{
    *out = (struct iostat_bsd_system){.elapsed_ns = clock_now(),
                                      .tty_in = system_sample_count_of("com0", "rx bytes"),
                                      .tty_out = system_sample_count_of("com0", "tx bytes")};
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        struct cpu_time time;

        cpu_time_get(cpu, &time);
        out->cpu_ns[0] += time.user; /* nobody is nice: 1 stays 0 */
        out->cpu_ns[2] += time.system;
        out->cpu_ns[3] += time.interrupt;
        out->cpu_ns[4] += time.idle;
    }
}

struct iostat_bsd_system system_sample_since(const struct iostat_bsd_system *now,
                                             const struct iostat_bsd_system *before)
{
    struct iostat_bsd_system out = {.elapsed_ns = now->elapsed_ns - before->elapsed_ns,
                                    .tty_in = now->tty_in - before->tty_in,
                                    .tty_out = now->tty_out - before->tty_out};

    for (unsigned state = 0; state < CPUSTATES; state++)
        out.cpu_ns[state] = now->cpu_ns[state] - before->cpu_ns[state];
    return out;
}
