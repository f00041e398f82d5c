/* SPDX-License-Identifier: BSD-2-Clause */
/* Laws of each CPU. */
#include "kernel/cpu/law_cpus.h"
#include "kernel/cpu/cpu.h"
#include "lib/format.h"

static void *law_cpus_next_cpu(void *subject)
{
    unsigned n = subject ? ((const struct cpu *)subject)->id + 1 : 0;

    return n < cpu_count() ? cpu_of(n) : NULL;
}

static void law_cpus_name_cpu(const void *subject, char *buffer, size_t size)
{
    format(buffer, size, "cpu%u", ((const struct cpu *)subject)->id);
}

const struct law_subjects law_cpus = {law_cpus_next_cpu, law_cpus_name_cpu};
