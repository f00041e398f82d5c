/* SPDX-License-Identifier: BSD-2-Clause */
/* The R10000's registers: truth table of modes, events, thresholds; and both PMUs' against a model.
 */
#include "tests/host/qpmu_model.h"
#include "tests/host/test.h"

static struct model model;

/* Which mode bits enable counting at KSU, EXL, ERL, from the chip's table. */
static unsigned enabled_by(unsigned ksu, unsigned exl, unsigned erl)
{
    if (erl != 0)
        return 0;
    if (exl != 0)
        return 1;
    return ksu == 0 ? 2 : ksu == 1 ? 4 : ksu == 2 ? 8 : 0;
}

TEST(qpmu_r10k_truth_table)
{
    for (unsigned status = 0; status < 32; status++) {
        unsigned match = enabled_by(status >> 3 & 3, status >> 1 & 1, status >> 2 & 1);

        for (unsigned bits = 0; bits < 16; bits++) {
            model_begin(&model, QPMU_R10K_3X);
            qpmu_cpu_write(&model.cpu, 0, 15u << 5 | bits); /* instructions */
            qpmu_cpu_write(&model.cpu, 2, 9u << 5 | bits);  /* data cache misses */
            qpmu_cpu_mode(&model.cpu, qpmu_r10k_mode(0xffffffe0 | status));
            model.cpu.raw[QPMU_INSTRUCTIONS] += 10;
            model.cpu.raw[QPMU_L1D_MISSES] += 3;
            CHECK_EQUAL(qpmu_cpu_read(&model.cpu, 1), (bits & match) != 0 ? 10 : 0);
            CHECK_EQUAL(qpmu_cpu_read(&model.cpu, 3), (bits & match) != 0 ? 3 : 0);
        }
    }
}

TEST(qpmu_r10k_events)
{
    static const uint8_t first[16] = {
        QPMU_CYCLES,        QPMU_ISSUED,        QPMU_LOADS_ISSUED, QPMU_STORES_ISSUED,
        QPMU_SC_ISSUED,     QPMU_SC_FAILED,     QPMU_BRANCHES,     QPMU_L2_WRITEBACKS,
        QPMU_ECC,           QPMU_L1I_MISSES,    QPMU_L2I_MISSES,   QPMU_L2I_WAY,
        QPMU_INTERVENTIONS, QPMU_INVALIDATIONS, QPMU_FU_CYCLES,    QPMU_INSTRUCTIONS};
    static const uint8_t second[16] = {QPMU_CYCLES,
                                       QPMU_INSTRUCTIONS,
                                       QPMU_LOADS,
                                       QPMU_STORES,
                                       QPMU_SC,
                                       QPMU_FP,
                                       QPMU_L1D_WRITEBACKS,
                                       QPMU_TLB_REFILLS,
                                       QPMU_BRANCH_MISSES,
                                       QPMU_L1D_MISSES,
                                       QPMU_L2D_MISSES,
                                       QPMU_L2D_WAY,
                                       QPMU_INTERVENTION_HITS,
                                       QPMU_INVALIDATION_HITS,
                                       QPMU_UPGRADE_CLEAN,
                                       QPMU_UPGRADE_SHARED};

    for (unsigned number = 0; number < 16; number++) {
        CHECK_EQUAL(qpmu_r10k_event(0, number, true), first[number]);
        CHECK_EQUAL(qpmu_r10k_event(1, number, true), second[number]);
        CHECK_EQUAL(qpmu_r10k_event(1, number, false), second[number]);
        if (number != 6 && number != 14)
            CHECK_EQUAL(qpmu_r10k_event(0, number, false), first[number]);
    }
    CHECK_EQUAL(qpmu_r10k_event(0, 6, false), QPMU_BRANCHES_DECODED);
    CHECK_EQUAL(qpmu_r10k_event(0, 14, false), QPMU_VIRTUAL_COHERENCY);
}

