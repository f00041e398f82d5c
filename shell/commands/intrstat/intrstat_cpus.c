/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * intrstat's table of CPUs: how often each interrupt came on each CPU, and the part of that CPU's
 * time that it took. What more urgent interrupts took meanwhile counts for those.
 *
 *           device |      cpu0 %tim      cpu1 %tim
 * -----------------+------------------------------
 *       cpu timer  |       100  0.2       100  0.1
 */
#include "shell/commands/intrstat/intrstat_cpus.h"
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/memory/kmem.h"
#include "lib/format.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/commands/shared/interrupt_list.h"
#include "shell/output.h"
#include "shell/commands/shared/share.h"

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

/* Lines that are in a table of levels: those behind another one were counted there. */
static bool intrstat_cpus_has_level(const struct interrupt_line *line)
{
    return line->count.ev_parent == NULL && line->ipl >= IPL_SOFTCLOCK;
}

static void intrstat_cpus_put_counts(struct table *table, const struct interrupt_list *lines,
                                     unsigned cpu)
{
    struct cell *cells = table->now.cells;

    for (size_t i = 0; i < lines->count; i++) {
        const struct interrupt_row *row = &lines->rows[i];

        if (table->levels && intrstat_cpus_has_level(row->line))
            cells[(unsigned)(row->line->ipl - IPL_SOFTCLOCK) * table->cpus + cpu].count +=
                row->on_cpu[cpu];
        else if (!table->levels && i < table->rows)
            cells[i * table->cpus + cpu].count = row->on_cpu[cpu];
    }
}

static void intrstat_cpus_put_times(struct table *table, const struct interrupt_list *lines,
                                    unsigned cpu)
{
    struct cell *cells = table->now.cells;
    uint64_t times[IPL_COUNT];

    interrupt_level_times(cpu, times);
    for (unsigned row = 0; row < table->rows; row++)
        cells[row * table->cpus + cpu].ns = table->levels
                                                ? times[row + IPL_SOFTCLOCK]
                                                : interrupt_line_time(lines->rows[row].line, cpu);
}

/* Reads everything; printing comes later. Lines never go, so the list is at least as long as the
 * table. */
static int intrstat_cpus_take(struct table *table)
{
    struct interrupt_list lines;

    if (interrupt_list_take(&lines, "intrstat") != 0)
        return 1;
    memset(table->now.cells, 0, sizeof(struct cell) * table->rows * table->cpus);
    for (unsigned cpu = 0; cpu < table->cpus; cpu++) {
        intrstat_cpus_put_counts(table, &lines, cpu);
        intrstat_cpus_put_times(table, &lines, cpu);
    }
    table->now.time = clock_now();
    interrupt_list_free(&lines);
    return 0;
}

static bool intrstat_cpus_has_come(const struct table *table, unsigned row)
{
    for (unsigned cpu = 0; cpu < table->cpus; cpu++) {
        if (table->now.cells[row * table->cpus + cpu].count != 0)
            return true;
    }
    return table->levels;
}

static void intrstat_cpus_print_row(const struct table *table, unsigned row, const char *name,
                                    unsigned first, unsigned end)
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

static void intrstat_cpus_print_heading(const struct table *table, unsigned first, unsigned end)
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

static void intrstat_cpus_print_part(const struct table *table, unsigned first, unsigned end)
{
    static const char *const levels[IPL_SCHED] = {"softclock",  "softbio", "softnet",
                                                  "softserial", "vm",      "sched"};
    struct interrupt_line *line = NULL;
    char name[64];

    intrstat_cpus_print_heading(table, first, end);
    for (unsigned row = 0; row < table->rows && !shell_interrupted(); row++) {
        if (table->levels) {
            format(name, sizeof(name), "%u %s", row + IPL_SOFTCLOCK, levels[row]);
        } else {
            line = interrupt_line_next(line);
            format(name, sizeof(name), "%s %s", line->count.ev_group, line->count.ev_name);
        }
        if (intrstat_cpus_has_come(table, row))
            intrstat_cpus_print_row(table, row, name, first, end);
    }
}

static void intrstat_cpus_print(const struct table *table)
{
    for (unsigned first = 0; first < table->cpus; first += CPUS_A_ROW)
        intrstat_cpus_print_part(
            table, first, first + CPUS_A_ROW < table->cpus ? first + CPUS_A_ROW : table->cpus);
}

static int intrstat_cpus_repeat(struct table *table, uint64_t interval, uint64_t count)
{
    uint64_t next = clock_now();

    if (interval != 0) { /* the first report is of the first interval */
        if (intrstat_cpus_take(table) != 0)
            return 1;
        count += count != 0;
    }
    for (uint64_t report = interval != 0 ? 2 : 1;; report++) {
        struct moment before = table->now;

        next = clock_after(next, interval);
        if (interval != 0 && !shell_sleep_until(next))
            return STATUS_INTERRUPTED;
        table->now = table->before;
        table->before = before;
        if (intrstat_cpus_take(table) != 0)
            return 1;
        intrstat_cpus_print(table);
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
        status = intrstat_cpus_repeat(&table, interval, count);
    kmem_free(table.now.cells);
    kmem_free(table.before.cells);
    return status;
}
