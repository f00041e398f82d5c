/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A QEMU plugin that counts how often given addresses are executed: an observer outside the guest
 * for what the guest counts itself, such as the entries of an interrupt vector. It does not count
 * instructions (count.c does).
 *
 *     -plugin build/plugins/hits.so,out=FILE,addr=A[,addr=B]...[,cpus=N][,mark=M]
 *
 * FILE gets a line `0xADDRESS COUNT` for each address when QEMU ends, in the order of the
 * arguments. The count is one for each start of the instruction at that address, on any CPU. An
 * instruction that faults and is run again counts again; vector entries do not fault.
 *
 * With cpus=N the counts of CPUs 0 to N-1 follow on the line. With mark=M the counts are those of
 * the last time that the instruction at M was started: M is where the guest reads its own.
 */

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/qpmu/qemu/emu.h"

#define MAX_POINTS 256
#define MAX_CPUS   64

struct point {
    uint64_t address;
    _Atomic uint64_t hits[MAX_CPUS]; /* CPUs run in threads of their own */
    uint64_t marked[MAX_CPUS];       /* what they were at the mark */
};

static struct point points[MAX_POINTS];
static size_t point_count;
static const char *out_path;
static uint64_t mark; /* 0: none */
static unsigned cpus;

static void executed(unsigned int cpu, void *arg)
{
    struct point *p = arg;

    atomic_fetch_add_explicit(&p->hits[emu_cpu(cpu) % MAX_CPUS], 1, memory_order_relaxed);
}

static void take_marks(unsigned int this_cpu, void *unused)
{
    (void)this_cpu;
    (void)unused;
    for (size_t p = 0; p < point_count; p++)
        for (unsigned cpu = 0; cpu < MAX_CPUS; cpu++)
            points[p].marked[cpu] =
                atomic_load_explicit(&points[p].hits[cpu], memory_order_relaxed);
}

static void translated(struct qemu_plugin_tb *block)
{
    size_t n = emu_insn_count(block);

    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *instruction = emu_insn_at(block, i);
        uint64_t address = emu_insn_address(instruction);

        if (mark && address == mark)
            emu_call_insn(instruction, take_marks, NULL);
        for (size_t p = 0; p < point_count; p++)
            if (points[p].address == address)
                emu_call_insn(instruction, executed, &points[p]);
    }
}

static void print_point(FILE *out, const struct point *p)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < MAX_CPUS; cpu++)
        sum += p->marked[cpu];
    fprintf(out, "0x%" PRIx64 " %" PRIu64, p->address, sum);
    for (unsigned cpu = 0; cpu < cpus; cpu++)
        fprintf(out, " %" PRIu64, p->marked[cpu]);
    fprintf(out, "\n");
}

static void ended(void)
{
    FILE *out = fopen(out_path, "w");

    if (!out) {
        perror(out_path);
        return;
    }
    if (!mark)
        take_marks(0, NULL);
    for (size_t p = 0; p < point_count; p++)
        print_point(out, &points[p]);
    fclose(out);
}

static int take(const char *argument)
{
    const char *value = strchr(argument, '=');
    uint64_t number;
    char *stop;

    if (!value)
        return -1;
    value++;
    if (!strncmp(argument, "out=", 4)) {
        out_path = strdup(value);
        return 0;
    }
    number = strtoull(value, &stop, 0);
    if (*value == '\0' || *stop != '\0')
        return -1;
    if (!strncmp(argument, "addr=", 5) && point_count < MAX_POINTS)
        points[point_count++].address = number;
    else if (!strncmp(argument, "mark=", 5))
        mark = number;
    else if (!strncmp(argument, "cpus=", 5) && number <= MAX_CPUS)
        cpus = (unsigned)number;
    else
        return -1;
    return 0;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    if (!emu_begin(id, info, "hits"))
        return -1;
    for (int i = 0; i < argc; i++)
        if (take(argv[i]) != 0) {
            fprintf(stderr, "hits: bad argument \"%s\"\n", argv[i]);
            return -1;
        }
    if (!out_path) {
        fprintf(stderr, "hits: out=FILE is missing\n");
        return -1;
    }
    emu_listen(&(struct emu_listener){.translated = translated, .ended = ended});
    return 0;
}
