/* SPDX-License-Identifier: BSD-2-Clause */
/* What several counts say together. Each is printed if all that it is made of were counted, and if
 * what it is divided by is not 0. */
#include <math.h>
#include <string.h>
#include "user/perfex/report.h"

#define NAME 60 /* columns */

/* Bytes of a line of the primary data cache and of the secondary one, and of a quadword. */
#define PRIMARY   32
#define SECONDARY 128
#define QUADWORD  16

struct values {
    const struct counts *counts;
    const struct cost_table *costs;
};

/* NAN, which stays one in sums and quotients: not counted. */
static double value_of(const struct values *v, int event)
{
    unsigned long long value;

    return perfex_value(v->counts, event, &value) ? (double)value : NAN;
}

/* What both counters count. */
static double either(const struct values *v, int first, int second)
{
    double value = value_of(v, first);

    return isnan(value) ? value_of(v, second) : value;
}

static double cycles(const struct values *v)
{
    return either(v, 0, 16);
}

static double instructions(const struct values *v)
{
    return either(v, 15, 17);
}

static double accesses(const struct values *v)
{
    return value_of(v, 18) + value_of(v, 19);
}

static double clocks(const struct values *v, int event)
{
    return v->costs->of[event].known ? value_of(v, event) * v->costs->of[event].typical : NAN;
}

static double seconds(const struct values *v)
{
    return perfex_costs_seconds(v->costs, cycles(v), 1);
}

static double instructions_a_cycle(const struct values *v)
{
    return instructions(v) / cycles(v);
}

static double fp_a_cycle(const struct values *v)
{
    return value_of(v, 21) / cycles(v);
}

static double accesses_a_cycle(const struct values *v)
{
    return accesses(v) / cycles(v);
}

static double accesses_an_fp(const struct values *v)
{
    return accesses(v) / value_of(v, 21);
}

static double mispredicted(const struct values *v)
{
    return value_of(v, 24) / value_of(v, 6);
}

static double loads_graduated(const struct values *v)
{
    return value_of(v, 18) / value_of(v, 2);
}

static double stores_graduated(const struct values *v)
{
    return value_of(v, 19) / value_of(v, 3);
}

static double primary_reuse(const struct values *v)
{
    return accesses(v) / value_of(v, 25) - 1;
}

static double secondary_reuse(const struct values *v)
{
    return value_of(v, 25) / value_of(v, 26) - 1;
}

static double primary_hits(const struct values *v)
{
    return 1 - value_of(v, 25) / accesses(v);
}

static double secondary_hits(const struct values *v)
{
    return 1 - value_of(v, 26) / value_of(v, 25);
}

static double memory_share(const struct values *v)
{
    return (clocks(v, 25) + clocks(v, 26)) / cycles(v);
}

static double between_caches(const struct values *v)
{
    return (value_of(v, 25) * PRIMARY + value_of(v, 22) * QUADWORD) / seconds(v) / 1e6;
}

static double with_memory(const struct values *v)
{
    return (value_of(v, 26) * SECONDARY + value_of(v, 7) * QUADWORD) / seconds(v) / 1e6;
}

static double mflops(const struct values *v)
{
    return value_of(v, 21) / seconds(v) / 1e6;
}

static const struct {
    const char *name;
    double (*of)(const struct values *v);
} statistics[] = {
    {"Graduated instructions/cycle", instructions_a_cycle},
    {"Graduated floating-point instructions/cycle", fp_a_cycle},
    {"Graduated loads and stores/cycle", accesses_a_cycle},
    {"Graduated loads and stores/floating-point instruction", accesses_an_fp},
    {"Mispredicted branches/branches", mispredicted},
    {"Graduated loads/issued loads", loads_graduated},
    {"Graduated stores/issued stores", stores_graduated},
    {"Primary data cache line reuse", primary_reuse},
    {"Secondary data cache line reuse", secondary_reuse},
    {"Primary data cache hit rate", primary_hits},
    {"Secondary data cache hit rate", secondary_hits},
    {"Clocks of data cache misses (typical)/cycle", memory_share},
    {"Between primary and secondary cache, MB/s", between_caches},
    {"With memory, MB/s", with_memory},
    {"MFLOPS", mflops},
};

void perfex_statistics(const struct counts *counts, const struct cost_table *costs, FILE *out)
{
    const struct values values = {counts, costs};
    const char *heading = "\nStatistics\n";

    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++) {
        double value = statistics[i].of(&values);

        if (!isfinite(value))
            continue;
        fprintf(out, "%s%s", heading, statistics[i].name);
        heading = "";
        for (size_t column = strlen(statistics[i].name); column < NAME; column++)
            putc('.', out);
        fprintf(out, " %14.6f\n", value);
    }
}
