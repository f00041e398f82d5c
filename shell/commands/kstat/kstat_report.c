/* SPDX-License-Identifier: BSD-2-Clause */
/* kstat_report: see kstat_report.h. What a statistic looks like is in stats/read/kstat_text.h. */
#include "shell/commands/kstat/kstat_report.h"

#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/sort.h"
#include "lib/string.h"
#include "shell/commands/kstat/kstat_json.h"
#include "shell/output.h"
#include "stats/read/kstat_text.h"

#define LINE_BYTES 512

/* One report while it is printed. */
struct run {
    const struct kstat_report *report;
    const void **chosen; /* kstat_t, sorted, with data */
    size_t chosen_count;
    struct kstat_json json;
    bool found;
};

/* The statistics of one kstat, sorted. */
struct statistics {
    struct kstat_statistic *all;
    const void **sorted;
    size_t count;
};

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : (unsigned char)c;
}

/* By letters whatever their case; what is then equal by bytes. */
static int compare_names(const char *a, const char *b)
{
    size_t i = 0;

    while (a[i] != '\0' && lower(a[i]) == lower(b[i]))
        i++;
    return lower(a[i]) != lower(b[i]) ? lower(a[i]) - lower(b[i]) : strcmp(a, b);
}

static int compare_kstats(const void *left, const void *right)
{
    const kstat_t *a = left, *b = right;
    int order = compare_names(a->ks_module, b->ks_module);

    if (order == 0 && a->ks_instance != b->ks_instance)
        order = a->ks_instance < b->ks_instance ? -1 : 1;
    return order != 0 ? order : compare_names(a->ks_name, b->ks_name);
}

static int compare_statistics(const void *left, const void *right)
{
    const struct kstat_statistic *a = left, *b = right;

    return compare_names(a->name, b->name);
}

/* Those of the framework are not shown, nor what is raw. */
static bool is_shown(const kstat_t *ksp)
{
    return strncmp(ksp->ks_name, "kstat_", 6) != 0 && ksp->ks_type != KSTAT_TYPE_RAW;
}

static bool matches(const struct kstat_pattern *pattern, const kstat_t *ksp)
{
    return kstat_pattern_match(pattern, ksp->ks_module, ksp->ks_instance, ksp->ks_name);
}

static bool is_chosen(const struct kstat_report *report, const kstat_t *ksp)
{
    if (!is_shown(ksp) ||
        (report->class != NULL &&
         !kstat_pattern_match_part(report->class, KSTAT_PATTERN_STATISTIC, ksp->ks_class)))
        return false;
    for (size_t i = 0; i < report->pattern_count; i++) {
        if (matches(&report->pattern[i], ksp))
            return true;
    }
    return false;
}

/* The youngest first: so a line behind another one is read before that one. What cannot be read,
 * perhaps because it has just gone, is left out. */
static void read_chosen(struct run *run, kstat_ctl_t *kc)
{
    size_t count = run->chosen_count;

    for (size_t i = count; i-- > 0;) {
        kstat_t *ksp = (kstat_t *)(uintptr_t)run->chosen[i];

        if (shell_interrupted() || kstat_read(kc, ksp, NULL) == -1)
            run->chosen[i] = NULL;
    }
    run->chosen_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (run->chosen[i] != NULL)
            run->chosen[run->chosen_count++] = run->chosen[i];
    }
}

/* Reads what is chosen, before any of it is printed. */
static int choose(struct run *run, kstat_ctl_t *kc)
{
    size_t count = 0;

    for (kstat_t *ksp = kc->kc_chain; ksp != NULL; ksp = ksp->ks_next)
        count++;
    run->chosen = kmem_alloc((count + 1) * sizeof(run->chosen[0]));
    if (run->chosen == NULL)
        return -ENOMEM;
    for (kstat_t *ksp = kc->kc_chain; ksp != NULL; ksp = ksp->ks_next) {
        if (is_chosen(run->report, ksp))
            run->chosen[run->chosen_count++] = ksp;
    }
    read_chosen(run, kc);
    sort_pointers(run->chosen, run->chosen_count, compare_kstats);
    return 0;
}

static int take_statistics(struct statistics *statistics, const kstat_t *ksp)
{
    struct kstat_statistic one;
    size_t count = 0;

    while (kstat_statistic_get(ksp, (unsigned)count, &one))
        count++;
    statistics->count = count;
    statistics->all = kmem_alloc((count + 1) * sizeof(statistics->all[0]));
    statistics->sorted = kmem_alloc((count + 1) * sizeof(statistics->sorted[0]));
    if (statistics->all == NULL || statistics->sorted == NULL) {
        kmem_free(statistics->all);
        kmem_free(statistics->sorted);
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        kstat_statistic_get(ksp, (unsigned)i, &statistics->all[i]);
        statistics->sorted[i] = &statistics->all[i];
    }
    sort_pointers(statistics->sorted, count, compare_statistics);
    return 0;
}

