/* SPDX-License-Identifier: BSD-2-Clause */
/* See cost.h. */
#include "user/perfex/cost.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "user/perfex/event.h"

#define LINE  256
#define WORDS 5 /* one more than a line has */
#define BLANK " \t\r\n"

static int cost_words(char *line, char *words[WORDS])
{
    int count = 0;
    char *left, *word;

    line[strcspn(line, "#")] = '\0';
    for (word = strtok_r(line, BLANK, &left); word && count < WORDS;
         word = strtok_r(NULL, BLANK, &left))
        words[count++] = word;
    return count;
}

static bool cost_number(const char *text, double *number)
{
    char *end;

    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number) && *number >= 0;
}

static const char *cost_clock(struct cost_table *table, char *words[WORDS], int count)
{
    if (count != 2 || !cost_number(words[1], &table->mhz) || table->mhz == 0)
        return "not `clock MHZ'";
    return NULL;
}

static const char *cost_event(struct cost_table *table, char *words[WORDS], int count)
{
    struct cost cost = {.known = true};
    int event = perfex_event_find(words[0]);

    if (event < 0)
        return "no such event";
    if (count != 4 || !cost_number(words[1], &cost.typical) ||
        !cost_number(words[2], &cost.minimum) || !cost_number(words[3], &cost.maximum))
        return "not `EVENT TYPICAL MINIMUM MAXIMUM'";
    if (cost.minimum > cost.typical || cost.typical > cost.maximum)
        return "the typical cost is not between the others";
    table->of[event] = cost;
    return NULL;
}

/* What is wrong with LINE, or NULL. */
static const char *cost_line(struct cost_table *table, char *line)
{
    char *words[WORDS];
    int count = cost_words(line, words);

    if (count == 0)
        return NULL;
    if (strcmp(words[0], "clock") == 0)
        return cost_clock(table, words, count);
    return cost_event(table, words, count);
}

static bool cost_complain(const char *path, unsigned number, const char *wrong)
{
    if (number)
        fprintf(stderr, "%s:%u: %s\n", path, number, wrong);
    else
        fprintf(stderr, "%s: %s\n", path, wrong);
    return false;
}

bool perfex_costs_load(struct cost_table *table, const char *path)
{
    FILE *file = fopen(path, "r");
    const char *wrong = NULL;
    unsigned number = 0;
    char line[LINE];

    *table = (struct cost_table){.mhz = 0};
    if (!file)
        return cost_complain(path, 0, strerror(errno));
    while (!wrong && fgets(line, sizeof line, file)) {
        number++;
        wrong = cost_line(table, line);
    }
    fclose(file);
    if (wrong)
        return cost_complain(path, number, wrong);
    return table->mhz > 0 || cost_complain(path, 0, "no `clock MHZ'");
}

void perfex_costs_print(const struct cost_table *table, FILE *out)
{
    fprintf(out, "clock %.10g # MHz\n", table->mhz);
    fprintf(out, "#event typical minimum maximum\n");
    for (int i = 0; i < HWPERF_EVENTMAX; i++)
        if (table->of[i].known)
            fprintf(out, "%-6d %7.10g %7.10g %7.10g # %s\n", i, table->of[i].typical,
                    table->of[i].minimum, table->of[i].maximum, perfex_event_name(i));
}

double perfex_costs_seconds(const struct cost_table *table, double count, double clocks)
{
    return count * clocks / (table->mhz * 1e6);
}