TEST(qpmu_r10k_layout)
{
    model_begin(&model, QPMU_R10K_2X);
    CHECK_EQUAL(qpmu_cpu_write(&model.cpu, 0, 0xffffffffffffffff), 0);
    CHECK_EQUAL(qpmu_cpu_read(&model.cpu, 0), 0x1ff);
    CHECK_EQUAL(qpmu_cpu_write(&model.cpu, 1, 0xffffffff12345678), 0);
    CHECK_EQUAL(qpmu_cpu_read(&model.cpu, 1), 0x12345678);
    for (uint32_t reg = 4; reg < 8; reg++) {
        CHECK(!qpmu_cpu_has(&model.cpu, reg));
        CHECK_EQUAL(qpmu_cpu_write(&model.cpu, reg, 5), 0);
        CHECK_EQUAL(qpmu_cpu_read(&model.cpu, reg), 0);
    }
}

/* Threshold N: the first overflow after exactly N events. */
static void threshold(uint64_t n, uint64_t preload)
{
    CHECK_EQUAL(0x80000000 - n, preload);
    model_begin(&model, QPMU_R10K_3X);
    qpmu_cpu_mode(&model.cpu, QPMU_MODE_K);
    qpmu_cpu_write(&model.cpu, 3, preload);
    qpmu_cpu_write(&model.cpu, 2, 1u << 5 | R10K_IE | QPMU_MODE_K);
    CHECK_EQUAL(model.cpu.limit[QPMU_INSTRUCTIONS], n);
    model.cpu.raw[QPMU_INSTRUCTIONS] += n - 1;
    CHECK(!qpmu_cpu_reached(&model.cpu, QPMU_INSTRUCTIONS));
    CHECK_EQUAL(qpmu_cpu_pending(&model.cpu), 0);
    model.cpu.raw[QPMU_INSTRUCTIONS]++;
    CHECK(qpmu_cpu_reached(&model.cpu, QPMU_INSTRUCTIONS));
    CHECK_EQUAL(qpmu_cpu_overflow(&model.cpu, QPMU_INSTRUCTIONS), 1);
    CHECK_EQUAL(model.reported[1], 1);
    CHECK_EQUAL(model.last[1], 0x80000000);
    CHECK_EQUAL(qpmu_cpu_pending(&model.cpu), 2);
    /* Counting goes on; nothing more for 2^32 events. */
    model.cpu.raw[QPMU_INSTRUCTIONS] += 5;
    CHECK_EQUAL(qpmu_cpu_read(&model.cpu, 3), 0x80000005);
    CHECK_EQUAL(model.cpu.limit[QPMU_INSTRUCTIONS], n + (1ull << 32));
    /* The source goes away with bit 31. */
    qpmu_cpu_write(&model.cpu, 3, preload);
    CHECK_EQUAL(qpmu_cpu_pending(&model.cpu), 0);
    CHECK_EQUAL(model.cpu.limit[QPMU_INSTRUCTIONS], n + 5 + n);
}

TEST(qpmu_r10k_thresholds)
{
    threshold(1, 0x7fffffff);
    threshold(500, 0x7ffffe0c);
    threshold(1000, 0x7ffffc18);
    threshold(65536, 0x7fff0000);
    threshold(0x7fffffff, 1);
    threshold(0x80000000, 0);
}

/* A value with bit 31 set is no overflow, but presents the interrupt. */
TEST(qpmu_r10k_written_bit_31)
{
    model_begin(&model, QPMU_R10K_3X);
    qpmu_cpu_mode(&model.cpu, QPMU_MODE_K);
    qpmu_cpu_write(&model.cpu, 0, 15u << 5 | QPMU_MODE_K);
    qpmu_cpu_write(&model.cpu, 1, 0x80000000);
    CHECK_EQUAL(model.reported[0], 0);
    CHECK_EQUAL(model.cpu.limit[QPMU_INSTRUCTIONS], 1ull << 32);
    CHECK_EQUAL(qpmu_cpu_pending(&model.cpu), 0);
    qpmu_cpu_write(&model.cpu, 0, 15u << 5 | R10K_IE | QPMU_MODE_K);
    CHECK_EQUAL(qpmu_cpu_pending(&model.cpu), 1);
    qpmu_cpu_write(&model.cpu, 1, 0xffffffff);
    model_raise(&model, QPMU_INSTRUCTIONS, 1);
    CHECK_EQUAL(qpmu_cpu_read(&model.cpu, 1), 0);
    CHECK_EQUAL(model.reported[0], 0);
}

