/* SPDX-License-Identifier: BSD-2-Clause */
/* The branch history table against patterns worked out by hand. */
#include "tests/host/test.h"
#include "tools/qpmu/predictor.h"

/* PATTERN of T and N at one branch; the answer marks each misprediction with x. */
static void pattern(const char *text, const char *expected)
{
    struct qpmu_predictor predictor;
    char seen[65] = "";
    unsigned count = 0;

    qpmu_predictor_reset(&predictor);
    for (const char *at = text; *at != '\0' && count < 64; at++)
        seen[count++] = qpmu_predictor_branch(&predictor, 7, *at == 'T') ? 'x' : '.';
    CHECK_TEXT(seen, expected);
}

TEST(qpmu_predictor_patterns)
{
    pattern("NNNNNNNN", "........");
    pattern("TTTTTTTT", "x.......");
    /* 1 T:2 T:3 T:3 N:2 T:3 ...: after the first only each N is wrong. */
    pattern("TTTNTTTNTTTN", "x..x...x...x");
    /* From 1 up and down between 1 and 2: always wrong. */
    pattern("TNTNTNTN", "xxxxxxxx");
    /* From 0 up to 1 and back: only the T's are wrong. */
    pattern("NTNTNTNT", ".x.x.x.x");
    /* 1 T:2 T:3 N:2 N:1 T:2 T:3 N:2 N:1 */
    pattern("TTNNTTNN", "x.xxx.xx");
    /* A loop of four turns that is run again and again: one wrong a run. */
    pattern("TTTNTTTN", "x..x...x");
    pattern("NNNNTTTT", "....xx..");
}

TEST(qpmu_predictor_entries)
{
    struct qpmu_predictor predictor;

    CHECK_EQUAL(qpmu_predictor_index_mips(0xffffffff80000008), 1);
    CHECK_EQUAL(qpmu_predictor_index_mips(0xffffffff8000000c), 1);
    CHECK_EQUAL(qpmu_predictor_index_mips(0xffffffff80001008), 1);
    CHECK_EQUAL(qpmu_predictor_index_x86(0xffffffff80000201), 1);
    qpmu_predictor_reset(&predictor);
    CHECK(qpmu_predictor_branch(&predictor, 1, true));
    CHECK(qpmu_predictor_branch(&predictor, 2, true)); /* one's history is not another's */
    CHECK(!qpmu_predictor_branch(&predictor, 1, true));
    CHECK(!qpmu_predictor_branch(&predictor, 513, true)); /* but entries are shared */
    qpmu_predictor_reset(&predictor);
    CHECK(qpmu_predictor_branch(&predictor, 1, true));
}
