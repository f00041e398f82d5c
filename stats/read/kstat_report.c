/* SPDX-License-Identifier: BSD-2-Clause */
/* kstat_report: see kstat_report.h. What a statistic looks like is in stats/read/kstat_text.h. */
#include "stats/read/kstat_report.h"

#include "lib/errno.h"
#include "lib/sort.h"
#include "lib/string.h"
#include "stats/port.h"
#include "stats/read/kstat_json.h"
#include "stats/read/kstat_raw.h"
#include "stats/read/kstat_text.h"

#define LINE_BYTES 512

/* One report while it is printed. */
struct run {
    const struct kstat_report *report;
    const void **chosen; /* kstat_t, sorted, with data */
    size_t chosen_count, chosen_size;
    struct text_row row;
    struct kstat_json json;
    bool found;
};

/* The statistics of one kstat, sorted. */
struct statistics {
    struct kstat_statistic *all;
    const void **sorted;
    size_t count;
};

static int kstat_report_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : (unsigned char)c;
}

/* By letters whatever their case; what is then equal by bytes. */
static int kstat_report_compare_names(const char *a, const char *b)
{
    size_t i = 0;

    while (a[i] != '\0' && kstat_report_lower(a[i]) == kstat_report_lower(b[i]))
        i++;
    return kstat_report_lower(a[i]) != kstat_report_lower(b[i])
               ? kstat_report_lower(a[i]) - kstat_report_lower(b[i])
               : strcmp(a, b);
}

static int kstat_report_compare_kstats(const void *left, const void *right)
{
    const kstat_t *a = left, *b = right;
    int order = kstat_report_compare_names(a->ks_module, b->ks_module);

    if (order == 0 && a->ks_instance != b->ks_instance)
        order = a->ks_instance < b->ks_instance ? -1 : 1;
    return order != 0 ? order : kstat_report_compare_names(a->ks_name, b->ks_name);
}

static int kstat_report_compare_statistics(const void *left, const void *right)
{
    const struct kstat_statistic *a = left, *b = right;

    return kstat_report_compare_names(a->name, b->name);
}

static bool kstat_report_is_interrupted(const struct run *run)
{
    return run->report->interrupted != NULL && run->report->interrupted();
}

/* Those of the framework are not shown, nor what is raw and unknown. */
static bool kstat_report_is_shown(const kstat_t *ksp)
{
    return strncmp(ksp->ks_name, "kstat_", 6) != 0 &&
           (ksp->ks_type != KSTAT_TYPE_RAW || kstat_raw_is_known(ksp));
}

static bool kstat_report_matches(const struct kstat_pattern *pattern, const kstat_t *ksp)
{
    return kstat_pattern_match(pattern, ksp->ks_module, ksp->ks_instance, ksp->ks_name);
}

static bool kstat_report_is_chosen(const struct kstat_report *report, const kstat_t *ksp)
{
    if (!kstat_report_is_shown(ksp) ||
        (report->class != NULL &&
         !kstat_pattern_match_part(report->class, KSTAT_PATTERN_STATISTIC, ksp->ks_class)))
        return false;
    for (size_t i = 0; i < report->pattern_count; i++) {
        if (kstat_report_matches(&report->pattern[i], ksp))
            return true;
    }
    return false;
}

/* The youngest first: so a line behind another one is read before that one. What cannot be read,
 * perhaps because it has just gone, is left out. */
static void kstat_report_read_chosen(struct run *run, kstat_ctl_t *kc)
{
    size_t count = run->chosen_count;

    for (size_t i = count; i-- > 0;) {
        kstat_t *ksp = (kstat_t *)(uintptr_t)run->chosen[i];

        if (kstat_report_is_interrupted(run) || kstat_read(kc, ksp, NULL) == -1)
            run->chosen[i] = NULL;
    }
    run->chosen_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (run->chosen[i] != NULL)
            run->chosen[run->chosen_count++] = run->chosen[i];
    }
}