/* A text in full, however long it is, and a newline. */
static int print_line(const kstat_t *ksp, const struct kstat_statistic *statistic, unsigned flags)
{
    char line[LINE_BYTES], *text = line;
    size_t length = kstat_text_line(line, sizeof(line) - 1, ksp, statistic, flags);

    if (length >= sizeof(line) - 1) {
        text = kmem_alloc(length + 2);
        if (text == NULL)
            return -ENOMEM;
        kstat_text_line(text, length + 1, ksp, statistic, flags);
    }
    text[length] = '\n';
    shell_write(text, length + 1);
    if (text != line)
        kmem_free(text);
    return 0;
}

static int print_row(const struct kstat_statistic *statistic)
{
    char name[4 * KSTAT_STATISTIC_NAME], line[LINE_BYTES], *text = line;
    size_t length = kstat_text_value(line, sizeof(line), statistic);

    if (length >= sizeof(line)) {
        text = kmem_alloc(length + 1);
        if (text == NULL)
            return -ENOMEM;
        kstat_text_value(text, length + 1, statistic);
    }
    kstat_text_escape_name(name, sizeof(name), statistic->name, strlen(statistic->name));
    shell_printf("\t%-30s  %s\n", name, text);
    if (text != line)
        kmem_free(text);
    return 0;
}

static void print_heading(const kstat_t *ksp)
{
    char module[4 * KSTAT_STRLEN], name[4 * KSTAT_STRLEN], class[4 * KSTAT_STRLEN];

    kstat_text_escape_name(module, sizeof(module), ksp->ks_module, strlen(ksp->ks_module));
    kstat_text_escape_name(name, sizeof(name), ksp->ks_name, strlen(ksp->ks_name));
    kstat_text_escape_name(class, sizeof(class), ksp->ks_class, strlen(ksp->ks_class));
    shell_printf("module: %-30s  instance: %-6d\n", module, ksp->ks_instance);
    shell_printf("name:   %-30s  class:    %s\n", name, class);
}

/* One statistic of a kstat of which PRINTED have been printed. */
static int print_statistic(struct run *run, const kstat_t *ksp,
                           const struct kstat_statistic *statistic, bool first)
{
    switch (run->report->form) {
    case KSTAT_FORM_LINES:
        return print_line(ksp, statistic, run->report->line_flags);
    case KSTAT_FORM_BLOCKS:
        if (first)
            print_heading(ksp);
        return print_row(statistic);
    case KSTAT_FORM_JSON:
        if (first)
            kstat_json_begin_kstat(&run->json, ksp);
        kstat_json_statistic(&run->json, statistic);
        return 0;
    case KSTAT_FORM_QUIET:
        break;
    }
    return 0;
}

/* The class is a statistic only where there is no heading to name it. */
static bool is_row(const struct run *run, const struct kstat_statistic *statistic)
{
    return run->report->form == KSTAT_FORM_LINES || run->report->form == KSTAT_FORM_QUIET ||
           strcmp(statistic->name, "class") != 0 || statistic->kind != KSTAT_VALUE_TEXT;
}

static int print_kstat(struct run *run, const struct kstat_pattern *pattern, const kstat_t *ksp)
{
    struct statistics statistics;
    bool first = true;
    int error = take_statistics(&statistics, ksp);

    if (error != 0)
        return error;
    for (size_t i = 0; error == 0 && i < statistics.count; i++) {
        const struct kstat_statistic *statistic = statistics.sorted[i];

        if (!is_row(run, statistic) ||
            !kstat_pattern_match_part(pattern, KSTAT_PATTERN_STATISTIC, statistic->name))
            continue;
        error = print_statistic(run, ksp, statistic, first);
        first = false;
        run->found = true;
    }
    if (!first && run->report->form == KSTAT_FORM_BLOCKS)
        shell_printf("\n");
    if (!first && run->report->form == KSTAT_FORM_JSON)
        kstat_json_end_kstat(&run->json);
    kmem_free(statistics.all);
    kmem_free(statistics.sorted);
    return error;
}

int kstat_report_print(const struct kstat_report *report, kstat_ctl_t *kc)
{
    struct run run = {.report = report};
    int error = choose(&run, kc);

    if (report->form == KSTAT_FORM_JSON)
        kstat_json_begin(&run.json);
    for (size_t i = 0; error == 0 && i < report->pattern_count; i++) {
        for (size_t k = 0; error == 0 && k < run.chosen_count; k++) {
            if (shell_interrupted())
                error = -EINTR;
            else if (matches(&report->pattern[i], run.chosen[k]))
                error = print_kstat(&run, &report->pattern[i], run.chosen[k]);
        }
    }
    if (report->form == KSTAT_FORM_JSON)
        kstat_json_end(&run.json);
    kmem_free(run.chosen);
    return error != 0 ? error : !run.found;
}
