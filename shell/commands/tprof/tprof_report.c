/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports of profiles: see tprof_report.h. */
#include "shell/commands/tprof/tprof_report.h"

#include "kernel/memory/kmem.h"
#include "kernel/pmc/pmc_profile.h"
#include "kernel/base/symbol.h"
#include "lib/errno.h"
#include "lib/sort.h"
#include "shell/output.h"
#include "shell/commands/shared/share.h"

#define PLACES 512

/* Samples of a function. */
struct row {
    struct hash_link link;
    uintptr_t function;
    uint64_t count;
    unsigned event, cpu;
    bool user;
};

struct table {
    struct row *rows;
    size_t count, room;
    uint64_t totals[PMC_SAMPLE_EVENTS];
    struct hash_table places;
    struct hash_link *buckets[PLACES];
};

static bool tprof_report_count_stack(void *argument, const struct pmc_stack *stack)
{
    (void)stack;
    ++*(size_t *)argument;
    return true;
}

static bool tprof_report_is_of(const struct row *row, const struct pmc_stack *stack)
{
    return row->function == stack->at[0] && row->event == stack->event && row->cpu == stack->cpu &&
           row->user == stack->user;
}

static bool tprof_report_add_stack(void *argument, const struct pmc_stack *stack)
{
    struct table *table = argument;
    uint32_t hash = hash_end(stack->at[0]);
    struct hash_link *link = hash_table_first(&table->places, hash);
    struct row *row;

    while (link != NULL && !tprof_report_is_of(HASH_ENTRY(link, struct row, link), stack))
        link = hash_table_next(link);
    row = HASH_ENTRY_OR_NULL(link, struct row, link);
    if (row == NULL) {
        if (table->count == table->room) /* stacks that came since they were counted: next time */
            return false;
        row = &table->rows[table->count++];
        *row = (struct row){.function = stack->at[0],
                            .event = stack->event,
                            .cpu = stack->cpu,
                            .user = stack->user};
        hash_table_insert(&table->places, &row->link, hash);
    }
    row->count += stack->count;
    table->totals[stack->event] += stack->count;
    return true;
}