/* Reads what is chosen, before any of it is printed. */
static int kstat_report_choose(struct run *run, kstat_ctl_t *kc)
{
    size_t count = 0;

    for (kstat_t *ksp = kc->kc_chain; ksp != NULL; ksp = ksp->ks_next)
        count++;
    run->chosen_size = (count + 1) * sizeof(run->chosen[0]);
    run->chosen = stats_port_alloc(run->chosen_size);
    if (run->chosen == NULL)
        return -ENOMEM;
    for (kstat_t *ksp = kc->kc_chain; ksp != NULL; ksp = ksp->ks_next) {
        if (kstat_report_is_chosen(run->report, ksp))
            run->chosen[run->chosen_count++] = ksp;
    }
    kstat_report_read_chosen(run, kc);
    sort_pointers(run->chosen, run->chosen_count, kstat_report_compare_kstats);
    return 0;
}

static void kstat_report_free_statistics(const struct statistics *statistics)
{
    if (statistics->all != NULL)
        stats_port_free(statistics->all, (statistics->count + 1) * sizeof(statistics->all[0]));
    if (statistics->sorted != NULL)
        stats_port_free(statistics->sorted,
                        (statistics->count + 1) * sizeof(statistics->sorted[0]));
}

static int kstat_report_take_statistics(struct statistics *statistics, const kstat_t *ksp)
{
    struct kstat_statistic one;
    size_t count = 0;

    while (kstat_statistic_get(ksp, (unsigned)count, &one))
        count++;
    statistics->count = count;
    statistics->all = stats_port_alloc((count + 1) * sizeof(statistics->all[0]));
    statistics->sorted = stats_port_alloc((count + 1) * sizeof(statistics->sorted[0]));
    if (statistics->all == NULL || statistics->sorted == NULL) {
        kstat_report_free_statistics(statistics);
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        kstat_statistic_get(ksp, (unsigned)i, &statistics->all[i]);
        statistics->sorted[i] = &statistics->all[i];
    }
    sort_pointers(statistics->sorted, count, kstat_report_compare_statistics);
    return 0;
}

/* A text in full, however long it is, and a newline. */
static int kstat_report_print_line(const struct run *run, const kstat_t *ksp,
                                   const struct kstat_statistic *statistic)
{
    unsigned flags = run->report->line_flags;
    char line[LINE_BYTES], *text = line;
    size_t length = kstat_text_line(line, sizeof(line) - 1, ksp, statistic, flags);

    if (length >= sizeof(line) - 1) {
        text = stats_port_alloc(length + 2);
        if (text == NULL)
            return -ENOMEM;
        kstat_text_line(text, length + 1, ksp, statistic, flags);
    }
    text[length] = '\n';
    run->report->put(run->report->arg, text, length + 1);
    if (text != line)
        stats_port_free(text, length + 2);
    return 0;
}

static int kstat_report_print_row(struct run *run, const struct kstat_statistic *statistic)
{
    char name[4 * KSTAT_STATISTIC_NAME], line[LINE_BYTES], *text = line;
    size_t length = kstat_text_value(line, sizeof(line), statistic);

    if (length >= sizeof(line)) {
        text = stats_port_alloc(length + 1);
        if (text == NULL)
            return -ENOMEM;
        kstat_text_value(text, length + 1, statistic);
    }
    kstat_text_escape_name(name, sizeof(name), statistic->name, strlen(statistic->name));
    text_row_text(&run->row, "\t");
    text_row_left(&run->row, name, 30, sizeof(name));
    text_row_text(&run->row, "  ");
    text_row_part(&run->row, text, length);
    text_row_end(&run->row, run->report->put, run->report->arg);
    if (text != line)
        stats_port_free(text, length + 1);
    return 0;
}

