/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists of `pmc list`, `pmc -h` and `tprof list`: see pmc_list.h. */
#include "shell/commands/pmc/pmc_list.h"

#include <stddef.h>
#include "lib/format.h"
#include "lib/string.h"
#include "shell/output.h"
#include "shell/screen.h"
#include "stats/read/pmu_event_name.h"

#define NUMBER_BYTES   16
#define COUNTERS_BYTES 32

/* Where names and descriptions begin; lines go on there. */
#define NAME_COLUMN        35
#define DESCRIPTION_COLUMN 57
#define ROW                "  %-7s %-8s %-15s %-21s "

/* "0,1", or "0-3" */
static void pmc_list_format_counters(char *text, size_t size, uint32_t mask, int base)
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned n = 0; n < 32 && used < size; n++) {
        unsigned last = n;

        if (!(mask >> n & 1))
            continue;
        while (last < 31 && mask >> (last + 1) & 1)
            last++;
        used += format(text + used, size - used, "%s%d", used ? "," : "", base + (int)n);
        if (last > n && used < size)
            used +=
                format(text + used, size - used, last > n + 1 ? "-%d" : ",%d", base + (int)last);
        n = last;
    }
}

static void pmc_list_print_class(const struct pmu_class *class, int base)
{
    static const char letters[] = {'e', 'k', 's', 'u'};
    char modes[sizeof letters + 1];
    unsigned used = 0;

    for (unsigned bit = sizeof letters; bit-- > 0;)
        if (class->modes >> bit & 1)
            modes[used++] = letters[bit];
    modes[used] = '\0';
    shell_printf("%s: counters %d-%d of %u bits, modes %s, %s\n", class->name, base,
                 base + (int)class->counters - 1, class->width, used ? modes : "all in one",
                 !(class->capabilities & PMU_CAN_INTERRUPT) ? "no sampling"
                 : class->capabilities & PMU_EXACT_PC       ? "sampling with the exact place"
                                                            : "sampling with skid");
}

/* The numbers of a class are all written in one way: in hexadecimal if any of them has more than a
 * byte, as Intel's manual has them. */
static const char *pmc_list_number_format(const struct pmu_class *class)
{
    for (unsigned e = 0; e < class->event_count; e++)
        if (class->events[e].code > 255)
            return "0x%x";
    return "%u";
}

/* Prints words of TEXT from USED on, which is COLUMN or behind it; lines that are full go on at
 * COLUMN. Returns the column behind. */
static size_t pmc_list_put_folded(const char *text, size_t used, size_t column)
{
    while (*text != '\0') {
        const char *end = strchr(text, ' ');
        size_t length = end != NULL ? (size_t)(end - text) : strlen(text);

        if (used > column && used + 1 + length > screen_columns()) {
            shell_printf("\n%*s", (int)column, "");
            used = column;
        } else if (used > column) {
            shell_printf(" ");
            used++;
        }
        shell_printf("%.*s", (int)length, text);
        used += length;
        text += length + (end != NULL);
    }
    return used;
}

/* What else the event is called, under its name. */
static void pmc_list_put_aliases(const char *name)
{
    const char *alias, *next = pmu_event_alias(name, 0);
    char word[COUNTERS_BYTES];
    size_t used = NAME_COLUMN + 4;

    if (next != NULL)
        shell_printf("%*salso", NAME_COLUMN, "");
    for (unsigned i = 1; (alias = next) != NULL; i++) {
        next = pmu_event_alias(name, i);
        format(word, sizeof word, next != NULL ? "%s," : "%s", alias);
        used = pmc_list_put_folded(word, used, NAME_COLUMN);
    }
    if (used > NAME_COLUMN + 4)
        shell_printf("\n");
}

static void pmc_list_put_row(const char *number, const char *counters, const char *source,
                             const char *name, const char *description)
{
    shell_printf(ROW, number, counters, source, name);
    pmc_list_put_folded(description, DESCRIPTION_COLUMN, DESCRIPTION_COLUMN);
    shell_printf("\n");
    pmc_list_put_aliases(name);
}

static void pmc_list_print_event(const struct pmu_event *event, int base, const char *as)
{
    char number[NUMBER_BYTES], counters[COUNTERS_BYTES];

    format(number, sizeof number, as, event->code);
    pmc_list_format_counters(counters, sizeof counters, event->counters, base);
    pmc_list_put_row(number, counters, pmu_event_source(event), event->name, event->description);
}

/* What threads know of themselves; SAMPLED: what the clock itself can do. */
static void pmc_list_print_others(bool sampled)
{
    if (sampled) {
        shell_printf("the clock: any period in ns\n");
        pmc_list_put_row("-", "-", "exact", "cpu-clock", "time, asleep or not");
        return;
    }
    shell_printf("threads: modes all in one, no sampling but of cpu-clock\n");
    pmc_list_put_row("-", "-", "exact", "task-clock", "CPU time of the threads");
    pmc_list_put_row("-", "-", "exact", "cpu-clock", "the same; see tprof list");
    pmc_list_put_row("-", "-", "exact", "cpu-migrations", "continued on another CPU");
}

void pmc_list_print(bool sampled)
{
    const struct pmu_class *class = pmu_class_at(0, NULL);
    int base;

    if (class == NULL || class->capabilities & PMU_VIRTUAL)
        shell_printf("no hardware PMU\n");
    pmc_list_put_row("number", "counters", "source", "name", "description");
    for (unsigned c = 0; (class = pmu_class_at(c, &base)) != NULL && !shell_interrupted(); c++) {
        if (sampled && !(class->capabilities & PMU_CAN_INTERRUPT))
            continue;
        pmc_list_print_class(class, base);
        for (unsigned e = 0; e < class->event_count; e++)
            if (!sampled || class->events[e].supported)
                pmc_list_print_event(&class->events[e], base, pmc_list_number_format(class));
    }
    pmc_list_print_others(sampled);
}

/* Whether one of the class's events before this one has its name. */
static bool pmc_list_is_listed(const struct pmu_class *class, unsigned event)
{
    for (unsigned e = 0; e < event; e++)
        if (class->events[e].supported &&
            strcmp(class->events[e].name, class->events[event].name) == 0)
            return true;
    return false;
}

static void pmc_list_put_name(const char *name, unsigned *column)
{
    shell_printf("%s%-37s%s", *column % 2 ? " " : "    ", name, *column % 2 ? "\n" : "");
    ++*column;
}

void pmc_list_names(void)
{
    static const char *const others[] = {"task-clock", "cpu-clock", "cpu-migrations"};
    const struct pmu_class *class;
    unsigned column = 0;

    shell_printf("Supported performance counter events:\n");
    for (unsigned c = 0; (class = pmu_class_at(c, NULL)) != NULL; c++) {
        for (unsigned e = 0; e < class->event_count; e++) {
            const struct pmu_event *event = &class->events[e];

            if (!event->supported || pmc_list_is_listed(class, e))
                continue;
            pmc_list_put_name(event->name, &column);
        }
    }
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        pmc_list_put_name(others[i], &column);
    if (column % 2)
        shell_printf("\n");
}
