/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A QEMU plugin that counts guest instructions between addresses: how long something takes, on a
 * scale that the load of the host does not change. It is not a profiler. A span is of one CPU, and
 * whoever moves to another one inside it is not followed; a total is of all CPUs together.
 *
 *     -plugin build/plugins/count.so,out=FILE[,within=A,to=B]...,MEASURE[,MEASURE]...
 *
 *   start=A,end=B[,end=C]...
 *       A span: every stretch from executing A to executing B (or C ...), both included. A further
 *       A before a B begins anew, so give a span of something nested its innermost addresses.
 *   from=A,until=B
 *       A total: from the first execution of A to the first of B after it, both included.
 *       `from=0` counts from the first instruction after power-on.
 *   within=A,to=B
 *       What a total says besides: how many of its instructions lay from A to before B, or in
 *       another of such ranges.
 *
 * FILE gets a line for each when QEMU ends, in the order of the arguments:
 *     span A B count minimum median maximum          (0 0 0 0 if it was never complete)
 *     total A B instructions [within]                (`-` if B was not reached)
 *
 * An instruction is counted when it starts. One that faults is thus counted at each attempt, as are
 * the handlers that run inside a span; a repeated string instruction counts once for each
 * repetition. A block that an interrupt or a fault leaves early counts only what was started,
 * because the adding is done instruction by instruction; the block of one that QEMU makes again
 * under -icount adds nothing.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/qpmu/qemu/emu.h"

#define MAX_MEASURES 64
#define MAX_ENDS     8
#define MAX_RANGES   8

enum { ALL, WITHIN, SUMS }; /* of a CPU's words */

struct measure {
    int is_span;
    uint64_t begin;
    uint64_t ends[MAX_ENDS];
    int end_count;
    int open;
    uint64_t opened_at; /* instructions that had been started before the first one of the stretch */
    uint64_t sums[SUMS]; /* a total's, of all CPUs: before it began, and then what it came to */
    uint64_t *lengths;
    size_t used, room;
};

static struct measure measures[MAX_MEASURES];
static int measure_count;
static const char *out_path;
static struct emu_words *started; /* instructions so far */

static struct range {
    uint64_t begin, end;
} ranges[MAX_RANGES];
static int range_count;

static void add_length(struct measure *m, uint64_t length)
{
    if (m->used == m->room) {
        m->room = m->room ? 2 * m->room : 1024;
        m->lengths = realloc(m->lengths, m->room * sizeof(*m->lengths));
        if (!m->lengths)
            abort();
    }
    m->lengths[m->used++] = length;
}

static int ends_at(const struct measure *m, uint64_t address)
{
    for (int i = 0; i < m->end_count; i++)
        if (m->ends[i] == address)
            return 1;
    return 0;
}

static bool is_within(uint64_t address)
{
    for (int i = 0; i < range_count; i++)
        if (address - ranges[i].begin < ranges[i].end - ranges[i].begin)
            return true;
    return false;
}

/* Other CPUs go on meanwhile. */
static uint64_t all_cpus(int which)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < emu.cpus; cpu++)
        sum += emu_word_of(started, cpu)[which];
    return sum;
}

static void total_begins(struct measure *m, const uint64_t own[SUMS])
{
    for (int which = 0; which < SUMS; which++)
        m->sums[which] = all_cpus(which) - own[which];
}

static void total_ends(struct measure *m)
{
    for (int which = 0; which < SUMS; which++)
        m->sums[which] = all_cpus(which) - m->sums[which];
    m->used = 1;
}

/* Runs before every instruction whose address somebody named; those add themselves to the count
 * here. */
static void marked_executed(unsigned int cpu, void *arg)
{
    uint64_t address = *(uint64_t *)arg;
    uint64_t own[SUMS] = {[ALL] = 1, [WITHIN] = is_within(address)};
    uint64_t *words = emu_word_of(started, emu_cpu(cpu));
    uint64_t now = words[ALL] += own[ALL];

    words[WITHIN] += own[WITHIN];
    for (int i = 0; i < measure_count; i++) {
        struct measure *m = &measures[i];

        if (m->open && ends_at(m, address)) {
            if (m->is_span)
                add_length(m, now - m->opened_at);
            else
                total_ends(m);
            m->open = 0;
        }
        if (m->begin == address && (m->is_span || (!m->open && m->used == 0))) {
            m->open = 1;
            m->opened_at = now - 1;
            if (!m->is_span)
                total_begins(m, own);
        }
    }
}

