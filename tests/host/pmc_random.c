/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc(9) with random calls against a plain model, see pmc_model.h. */
#include "tests/host/pmc_model_run.h"
#include "tests/host/test.h"

#define ROUNDS 600
#define BYTES  8000

TEST(pmc_random_calls)
{
    static uint8_t bytes[BYTES];
    uint64_t seed = 0x9e3779b97f4a7c15u;

    for (unsigned round = 0; round < ROUNDS; round++) {
        const char *wrong;

        for (unsigned i = 0; i < BYTES; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[i] = (uint8_t)(seed >> 56);
        }
        bytes[0] = (uint8_t)round;
        wrong = model_run(bytes, BYTES);
        CHECK_TEXT(wrong != NULL ? wrong : "", "");
        if (wrong != NULL)
            return;
    }
}
