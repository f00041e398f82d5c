/* SPDX-License-Identifier: BSD-2-Clause */
/* What the counters in system mode have, and when; two of these make rates. */
#pragma once

#include <stdbool.h>
#include "user/perfex/report.h"

struct sample {
    int generation; /* another one: other events, or begun anew */
    double seconds; /* since some time */
    struct counts counts;
};

/* Seconds as in a sample. */
double sample_clock(void);
/* False and errno; EINVAL: the counters are not in system mode. */
bool sample_take(struct sample *sample);
/* Whether LATER goes on where EARLIER was, so that the two have a rate. */
bool sample_follows(const struct sample *later, const struct sample *earlier);
/* How often EVENT, which both count, came in a second. */
double sample_rate(const struct sample *later, const struct sample *earlier, int event);
