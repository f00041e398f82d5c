/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstat_request: the command kstat(8), wherever it runs: what its words ask for, and the reports
 * that follow. Its host reads options as getopt does and gives them here one by one, then the
 * operands. Thread context.
 */
#ifndef STATS_KSTAT_REQUEST_H
#define STATS_KSTAT_REQUEST_H

#include <kstat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/text_row.h"
#include "stats/read/kstat_pattern.h"
#include "stats/read/kstat_report.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KSTAT_REQUEST_OPTIONS "CVjlpqT:c:m:i:n:s:"
#define KSTAT_REQUEST_USAGE                                                                        \
    "kstat [-CVjlpq] [-T d|u] [-c CLASS] [-m MODULE] [-i INSTANCE] [-n NAME] [-s STAT]\n"          \
    "             [MODULE:INSTANCE:NAME:STAT...] [INTERVAL [COUNT]]"

enum kstat_request_status {
    KSTAT_STATUS_MATCH = 0,
    KSTAT_STATUS_NO_MATCH = 1,
    KSTAT_STATUS_USAGE = 2,
    KSTAT_STATUS_FATAL = 3,
    KSTAT_STATUS_INTERRUPTED = -1 /* what that means is the host's to say */
};

/* Of whoever runs the command. */
struct kstat_request_host {
    text_put *put;                          /* what it prints; whole lines */
    text_put *complain;                     /* what it says is wrong */
    void *arg;                              /* of both */
    bool (*interrupted)(void);              /* NULL: never */
    bool (*sleep_until)(uint64_t deadline); /* by stats_port_time_ns; false: interrupted */
    void (*refresh)(void);                  /* before the chain is looked at; NULL: nothing */
};

struct kstat_request {
    const struct kstat_request_host *host;
    struct kstat_report report;
    struct kstat_pattern *pattern; /* of operands; then those of -m -i -n -s together, and of -c */
    size_t patterns, operands;
    bool by_options, colons, names, values, json, quiet, lines;
    char stamp;               /* of -T */
    uint64_t interval, count; /* count 0 is without end */
};

/*
 * For at most OPERANDS operands; what these point to must stay. 0 or -ENOMEM; then nothing is to be
 * freed. The next two return 0, or KSTAT_STATUS_USAGE, having said what is wrong.
 */
int kstat_request_begin(struct kstat_request *request, const struct kstat_request_host *host,
                        size_t operands);
int kstat_request_option(struct kstat_request *request, int option, const char *value);
int kstat_request_operands(struct kstat_request *request, int count, char **operands);
/* Reports: enum kstat_request_status. */
int kstat_request_run(struct kstat_request *request);
void kstat_request_end(struct kstat_request *request);

#ifdef __cplusplus
}
#endif

#endif
