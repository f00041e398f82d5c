/* SPDX-License-Identifier: BSD-2-Clause */
/* What r10k_counters(5) is asked for: layouts, by numbers worked out by hand; checks; turns. */
#include "stats/hwperf/hwperf_control.h"

#include "tests/host/test.h"
#include "user/include/sys/hwperftypes.h"

#include <errno.h>
#include <stddef.h>

TEST(hwperf_layouts)
{
    hwperf_profevctrarg_t a = {.hwp_ovflw_sig = 0};

    CHECK_EQUAL(sizeof(hwperf_ctrl_t), 2);
    CHECK_EQUAL(sizeof(hwperf_eventctrl_t), 64);
    CHECK_EQUAL(offsetof(hwperf_profevctrarg_t, hwp_ovflw_freq), 64);
    CHECK_EQUAL(offsetof(hwperf_profevctrarg_t, hwp_ovflw_sig), 192);
    CHECK_EQUAL(sizeof a, 196);
    CHECK_EQUAL(sizeof(hwperf_cntr_t), 256);
    CHECK_EQUAL(offsetof(hwperf_prusage_t, pu_stime), 48);
    CHECK_EQUAL(offsetof(hwperf_prusage_t, pu_minf), 64);
    CHECK_EQUAL(offsetof(hwperf_prusage_t, pu_gbread), 96);
    CHECK_EQUAL(offsetof(hwperf_prusage_t, pu_sysci), 184);
    CHECK_EQUAL(offsetof(hwperf_prusage_t, pu_graph_req), 200);
    CHECK_EQUAL(offsetof(hwperf_prusage_t, pu_size), 328);
    CHECK_EQUAL(offsetof(hwperf_prusage_t, pu_ktlb), 368);
    CHECK_EQUAL(offsetof(hwperf_prusage_t, pu_cpu_mon), 376);
    CHECK_EQUAL(sizeof(hwperf_prusage_t), 632);
}

/* 9 << 5 is 288, the interrupt 16, U 8; K 2 and EXL 1. */
TEST(hwperf_bits_of_a_control)
{
    hwperf_ctrl_t control = {.hwperf_spec = 0};

    control.hwperf_creg.hwp_ev = 9;
    CHECK(control.hwperf_spec == 288);
    control.hwperf_creg.hwp_ie = 1;
    CHECK(control.hwperf_spec == 304);
    control.hwperf_creg.hwp_mode = HWPERF_CNTEN_U;
    CHECK(control.hwperf_spec == 312);
    control.hwperf_creg.hwp_mode = HWPERF_CNTEN_K | HWPERF_CNTEN_E;
    CHECK(control.hwperf_spec == 307);
}

/* An event at an index, counted by users. */
static struct hwperf_control asked(unsigned index, unsigned event, unsigned modes)
{
    struct hwperf_control control = {.signal = 0};

    control.spec[index] = (uint16_t)(event << 5 | modes);
    return control;
}

TEST(hwperf_what_is_valid)
{
    struct hwperf_control control = {.signal = 0};

    CHECK(hwperf_control_check(&control) == EINVAL);
    control = asked(9, 9, 8);
    CHECK(hwperf_control_check(&control) == 0);
    control = asked(25, 9, 15);
    CHECK(hwperf_control_check(&control) == 0);
    CHECK_EQUAL(hwperf_control_modes(&control), 15);
    control = asked(25, 25, 8);
    CHECK(hwperf_control_check(&control) == EINVAL);
    control = asked(25, 9, 0);
    CHECK(hwperf_control_check(&control) == EINVAL);
    control = asked(25, 9, 8);
    control.spec[24] = 16; /* only the interrupt's bit */
    CHECK(hwperf_control_check(&control) == EINVAL);
    control = asked(0, 0, 8);
    control.signal = 32;
    CHECK(hwperf_control_check(&control) == 0);
    control.signal = 33;
    CHECK(hwperf_control_check(&control) == EINVAL);
    control.signal = 0;
    control.frequency[31] = INT32_MIN;
    CHECK(hwperf_control_check(&control) == EINVAL);
}

TEST(hwperf_periods_need_the_bit)
{
    struct hwperf_control control = asked(15, 15, 8);

    control.frequency[15] = 1000;
    CHECK_EQUAL(hwperf_period(&control, 15), 0);
    control.spec[15] |= 16;
    CHECK_EQUAL(hwperf_period(&control, 15), 1000);
}

TEST(hwperf_slices)
{
    struct hwperf_control control = asked(3, 3, 8);
    struct hwperf_slices slices;

    control.spec[31] = 15 << 5 | 8;
    control.spec[16] = 8;
    hwperf_slices_make(&slices, &control);
    CHECK_EQUAL(slices.count[0], 1);
    CHECK_EQUAL(slices.count[1], 2);
    CHECK_EQUAL(slices.index[0][0], 3);
    CHECK_EQUAL(slices.index[1][0], 16);
    CHECK_EQUAL(slices.index[1][1], 31);
}
