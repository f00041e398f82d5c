/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libperfex(3): r10k_libperfex E0 E1 N [COSTS] counts N turns of a loop twice, with three times as
 * many after each that are not to be counted, and prints the counts; with COSTS, a file, also by
 * the library. `r10k_libperfex wrong` prints what calls refuse, `lost` what is said when the
 * counters are taken away meanwhile.
 */
#include <perfex.h>
#include <sys/syssgi.h>
#include "r10k.h"

static long long first, second;

static void wrong(void)
{
    printf("same counter %s\n", said(start_counters(1, 2)));
    printf("no event %s", said(start_counters(-1, 16)));
    printf(" %s\n", said(start_counters(0, 32)));
    printf("not started %s\n", said(read_counters(15, &first, 16, &second)));
    printf("start %s\n", said(start_counters(16, 15)));
    printf("others %s\n", said(read_counters(0, &first, 17, &second)));
    printf("these %s\n", said(read_counters(15, &first, 16, &second)));
    printf("again %s\n", said(read_counters(15, &first, 16, &second)));
    printf("print %s\n", said(print_counters(0, 1, 15, 1)));
    printf("no table %s\n", said(load_costs("/none") < 0 && errno == ENOENT ? 0 : 1));
    printf("no costs %s\n", said(load_costs("/proc/version")));
}

static void lost(void)
{
    hwperf_profevctrarg_t system = {.hwp_ovflw_sig = 0};

    want(&system, INSTRUCTIONS, HWPERF_CNTEN_K);
    printf("start %s\n", said(start_counters(15, 17)));
    loop(1000000);
    printf("system %s\n", said(syssgi(SGI_EVENTCTR, HWPERF_ENSYSCNTRS, &system)));
    printf("start %s\n", said(start_counters(15, 17)));
    syssgi(SGI_EVENTCTR, HWPERF_RELSYSCNTRS);
    loop(1000000);
    printf("read %s\n", said(read_counters(15, &first, 17, &second)));
    printf("until then %d %d\n", first >= 2000000 && first < 2100000,
           second >= 2000000 && second < 2100000);
    printf("anew %s", said(start_counters(15, 17)));
    printf(" %s\n", said(read_counters(15, &first, 17, &second)));
}

static int count_loop(int e0, int e1, unsigned long turns)
{
    if (start_counters(e0, e1) < 0)
        return -1;
    loop(turns);
    if (read_counters(e0, &first, e1, &second) < 0)
        return -1;
    loop(3 * turns);
    printf("%lld %lld\n", first, second);
    return 0;
}

int main(int argc, char **argv)
{
    int e0, e1;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 4) {
        (argc > 1 && strcmp(argv[1], "lost") == 0 ? lost : wrong)();
        return 0;
    }
    e0 = atoi(argv[1]);
    e1 = atoi(argv[2]);
    for (int i = 0; i < 2; i++)
        if (count_loop(e0, e1, strtoul(argv[3], NULL, 10)) < 0) {
            perror("counters");
            return 1;
        }
    if (argc > 4 && (load_costs(argv[4]) < 0 || print_counters(e0, first, e1, second) < 0 ||
                     print_costs(e0, first, e1, second) < 0))
        return 1;
    return 0;
}
