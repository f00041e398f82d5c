/* SPDX-License-Identifier: BSD-2-Clause */
/* The branch history table's beginning; the rest is inline. */
#include "tools/qpmu/predictor.h"

#include <string.h>

void qpmu_predictor_reset(struct qpmu_predictor *predictor)
{
    memset(predictor->state, 1, sizeof(predictor->state));
}
