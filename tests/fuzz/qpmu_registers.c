/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzing the registers of qpmu against the plain model of the unit tests: whatever is written, in
 * whatever order, counters stay within their width and no overflow is lost or invented.
 */
#include "tests/host/qpmu_model.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct model model;

    if (size < 1)
        return 0;
    model_begin(&model, (enum qpmu_kind)(data[0] % 3));
    for (data++, size--; size >= 10; data += 10, size -= 10) {
        uint64_t value;

        memcpy(&value, data + 2, sizeof(value));
        model_step(&model, data[0], data[1], value);
    }
    return 0;
}
