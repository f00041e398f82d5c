/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of `pmc stat`, byte for byte as perf stat 6.1 prints the same numbers. */
#include "stats/read/pmc_stat.h"

#include "tests/host/collect.h"
#include "tests/host/test.h"

#include <string.h>

static const char *table(const struct pmc_stat_report *report)
{
    size_t at = 0;

    pmc_stat_print(report, collect, &at);
    return text;
}

static const char *fields(const struct pmc_stat_report *report)
{
    size_t at = 0;

    pmc_stat_print_fields(report, ",", collect, &at);
    return text;
}

#define CLOCK(ns)                                                                                  \
    {.name = "task-clock",                                                                         \
     .role = PMC_STAT_TASK_CLOCK,                                                                  \
     .value = (ns),                                                                                \
     .run_ns = (ns),                                                                               \
     .running = PMC_STAT_WHOLE}
#define COUNT(count_name, count_role, count_value)                                                 \
    {.name = (count_name),                                                                         \
     .role = (count_role),                                                                         \
     .value = (count_value),                                                                       \
     .run_ns = 435378,                                                                             \
     .running = PMC_STAT_WHOLE}
#define BAD(count_name, count_state)                                                               \
    {.name = (count_name), .state = (count_state), .running = PMC_STAT_WHOLE}
#define REPORT(list, elapsed)                                                                      \
    {.command = "true",                                                                            \
     .runs = 1,                                                                                    \
     .elapsed_ns = (elapsed),                                                                      \
     .user_ns = 1195000,                                                                           \
     .count = sizeof(list) / sizeof(list[0]),                                                      \
     .counts = (list)}

TEST(pmc_stat_as_perf_prints_it)
{
    const struct pmc_stat_count counts[] = {
        CLOCK(435378),
        COUNT("page-faults", PMC_STAT_OTHER, 50),
        BAD("cycles", PMC_STAT_NOT_SUPPORTED),
        COUNT("context-switches", PMC_STAT_OTHER, 1),
    };
    const struct pmc_stat_report report = REPORT(counts, 14805894);

    CHECK_TEXT(
        table(&report),
        "\n"
        " Performance counter stats for 'true':\n"
        "\n"
        "              0.44 msec task-clock                       #    0.029 CPUs utilized  "
        "        \n"
        "                50      page-faults                      #  114.843 K/sec          "
        "        \n"
        "   <not supported>      cycles                                                      "
        "\n"
        "                 1      context-switches                 #    2.297 K/sec          "
        "        \n"
        "\n"
        "       0.014805894 seconds time elapsed\n"
        "\n"
        "       0.001195000 seconds user\n"
        "       0.000000000 seconds sys\n"
        "\n"
        "\n");
}

TEST(pmc_stat_ratios)
{
    const struct pmc_stat_count counts[] = {
        CLOCK(1000000),
        COUNT("cycles", PMC_STAT_CYCLES, 2000000),
        COUNT("instructions", PMC_STAT_INSTRUCTIONS, 2460000),
        COUNT("branches", PMC_STAT_BRANCHES, 400),
        COUNT("branch-misses", PMC_STAT_BRANCH_MISSES, 25),
        COUNT("cache-references", PMC_STAT_CACHE_REFERENCES, 30),
        COUNT("cache-misses", PMC_STAT_CACHE_MISSES, 10),
        {.name = "instructions:u",
         .role = PMC_STAT_INSTRUCTIONS,
         .modes = 8,
         .value = 5,
         .running = 6667},
        BAD("r10k.25", PMC_STAT_NOT_COUNTED),
        {.name = "r10k.26", .state = PMC_STAT_NOT_COUNTED, .running = 0},
    };
    const struct pmc_stat_report report = REPORT(counts, 1000000);

    table(&report);
    CHECK(strstr(text, "1.00 msec task-clock                       #    1.000 CPUs utilized"));
    CHECK(strstr(text, "2000000      cycles                           #    2.000 GHz"));
    CHECK(strstr(text, "2460000      instructions                     #    1.23  insn per cycle"));
    CHECK(strstr(text, "400      branches                         #  400.000 K/sec"));
    CHECK(strstr(text, "25      branch-misses                    #    6.25% of all branches"));
    CHECK(strstr(text, "10      cache-misses                     #   33.33% of all cache refs"));
    CHECK(strstr(text, "5      instructions:u                   #    5.000 K/sec               "
                       "     (66.67%)\n"));
    CHECK(strstr(text, "\n     <not counted>      r10k.25                                       "
                       "              \n"));
    CHECK(strstr(text, "\n     <not counted>      r10k.26                                       "
                       "                (0.00%)\n"));
}

/* Where there is no count of all branches; the ratio is to the count of the same modes. */
TEST(pmc_stat_conditional)
{
    const struct pmc_stat_count counts[] = {
        CLOCK(1000000),
        BAD("branches", PMC_STAT_NOT_SUPPORTED),
        COUNT("branches-resolved", PMC_STAT_CONDITIONAL, 400),
        COUNT("branch-misses", PMC_STAT_BRANCH_MISSES, 25),
        {.name = "branch-misses:u",
         .role = PMC_STAT_BRANCH_MISSES,
         .modes = 8,
         .value = 5,
         .running = PMC_STAT_WHOLE},
    };
    const struct pmc_stat_report report = REPORT(counts, 1000000);

    table(&report);
    CHECK(strstr(text, "<not supported>      branches "));
    CHECK(strstr(text, "400      branches-resolved                #  400.000 K/sec"));
    CHECK(strstr(text, "25      branch-misses                    #    6.25% of cond. branches"));
    CHECK(strstr(text, "5      branch-misses:u                  #    5.000 K/sec"));
}