static void kstat_report_print_heading(struct run *run, const kstat_t *ksp)
{
    struct kstat_statistic instance = {.kind = KSTAT_VALUE_SIGNED, .value.i = ksp->ks_instance};
    char name[4 * KSTAT_STRLEN], number[16];
    struct text_row *row = &run->row;

    kstat_text_value(number, sizeof(number), &instance);
    kstat_text_escape_name(name, sizeof(name), ksp->ks_module, strlen(ksp->ks_module));
    text_row_text(row, "module: ");
    text_row_left(row, name, 30, sizeof(name));
    text_row_text(row, "  instance: ");
    text_row_left(row, number, 6, sizeof(number));
    text_row_end(row, run->report->put, run->report->arg);
    kstat_text_escape_name(name, sizeof(name), ksp->ks_name, strlen(ksp->ks_name));
    text_row_text(row, "name:   ");
    text_row_left(row, name, 30, sizeof(name));
    kstat_text_escape_name(name, sizeof(name), ksp->ks_class, strlen(ksp->ks_class));
    text_row_text(row, "  class:    ");
    text_row_text(row, name);
    text_row_end(row, run->report->put, run->report->arg);
}

/* One statistic of a kstat of which PRINTED have been printed. */
static int kstat_report_print_statistic(struct run *run, const kstat_t *ksp,
                                        const struct kstat_statistic *statistic, bool first)
{
    switch (run->report->form) {
    case KSTAT_FORM_LINES:
        return kstat_report_print_line(run, ksp, statistic);
    case KSTAT_FORM_BLOCKS:
        if (first)
            kstat_report_print_heading(run, ksp);
        return kstat_report_print_row(run, statistic);
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
static bool kstat_report_is_row(const struct run *run, const struct kstat_statistic *statistic)
{
    return run->report->form == KSTAT_FORM_LINES || run->report->form == KSTAT_FORM_QUIET ||
           strcmp(statistic->name, "class") != 0 || statistic->kind != KSTAT_VALUE_TEXT;
}

static int kstat_report_print_kstat(struct run *run, const struct kstat_pattern *pattern,
                                    const kstat_t *ksp)
{
    struct statistics statistics;
    bool first = true;
    int error = kstat_report_take_statistics(&statistics, ksp);

    if (error != 0)
        return error;
    for (size_t i = 0; error == 0 && i < statistics.count; i++) {
        const struct kstat_statistic *statistic = statistics.sorted[i];

        if (!kstat_report_is_row(run, statistic) ||
            !kstat_pattern_match_part(pattern, KSTAT_PATTERN_STATISTIC, statistic->name))
            continue;
        error = kstat_report_print_statistic(run, ksp, statistic, first);
        first = false;
        run->found = true;
    }
    if (!first && run->report->form == KSTAT_FORM_BLOCKS)
        text_row_end(&run->row, run->report->put, run->report->arg);
    if (!first && run->report->form == KSTAT_FORM_JSON)
        kstat_json_end_kstat(&run->json);
    kstat_report_free_statistics(&statistics);
    return error;
}

int kstat_report_print(const struct kstat_report *report, kstat_ctl_t *kc)
{
    struct run run = {.report = report,
                      .row = {.put = report->put, .arg = report->arg},
                      .json.row = {.put = report->put, .arg = report->arg}};
    int error = kstat_report_choose(&run, kc);

    if (report->form == KSTAT_FORM_JSON)
        kstat_json_begin(&run.json);
    for (size_t i = 0; error == 0 && i < report->pattern_count; i++) {
        for (size_t k = 0; error == 0 && k < run.chosen_count; k++) {
            if (kstat_report_is_interrupted(&run))
                error = -EINTR;
            else if (kstat_report_matches(&report->pattern[i], run.chosen[k]))
                error = kstat_report_print_kstat(&run, &report->pattern[i], run.chosen[k]);
        }
    }
    if (report->form == KSTAT_FORM_JSON)
        kstat_json_end(&run.json);
    if (run.chosen != NULL)
        stats_port_free(run.chosen, run.chosen_size);
    return error != 0 ? error : !run.found;
}
