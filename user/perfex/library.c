/* SPDX-License-Identifier: BSD-2-Clause */
/* libperfex.a: see <perfex.h>. */
#include <perfex.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "user/perfex/counters.h"
#include "user/perfex/event.h"
#include "user/perfex/report.h"

struct pair {
    int first, second;
};

static struct {
    pid_t pid; /* whose counters fd is; 0: it is none */
    int fd;
    int generation; /* of what was started; 0: nothing */
} library;

static struct cost_table library_costs;
static bool library_has_costs;

static bool library_refuse(void)
{
    errno = EINVAL;
    return false;
}

/* EVENT, or what the environment's NAME says. */
static bool library_event(int event, const char *name, int *chosen)
{
    const char *text = getenv(name);

    *chosen = text ? perfex_event_find(text) : event;
    if (*chosen >= 0 && *chosen < HWPERF_EVENTMAX)
        return true;
    if (text)
        fprintf(stderr, "libperfex: %s: no event %s\n", name, text);
    else
        fprintf(stderr, "libperfex: no event %d\n", event);
    return library_refuse();
}

static bool library_choose(int e0, int e1, struct pair *pair)
{
    if (!library_event(e0, "T5_EVENT0", &pair->first) ||
        !library_event(e1, "T5_EVENT1", &pair->second))
        return false;
    if (pair->first / HWPERF_CNT1BASE != pair->second / HWPERF_CNT1BASE)
        return true;
    fprintf(stderr, "libperfex: conflicting events %d and %d: one counter has both\n", pair->first,
            pair->second);
    return library_refuse();
}

/* Our own counters: a child's are not its parent's. */
static bool library_open(void)
{
    pid_t self = getpid();

    if (library.pid == self)
        return true;
    if (library.pid != 0)
        close(library.fd);
    library.fd = perfex_open(self);
    library.pid = library.fd < 0 ? 0 : self;
    return library.fd >= 0;
}

int start_counters(int e0, int e1)
{
    hwperf_profevctrarg_t args = {.hwp_ovflw_sig = 0};
    struct pair pair;
    int generation;

    if (!library_choose(e0, e1, &pair) || !library_open())
        return -1;
    perfex_want(&args, pair.first, HWPERF_CNTEN_U);
    perfex_want(&args, pair.second, HWPERF_CNTEN_U);
    generation = ioctl(library.fd, PIOCENEVCTRS, &args);
    if (generation < 0)
        return -1;
    library.generation = generation;
    return 0;
}

/* Whether these two are what was started. */
static bool library_started(const struct pair *pair)
{
    hwperf_eventctrl_t control;

    if (library.generation == 0)
        return library_refuse();
    if (ioctl(library.fd, PIOCGETEVCTRL, &control) < 0)
        return false;
    return (perfex_wants(&control, pair->first) && perfex_wants(&control, pair->second)) ||
           library_refuse();
}

/* The counters are read first of all: what comes then is not counted. */
int read_counters(int e0, long long *c0, int e1, long long *c1)
{
    hwperf_cntr_t counted;
    struct pair pair;
    int generation, started = library.generation;

    if (!library_open())
        return -1;
    generation = ioctl(library.fd, PIOCGETEVCTRS, &counted);
    if (!library_choose(e0, e1, &pair) || !library_started(&pair))
        return -1;
    if (generation < 0 || ioctl(library.fd, PIOCRELEVCTRS) < 0)
        return -1;
    library.generation = 0;
    *c0 = (long long)counted.hwp_evctr[pair.first];
    *c1 = (long long)counted.hwp_evctr[pair.second];
    if (generation == started)
        return 0;
    errno = EBUSY;
    return -1;
}

static int library_print(int e0, long long c0, int e1, long long c1, const struct cost_table *costs)
{
    hwperf_profevctrarg_t args = {.hwp_ovflw_sig = 0};
    struct counts counts = {.counted = {{0}}};
    struct pair pair;

    if (!library_choose(e0, e1, &pair))
        return -1;
    perfex_want(&args, pair.first, HWPERF_CNTEN_U);
    perfex_want(&args, pair.second, HWPERF_CNTEN_U);
    counts.control = args.hwp_evctrargs;
    counts.counted.hwp_evctr[pair.first] = (unsigned long long)c0;
    counts.counted.hwp_evctr[pair.second] = (unsigned long long)c1;
    perfex_report(&counts, costs, stderr);
    return 0;
}

int print_counters(int e0, long long c0, int e1, long long c1)
{
    return library_print(e0, c0, e1, c1, NULL);
}

int print_costs(int e0, long long c0, int e1, long long c1)
{
    if (!library_has_costs && load_costs(COST_FILE) < 0)
        return -1;
    return library_print(e0, c0, e1, c1, &library_costs);
}

/* A table that is wrong leaves the one that there was. */
int load_costs(const char *file)
{
    struct cost_table table;

    if (!perfex_costs_load(&table, file)) {
        if (access(file, R_OK) == 0)
            errno = EINVAL;
        return -1;
    }
    library_costs = table;
    library_has_costs = true;
    return 0;
}