TEST(pmc_stat_fields)
{
    const struct pmc_stat_count counts[] = {
        CLOCK(374684),
        COUNT("page-faults", PMC_STAT_OTHER, 49),
        {.name = "cycles", .state = PMC_STAT_NOT_SUPPORTED, .running = PMC_STAT_WHOLE},
    };
    struct pmc_stat_report report = REPORT(counts, 843885);

    CHECK_TEXT(fields(&report), "0.37,msec,task-clock,374684,100.00,0.444,CPUs utilized\n"
                                "49,,page-faults,435378,100.00,130.777,K/sec\n"
                                "<not supported>,,cycles,0,100.00,,\n");
    report.runs = 3;
    CHECK_TEXT(fields(&report), "0.37,msec,task-clock,0.00%,374684,100.00,0.444,CPUs utilized\n"
                                "49,,page-faults,0.00%,435378,100.00,130.777,K/sec\n"
                                "<not supported>,,cycles,0.00%,0,100.00,,\n");
}

TEST(pmc_stat_several_runs)
{
    struct pmc_stat_count counts[] = {CLOCK(325900), BAD("cycles", PMC_STAT_NOT_SUPPORTED)};
    struct pmc_stat_report report = REPORT(counts, 718200);

    report.runs = 3;
    report.elapsed_error = 26400;
    counts[0].spread = 436;
    CHECK_TEXT(
        table(&report),
        "\n"
        " Performance counter stats for 'true' (3 runs):\n"
        "\n"
        "              0.33 msec task-clock                       #    0.454 CPUs utilized  "
        "          ( +-  4.36% )\n"
        "   <not supported>      cycles                                                      "
        "\n"
        "\n"
        "         0.0007182 +- 0.0000264 seconds time elapsed  ( +-  3.68% )\n"
        "\n");
}

TEST(pmc_stat_intervals)
{
    const struct pmc_stat_count counts[] = {
        CLOCK(630000),
        BAD("page-faults", PMC_STAT_NOT_COUNTED),
    };
    const struct pmc_stat_report report = REPORT(counts, 100000000);
    size_t at = 0;

    pmc_stat_print_interval_heading(collect, &at);
    pmc_stat_print_interval(&report, 100181999, NULL, collect, &at);
    CHECK_TEXT(
        text,
        "#           time             counts unit events\n"
        "     0.100181999               0.63 msec task-clock                       #    0.006 "
        "CPUs utilized          \n"
        "     0.100181999      <not counted>      page-faults                               "
        "                  \n");
    at = 0;
    pmc_stat_print_interval(&report, 100162963, ",", collect, &at);
    CHECK_TEXT(text, "     0.100162963,0.63,msec,task-clock,630000,100.00,0.006,CPUs utilized\n"
                     "     0.100162963,<not counted>,,page-faults,0,100.00,,\n");
}

TEST(pmc_stat_averages)
{
    struct pmc_stat_sum sum = {0};

    CHECK_EQUAL(pmc_stat_sum_mean(&sum), 0);
    CHECK_EQUAL(pmc_stat_sum_spread(&sum), 0);
    pmc_stat_sum_add(&sum, 10);
    CHECK_EQUAL(pmc_stat_sum_mean(&sum), 10);
    CHECK_EQUAL(pmc_stat_sum_spread(&sum), 0);
    pmc_stat_sum_add(&sum, 14); /* mean 12, deviations 2: root(8 / 1) / root(2) = 2 */
    CHECK_EQUAL(pmc_stat_sum_mean(&sum), 12);
    CHECK_EQUAL(pmc_stat_sum_error(&sum), 2);
    CHECK_EQUAL(pmc_stat_sum_spread(&sum), 1667);
    pmc_stat_sum_add(&sum, 12); /* root(8 / 2) / root(3) = 1.1547 */
    CHECK_EQUAL(pmc_stat_sum_error(&sum), 1);
    CHECK_EQUAL(pmc_stat_sum_spread(&sum), 962);
}

TEST(pmc_stat_averages_of_great_numbers)
{
    struct pmc_stat_sum sum = {0}, same = {0};

    for (unsigned i = 0; i < 4; i++) {
        pmc_stat_sum_add(&sum, (UINT64_C(1) << 60) + (i & 1 ? UINT64_C(1) << 50 : 0));
        pmc_stat_sum_add(&same, UINT64_C(1) << 60);
    }
    CHECK_EQUAL(pmc_stat_sum_error(&same), 0);
    CHECK_EQUAL(pmc_stat_sum_spread(&same), 0);
    /* deviations 2^49: root(4 * 2^98 / 3) / 2 = 2^49 / root(3) */
    CHECK(pmc_stat_sum_error(&sum) / 1000 == UINT64_C(325019307148));
}

TEST(pmc_stat_scaling)
{
    CHECK_EQUAL(pmc_stat_scale(100, 30, 20), 150);
    CHECK_EQUAL(pmc_stat_scale(UINT64_C(1) << 50, 3000000000, 1000000000), UINT64_C(3) << 50);
    CHECK_EQUAL(pmc_stat_scale(100, 30, 0), 0);
    CHECK_EQUAL(pmc_stat_scale(1001, 70, 30), 2336); /* 2335.67 */
    CHECK_EQUAL(pmc_stat_scale(1000, 70, 30), 2333); /* 2333.33 */
}