static int tprof_report_by_count(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    if (a->event != b->event)
        return a->event < b->event ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

static void tprof_report_put_function(struct shell_gather *gather, uintptr_t address)
{
    uintptr_t offset;
    const char *name = symbol_find(address, &offset);

    if (name != NULL)
        shell_gather_printf(gather, "%s", name);
    else if (address == PMC_STACK_UNKNOWN)
        shell_gather_printf(gather, "[unknown]");
    else if (address == PMC_STACK_INTERRUPT)
        shell_gather_printf(gather, "[interrupt]");
    else if (address == PMC_STACK_CUT)
        shell_gather_printf(gather, "[cut]");
    else
        shell_gather_printf(gather, "0x%lx", (unsigned long)address);
}

static void tprof_report_print_heading(struct shell_gather *gather,
                                       const struct pmu_event_request *event, uint64_t samples,
                                       bool cpus)
{
    shell_gather_printf(gather, "Number of samples: %llu - %s, period %llu\n\n",
                        (unsigned long long)samples, event->text,
                        (unsigned long long)event->period);
    shell_gather_printf(gather, "percentage  nsamples  u/k  %ssymbol\n", cpus ? "cpu  " : "");
    shell_gather_printf(gather, "----------  --------  ---  %s------\n", cpus ? "---  " : "");
}

/* One line in the place of the table. */
static void tprof_report_print_none(struct shell_gather *gather,
                                    const struct pmu_event_request *event)
{
    bool user = event->modes != 0 && !(event->modes & (PMC_MODE_K | PMC_MODE_EXL));

    shell_gather_printf(gather, "Number of samples: 0 - %s, period %llu%s\n\n", event->text,
                        (unsigned long long)event->period,
                        user ? " (commands run in kernel mode)" : "");
}

static void tprof_report_print_rows(const struct pmc_events *events, const struct table *table,
                                    const struct row **rows, bool cpus, unsigned limit)
{
    struct shell_gather gather = {.used = 0};
    size_t at = 0;

    for (unsigned e = 0; e < events->count && !shell_interrupted(); e++) {
        if (table->totals[e] == 0) {
            tprof_report_print_none(&gather, &events->list[e]);
            continue;
        }
        tprof_report_print_heading(&gather, &events->list[e], table->totals[e], cpus);
        for (unsigned n = 0; at < table->count && rows[at]->event == e; at++, n++) {
            uint64_t share = share_of(rows[at]->count, table->totals[e], 10000);

            if (limit != 0 && n >= limit)
                continue;
            shell_gather_printf(&gather, "%7llu.%02llu%%  %8llu  %3s  ",
                                (unsigned long long)(share / 100),
                                (unsigned long long)(share % 100),
                                (unsigned long long)rows[at]->count, rows[at]->user ? "u" : "k");
            if (cpus)
                shell_gather_printf(&gather, "%3u  ", rows[at]->cpu);
            tprof_report_put_function(&gather, rows[at]->function);
            shell_gather_printf(&gather, "\n");
        }
        shell_gather_printf(&gather, "\n");
    }
    shell_gather_flush(&gather);
}

int tprof_report_functions(const struct pmc_events *events, bool cpus, unsigned limit, bool clear)
{
    struct table *table = kmem_zalloc(sizeof *table);
    const struct row **sorted = NULL;
    int error = -ENOMEM;

    if (table == NULL)
        return error;
    hash_table_init(&table->places, table->buckets, PLACES);
    pmc_profile_visit(tprof_report_count_stack, &table->room, false);
    table->rows = kmem_alloc((table->room + 1) * sizeof *table->rows);
    sorted = kmem_alloc((table->room + 1) * sizeof *sorted);
    if (table->rows != NULL && sorted != NULL) {
        pmc_profile_visit(tprof_report_add_stack, table, clear);
        for (size_t i = 0; i < table->count; i++)
            sorted[i] = &table->rows[i];
        sort_pointers((const void **)sorted, table->count, tprof_report_by_count);
        tprof_report_print_rows(events, table, sorted, cpus, limit);
        error = 0;
    }
    kmem_free(sorted);
    kmem_free(table->rows);
    kmem_free(table);
    return error;
}

struct stack_printer {
    const struct pmc_events *events;
    bool cpus;
    struct shell_gather gather;
};

static bool tprof_report_print_stack(void *argument, const struct pmc_stack *stack)
{
    struct stack_printer *printer = argument;

    if (shell_interrupted())
        return false;
    if (printer->events->count > 1)
        shell_gather_printf(&printer->gather, "%s;", printer->events->list[stack->event].text);
    if (printer->cpus)
        shell_gather_printf(&printer->gather, "cpu%u;", stack->cpu);
    for (unsigned i = stack->depth; i-- > 0;) {
        tprof_report_put_function(&printer->gather, stack->at[i]);
        shell_gather_printf(&printer->gather, i > 0 ? ";" : "");
    }
    shell_gather_printf(&printer->gather, " %llu\n", (unsigned long long)stack->count);
    return true;
}

void tprof_report_stacks(const struct pmc_events *events, bool cpus)
{
    struct stack_printer printer = {.events = events, .cpus = cpus, .gather = {.used = 0}};

    shell_gather_printf(&printer.gather, "stacks:\n");
    pmc_profile_visit(tprof_report_print_stack, &printer, false);
    shell_gather_flush(&printer.gather);
}

void tprof_report_statistics(void)
{
    struct pmc_profile_counts counts;

    pmc_profile_counts_get(&counts);
    shell_printf("tprof statistics:\n"
                 "\tsample %llu\n\toverflow %llu\n\tbuf %llu\n\temptybuf %llu\n\tdropbuf %llu\n"
                 "\tdropbuf_sample %llu\n\tlost %llu\n\town %llu\n",
                 (unsigned long long)counts.samples.sample,
                 (unsigned long long)counts.samples.overflow, (unsigned long long)counts.buf,
                 (unsigned long long)counts.emptybuf, (unsigned long long)counts.dropbuf,
                 (unsigned long long)counts.dropbuf_sample, (unsigned long long)counts.samples.lost,
                 (unsigned long long)counts.own);
}
