/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes pmc(9): calls, switches and events against a plain model. */
#include "tests/host/pmc_model_run.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (model_run(data, size) != NULL)
        abort();
    return 0;
}