/* Reloaded in the instant of overflow: floor(events / N) overflows, whatever the steps. */
TEST(qpmu_r10k_reload)
{
    for (unsigned step = 1; step < 40; step++) {
        model_begin(&model, QPMU_R10K_3X);
        model_mode(&model, QPMU_MODE_U);
        model.cpu.reload_on = 1;
        model.cpu.reload[0] = 0x80000000 - 7;
        model_write(&model, 1, 0x80000000 - 7);
        model_write(&model, 0, 0u << 5 | QPMU_MODE_U);
        for (unsigned i = 0; i < 1000; i++)
            model_raise(&model, QPMU_CYCLES, step);
        CHECK_EQUAL(model.reported[0], 1000 * step / 7);
        model_compare(&model);
    }
}

/* What is not instrumented is asked for, and then nothing has been written. */
TEST(qpmu_registers_refuse)
{
    model_begin(&model, QPMU_R10K_3X);
    qpmu_cpu_mode(&model.cpu, QPMU_MODE_K);
    model.cpu.counted = 1ull << QPMU_CYCLES;
    CHECK_EQUAL(qpmu_cpu_write(&model.cpu, 0, 0u << 5 | QPMU_MODE_K), 0);
    CHECK_EQUAL(qpmu_cpu_write(&model.cpu, 2, 9u << 5 | QPMU_MODE_K), 1ull << QPMU_L1D_MISSES);
    CHECK_EQUAL(qpmu_cpu_read(&model.cpu, 2), 0);
    CHECK_EQUAL(qpmu_cpu_wanted(&model.cpu), 1ull << QPMU_CYCLES);
    CHECK_EQUAL(qpmu_cpu_running(&model.cpu), 1ull << QPMU_CYCLES);
    model.cpu.raw[QPMU_CYCLES] += 5; /* the counter that runs was not disturbed */
    CHECK_EQUAL(qpmu_cpu_read(&model.cpu, 1), 5);
    CHECK_EQUAL(qpmu_cpu_write(&model.cpu, 2, 9u << 5), 0); /* no mode: nobody asks */
    CHECK_EQUAL(qpmu_cpu_read(&model.cpu, 2), 9u << 5);
    model.cpu.counted |= 1ull << QPMU_L1D_MISSES;
    CHECK_EQUAL(qpmu_cpu_write(&model.cpu, 2, 9u << 5 | QPMU_MODE_K), 0);
    CHECK_EQUAL(qpmu_cpu_running(&model.cpu), 1ull << QPMU_CYCLES | 1ull << QPMU_L1D_MISSES);
    CHECK_EQUAL(model.cpu.raw[QPMU_CYCLES], 5);
}

/* An overflow that the driver has not looked for yet is not lost when counters are folded. */
TEST(qpmu_registers_late_overflow)
{
    model_begin(&model, QPMU_R10K_3X);
    qpmu_cpu_mode(&model.cpu, QPMU_MODE_K);
    qpmu_cpu_write(&model.cpu, 1, 0x7ffffff0);
    qpmu_cpu_write(&model.cpu, 0, 0u << 5 | QPMU_MODE_K);
    model.cpu.raw[QPMU_CYCLES] += 20;
    qpmu_cpu_mode(&model.cpu, 0);
    CHECK_EQUAL(model.reported[0], 1);
    CHECK_EQUAL(model.last[0], 0x80000004);
    CHECK_EQUAL(qpmu_cpu_read(&model.cpu, 1), 0x80000004);
}

static uint64_t random_state = 1;

static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

TEST(qpmu_registers_random)
{
    static const enum qpmu_kind kinds[] = {QPMU_R10K_2X, QPMU_R10K_3X, QPMU_X86};
    unsigned overflows = 0;

    for (unsigned round = 0; round < 60; round++) {
        model_begin(&model, kinds[round % 3]);
        for (unsigned step = 0; step < 3000; step++) {
            unsigned what = (unsigned)(random_number() >> 32);

            model_step(&model, what, (unsigned)(random_number() >> 32), random_number());
        }
        for (unsigned n = 0; n < 7; n++)
            overflows += model.overflows[n];
    }
    CHECK(overflows > 1000);
}
