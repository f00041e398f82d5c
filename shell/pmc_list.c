/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists of `pmc list`, `pmc -h` and `tprof list`: see pmc_list.h. */
#include "shell/pmc_list.h"

#include <stddef.h>
#include "lib/format.h"
#include "lib/string.h"
#include "shell/output.h"
#include "stats/pmu_event_name.h"

#define NUMBER_BYTES   16
#define COUNTERS_BYTES 32

/* "0,1", or "0-3" */
static void format_counters(char *text, size_t size, uint32_t mask, int base)
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

static void print_class(const struct pmu_class *class, int base)
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
static const char *number_format(const struct pmu_class *class)
{
    for (unsigned e = 0; e < class->event_count; e++)
        if (class->events[e].code > 255)
            return "0x%x";
    return "%u";
}

static void print_event(const struct pmu_event *event, int base, const char *as)
{
    char number[NUMBER_BYTES], counters[COUNTERS_BYTES];
    const char *alias;

    format(number, sizeof number, as, event->code);
    format_counters(counters, sizeof counters, event->counters, base);
    shell_printf("  %-8s %-8s %-15s %-24s %s", number, counters, pmu_event_source(event),
                 event->name, event->description);
    for (unsigned i = 0; (alias = pmu_event_alias(event->name, i)) != NULL; i++)
        shell_printf("%s%s", i == 0 ? " (also " : ", ", alias);
    shell_printf("%s\n", pmu_event_alias(event->name, 0) ? ")" : "");
}

void pmc_list_print(bool sampled)
{
    const struct pmu_class *class = pmu_class_at(0, NULL);
    int base;

    if (class == NULL || class->capabilities & PMU_VIRTUAL)
        shell_printf("no hardware PMU\n");
    shell_printf("  %-8s %-8s %-15s %-24s %s\n", "number", "counters", "source", "name",
                 "description");
    for (unsigned c = 0; (class = pmu_class_at(c, &base)) != NULL && !shell_interrupted(); c++) {
        if (sampled && !(class->capabilities & PMU_CAN_INTERRUPT))
            continue;
        print_class(class, base);
        for (unsigned e = 0; e < class->event_count; e++)
            if (!sampled || class->events[e].supported)
                print_event(&class->events[e], base, number_format(class));
    }
    if (sampled)
        shell_printf("the clock: any period in ns\n  %-8s %-8s %-15s %-24s %s\n", "-", "-", "exact",
                     "cpu-clock", "time, asleep or not");
    else
        shell_printf("threads: modes all in one, no sampling\n"
                     "  %-8s %-8s %-15s %-24s %s\n  %-8s %-8s %-15s %-24s %s\n",
                     "-", "-", "exact", "task-clock", "CPU time of the threads", "-", "-", "exact",
                     "cpu-migrations", "continued on another CPU (also migrations)");
}

/* Whether one of the class's events before this one has its name. */
static bool is_listed(const struct pmu_class *class, unsigned event)
{
    for (unsigned e = 0; e < event; e++)
        if (class->events[e].supported &&
            strcmp(class->events[e].name, class->events[event].name) == 0)
            return true;
    return false;
}

void pmc_list_names(void)
{
    const struct pmu_class *class;
    unsigned column = 0;

    shell_printf("Supported performance counter events:\n");
    for (unsigned c = 0; (class = pmu_class_at(c, NULL)) != NULL; c++) {
        for (unsigned e = 0; e < class->event_count; e++) {
            const struct pmu_event *event = &class->events[e];

            if (!event->supported || is_listed(class, e))
                continue;
            shell_printf("%s%-37s", column % 2 ? " " : "    ", event->name);
            if (++column % 2 == 0)
                shell_printf("\n");
        }
    }
    if (column % 2)
        shell_printf("\n");
}