/* The stored copy of an address that somebody named, or NULL. */
static uint64_t *marked(uint64_t address)
{
    for (int i = 0; i < measure_count; i++) {
        if (measures[i].begin == address)
            return &measures[i].begin;
        for (int e = 0; e < measures[i].end_count; e++)
            if (measures[i].ends[e] == address)
                return &measures[i].ends[e];
    }
    return NULL;
}

static void translated(struct qemu_plugin_tb *block)
{
    size_t n = emu_insn_count(block);

    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *instruction = emu_insn_at(block, i);
        uint64_t *mark = marked(emu_insn_address(instruction));

        if (mark)
            emu_call_insn(instruction, marked_executed, mark);
        else
            emu_add_insn(instruction, started, ALL, 1);
        if (!mark && is_within(emu_insn_address(instruction)))
            emu_add_insn(instruction, started, WITHIN, 1);
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void print_measure(FILE *out, struct measure *m)
{
    uint64_t last = m->end_count ? m->ends[0] : 0;

    fprintf(out, "%s 0x%" PRIx64 " 0x%" PRIx64 " ", m->is_span ? "span" : "total", m->begin, last);
    if (m->is_span && m->used) {
        qsort(m->lengths, m->used, sizeof(*m->lengths), by_value);
        fprintf(out, "%zu %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", m->used, m->lengths[0],
                m->lengths[m->used / 2], m->lengths[m->used - 1]);
    } else if (m->is_span) {
        fprintf(out, "0 0 0 0\n");
    } else if (m->used) {
        fprintf(out, "%" PRIu64, m->sums[ALL]);
        if (range_count)
            fprintf(out, " %" PRIu64, m->sums[WITHIN]);
        fprintf(out, "\n");
    } else {
        fprintf(out, "-\n");
    }
}

static void ended(void)
{
    FILE *out = fopen(out_path, "w");

    if (!out) {
        perror(out_path);
        return;
    }
    for (int i = 0; i < measure_count; i++)
        print_measure(out, &measures[i]);
    fclose(out);
}

static int take_begin(int is_span, uint64_t address)
{
    struct measure *m;

    if (measure_count == MAX_MEASURES)
        return -1;
    m = &measures[measure_count++];
    m->is_span = is_span;
    m->begin = address;
    m->open = !is_span && address == 0;
    return 0;
}

static int take_end(int is_span, uint64_t address)
{
    struct measure *m = measure_count ? &measures[measure_count - 1] : NULL;

    if (!m || m->is_span != is_span || m->end_count == MAX_ENDS)
        return -1;
    m->ends[m->end_count++] = address;
    return 0;
}

static int take_range(uint64_t address)
{
    if (range_count == MAX_RANGES || (range_count && !ranges[range_count - 1].end))
        return -1;
    ranges[range_count++].begin = address;
    return 0;
}

static int take_range_end(uint64_t address)
{
    if (!range_count || ranges[range_count - 1].end || address <= ranges[range_count - 1].begin)
        return -1;
    ranges[range_count - 1].end = address;
    return 0;
}

static int take(const char *argument)
{
    const char *value = strchr(argument, '=');
    char *stop;
    uint64_t address;

    if (!value)
        return -1;
    value++;
    if (!strncmp(argument, "out=", 4)) {
        out_path = strdup(value);
        return 0;
    }
    address = strtoull(value, &stop, 0);
    if (*value == '\0' || *stop != '\0')
        return -1;
    if (!strncmp(argument, "start=", 6))
        return take_begin(1, address);
    if (!strncmp(argument, "from=", 5))
        return take_begin(0, address);
    if (!strncmp(argument, "within=", 7))
        return take_range(address);
    if (!strncmp(argument, "to=", 3))
        return take_range_end(address);
    if (!strncmp(argument, "end=", 4))
        return take_end(1, address);
    if (!strncmp(argument, "until=", 6))
        return take_end(0, address);
    return -1;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    if (!emu_begin(id, info, "count"))
        return -1;
    for (int i = 0; i < argc; i++)
        if (take(argv[i]) != 0) {
            fprintf(stderr, "count: bad argument \"%s\"\n", argv[i]);
            return -1;
        }
    if (range_count && !ranges[range_count - 1].end) {
        fprintf(stderr, "count: within=A without to=B\n");
        return -1;
    }
    if (!out_path) {
        fprintf(stderr, "count: out=FILE is missing\n");
        return -1;
    }
    started = emu_words_new();
    emu_listen(&(struct emu_listener){.translated = translated, .ended = ended});
    return 0;
}
