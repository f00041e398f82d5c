/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * intrstat's table of CPUs: how often each interrupt came on each CPU, and the part of that CPU's
 * time that it took. What more urgent interrupts took meanwhile counts for those.
 *
 *           device |      cpu0 %tim      cpu1 %tim
 * -----------------+------------------------------
 *       cpu timer  |       100  0.2       100  0.1
 */
#include "shell/intrstat_cpus.h"
#include "kernel/clock.h"
#include "kernel/cpu.h"
#include "kernel/interrupt.h"
#include "kernel/kmem.h"
#include "lib/format.h"
#include "shell/command.h"
#include "shell/output.h"
#include "shell/share.h"

#define NAME_COLUMN 16
#define CPUS_A_ROW  4 /* more CPUs come in a table below */

struct cell {
    uint64_t count, ns;
};

/* All cells at a moment: of line or level ROW and CPU at [row * cpus + cpu]. */
struct moment {
    uint64_t time;
    struct cell *cells;
};

struct table {
    bool levels;
    unsigned rows, cpus;
    struct moment now, before;
};

static bool is_row(const struct table *table, const struct interrupt_line *line)
{
    return !table->levels || (line->count.ev_parent == NULL && line->ipl >= IPL_SOFTCLOCK);
}

static void take(struct table *table)
{
    struct cell *cells = table->now.cells;

    table->now.time = clock_now();
    for (unsigned cpu = 0; cpu < table->cpus; cpu++) {
        struct interrupt_line *line = NULL;
        uint64_t times[IPL_COUNT], straight;
        unsigned row = 0;

        interrupt_level_times(cpu, times, &straight);
        for (unsigned level = 0; table->levels && level < table->rows; level++)
            cells[level * table->cpus + cpu] = (struct cell){.ns = times[level + IPL_SOFTCLOCK]};
        while ((line = interrupt_line_next(line)) != NULL && row < table->rows) {
            struct cell *cell = &cells[row * table->cpus + cpu];

            if (table->levels) {
                if (is_row(table, line))
                    cells[(unsigned)(line->ipl - IPL_SOFTCLOCK) * table->cpus + cpu].count +=
                        evcnt_cpu_value(&line->count, cpu);
                continue;
            }
            cell->count = evcnt_cpu_value(&line->count, cpu);
            cell->ns = interrupt_line_time(line, cpu, straight);
            row++;
        }
    }
}

static bool has_come(const struct table *table, unsigned row)
{
    for (unsigned cpu = 0; cpu < table->cpus; cpu++) {
        if (table->now.cells[row * table->cpus + cpu].count != 0)
            return true;
    }
    return table->levels;
}

static void print_row(const struct table *table, unsigned row, const char *name, unsigned first,
                      unsigned end)
{
    uint64_t elapsed = table->now.time - table->before.time;
    struct shell_gather out = {.used = 0};

    shell_gather_printf(&out, "%*s |", NAME_COLUMN, name);
    for (unsigned cpu = first; cpu < end; cpu++) {
        const struct cell *now = &table->now.cells[row * table->cpus + cpu],
                          *before = &table->before.cells[row * table->cpus + cpu];
        uint64_t ns = now->ns > before->ns ? now->ns - before->ns : 0;
        uint64_t tenths = share_of(ns, elapsed, 1000);

        shell_gather_printf(&out, " %9llu %2llu.%llu",
                            (unsigned long long)(now->count - before->count),
                            (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10));
    }
    shell_gather_printf(&out, "\n");
    shell_gather_flush(&out);
}

static void print_heading(const struct table *table, unsigned first, unsigned end)
{
    struct shell_gather out = {.used = 0};

    shell_gather_printf(&out, "\n%*s |", NAME_COLUMN, table->levels ? "level" : "device");
    for (unsigned cpu = first; cpu < end; cpu++)
        shell_gather_printf(&out, "%*s%u %%tim", cpu < 10 ? 9 : 8, "cpu", cpu);
    shell_gather_printf(&out, "\n");
    for (unsigned i = 0; i < NAME_COLUMN + 1; i++)
        shell_gather_printf(&out, "-");
    shell_gather_printf(&out, "+");
    for (unsigned i = 0; i < (end - first) * 15; i++)
        shell_gather_printf(&out, "-");
    shell_gather_printf(&out, "\n");
    shell_gather_flush(&out);
}

static void print_part(const struct table *table, unsigned first, unsigned end)
{
    static const char *const levels[IPL_SCHED] = {"softclock",  "softbio", "softnet",
                                                  "softserial", "vm",      "sched"};
    struct interrupt_line *line = NULL;
    char name[64];

    print_heading(table, first, end);
    for (unsigned row = 0; row < table->rows && !shell_interrupted(); row++) {
        if (table->levels) {
            format(name, sizeof(name), "%u %s", row + IPL_SOFTCLOCK, levels[row]);
        } else {
            line = interrupt_line_next(line);
            format(name, sizeof(name), "%s %s", line->count.ev_group, line->count.ev_name);
        }
        if (has_come(table, row))
            print_row(table, row, name, first, end);
    }
}

static void print(const struct table *table)
{
    for (unsigned first = 0; first < table->cpus; first += CPUS_A_ROW)
        print_part(table, first,
                   first + CPUS_A_ROW < table->cpus ? first + CPUS_A_ROW : table->cpus);
}

static int repeat(struct table *table, uint64_t interval, uint64_t count)
{
    uint64_t next = clock_now();

    if (interval != 0) { /* the first report is of the first interval */
        take(table);
        count += count != 0;
    }
    for (uint64_t report = interval != 0 ? 2 : 1;; report++) {
        struct moment before = table->now;

        next = clock_after(next, interval);
        if (interval != 0 && !shell_sleep_until(next))
            return STATUS_INTERRUPTED;
        table->now = table->before;
        table->before = before;
        take(table);
        print(table);
        if (shell_interrupted())
            return STATUS_INTERRUPTED;
        if (interval == 0 || report == count)
            return 0;
    }
}

int intrstat_cpus(bool levels, uint64_t interval, uint64_t count)
{
    struct table table = {.levels = levels, .cpus = cpu_count()};
    struct interrupt_line *line = NULL;
    int status = 1;

    while (!levels && (line = interrupt_line_next(line)) != NULL)
        table.rows++;
    if (levels)
        table.rows = IPL_SCHED;
    table.now.cells = kmem_zalloc(sizeof(struct cell) * table.rows * table.cpus);
    table.before.cells = kmem_zalloc(sizeof(struct cell) * table.rows * table.cpus);
    if (table.now.cells == NULL || table.before.cells == NULL)
        shell_printf("intrstat: no memory\n");
    else
        status = repeat(&table, interval, count);
    kmem_free(table.now.cells);
    kmem_free(table.before.cells);
    return status;
}
