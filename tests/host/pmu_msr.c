/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drivers/pmu_msr.c against modelled MSRs: a bank that drops, cuts and sets what the manual says,
 * with counting by hand.
 */
#include "drivers/pmu_msr.h"
#include <string.h>
#include "tests/host/test.h"

#define WIDTH 48
#define MASK  (((uint64_t)1 << WIDTH) - 1)

static struct {
    uint64_t counter[PMU_MSR_COUNTERS]; /* general, and from PMU_MSR_GENERAL on fixed */
    uint64_t select[PMU_MSR_GENERAL], fixed_control, global, status, capabilities;
    unsigned version, general, unknown; /* unknown: accesses to what is not there */
} bank;
static uint32_t leaf_1_ecx, leaf_a[4], leaf_0_eax;

static void cpuid(uint32_t leaf, uint32_t out[4])
{
    memset(out, 0, 16);
    if (leaf == 0)
        out[0] = leaf_0_eax;
    else if (leaf == 1)
        out[2] = leaf_1_ecx;
    else if (leaf == 0x0a)
        memcpy(out, leaf_a, sizeof leaf_a);
    else
        bank.unknown++;
}

static uint64_t *place_of(uint32_t msr)
{
    if (msr - MSR_PMC0 < bank.general)
        return &bank.counter[msr - MSR_PMC0];
    if (msr - MSR_PERFEVTSEL0 < bank.general)
        return &bank.select[msr - MSR_PERFEVTSEL0];
    if (msr == MSR_CAPABILITIES)
        return &bank.capabilities;
    if (bank.version < 2)
        return NULL;
    if (msr - MSR_FIXED_CTR0 < PMU_MSR_FIXED)
        return &bank.counter[PMU_MSR_GENERAL + msr - MSR_FIXED_CTR0];
    if (msr == MSR_FIXED_CTR_CTRL)
        return &bank.fixed_control;
    if (msr == MSR_GLOBAL_CTRL)
        return &bank.global;
    return msr == MSR_GLOBAL_STATUS ? &bank.status : NULL;
}

static uint64_t msr_read(uint32_t msr)
{
    uint64_t *place = place_of(msr);

    bank.unknown += place == NULL;
    return place ? *place : 0;
}

static void msr_write(uint32_t msr, uint64_t value)
{
    uint64_t *place = place_of(msr);

    if (msr == MSR_GLOBAL_OVF_CTRL && bank.version >= 2) {
        bank.status &= ~value;
    } else if (msr - MSR_A_PMC0 < bank.general && bank.capabilities) {
        bank.counter[msr - MSR_A_PMC0] = value & MASK;
    } else if (msr - MSR_PMC0 < bank.general) {
        *place = (uint64_t)(int64_t)(int32_t)(uint32_t)value & MASK;
    } else if (place) {
        *place = value;
    } else {
        bank.unknown++;
    }
}

/* EVENTS happen to what the general counter N counts; it runs if it is selected and, from version 2
 * on, enabled. */
static void happen(unsigned n, uint64_t events)
{
    if (!(bank.select[n] >> 22 & 1) || (bank.version >= 2 && !(bank.global >> n & 1)))
        return;
    if (bank.counter[n] + events > MASK)
        bank.status |= 1ull << n;
    bank.counter[n] = (bank.counter[n] + events) & MASK;
}

static struct pmu_msr pmu;
static struct pmu_msr_cpu cpu;

/* A PMU of VERSION with four general and three fixed counters. */
static void boot(unsigned version, bool full_width)
{
    memset(&bank, 0, sizeof bank);
    bank.version = version;
    bank.general = 4;
    bank.capabilities = full_width ? 1u << 13 : 0;
    leaf_0_eax = 0x0d;
    leaf_1_ecx = full_width ? 1u << 15 : 0;
    leaf_a[0] = version | 4u << 8 | WIDTH << 16 | 7u << 24;
    leaf_a[1] = 0;
    leaf_a[3] = version >= 2 ? 3 | WIDTH << 5 : 0;
    memset(&pmu, 0, sizeof pmu);
    pmu.read = msr_read;
    pmu.write = msr_write;
    CHECK(pmu_msr_find(&pmu, cpuid));
    pmu_msr_reset(&pmu, &cpu);
}

TEST(pmu_msr_found)
{
    boot(2, true);
    CHECK(pmu.version == 2 && pmu.general == 4 && pmu.fixed == 3 && pmu.width == 48);
    CHECK(pmu.full_width && pmu.events == 0x7f);
    CHECK(bank.unknown == 0 && bank.global == 0);
    leaf_0_eax = 9; /* leaf 0AH is beyond the last */
    CHECK(!pmu_msr_find(&pmu, cpuid));
    leaf_0_eax = 0x0d;
    memset(leaf_a, 0, sizeof leaf_a); /* as under QEMU's TCG */
    CHECK(!pmu_msr_find(&pmu, cpuid));
}

TEST(pmu_msr_events_missing)
{
    struct pmu_event events[PMU_MSR_EVENTS];

    boot(2, true);
    leaf_a[0] = 2 | 4u << 8 | WIDTH << 16 | 6u << 24; /* branch misses: beyond the length */
    leaf_a[1] = 1u << 3;                              /* cache references: said to be missing */
    CHECK(pmu_msr_find(&pmu, cpuid));
    pmu_msr_events(&pmu, events);
    for (unsigned i = 0; i < PMU_MSR_EVENTS; i++)
        CHECK(events[i].supported == (i != 3 && i != 6));
    CHECK(events[0].counters == 0x2f && events[1].counters == 0x1f && events[2].counters == 0x4f);
    CHECK(events[5].counters == 0x0f);
}

TEST(pmu_msr_counts)
{
    boot(2, true);
    pmu_msr_program(&cpu, &pmu, 1, 0xc0, PMC_MODE_U | PMC_MODE_K, false);
    happen(1, 5); /* not started */
    pmu_msr_set_value(&cpu, &pmu, 1, 0x123456789abcull);
    pmu_msr_start(&cpu, &pmu, 1);
    CHECK(bank.select[1] == 0x4300c0);
    happen(1, 7);
    CHECK(pmu_msr_value(&cpu, &pmu, 1) == 0x123456789abcull + 7);
    pmu_msr_stop(&cpu, &pmu, 1);
    happen(1, 9);
    CHECK(pmu_msr_value(&cpu, &pmu, 1) == 0x123456789abcull + 7);
    pmu_msr_program(&cpu, &pmu, 1, 0x412e, PMC_MODE_U, true);
    pmu_msr_start(&cpu, &pmu, 1);
    CHECK(bank.select[1] == 0x51412e);
    CHECK(bank.unknown == 0);
}

TEST(pmu_msr_fixed)
{
    boot(2, true);
    pmu_msr_program(&cpu, &pmu, 4, 0xc0, PMC_MODE_K, false);
    pmu_msr_program(&cpu, &pmu, 6, 0x13c, PMC_MODE_U, true);
    pmu_msr_start(&cpu, &pmu, 4);
    pmu_msr_start(&cpu, &pmu, 6);
    CHECK(bank.fixed_control == 0xa01);
    pmu_msr_stop(&cpu, &pmu, 4);
    CHECK(bank.fixed_control == 0xa00);
    pmu_msr_set_value(&cpu, &pmu, 6, MASK - 1);
    CHECK(bank.counter[PMU_MSR_GENERAL + 2] == MASK - 1);
    CHECK(bank.unknown == 0);
}

/* A period of N: 2^48 - N, and the overflow after exactly N events. */
static void check_period(uint64_t period)
{
    pmu_msr_program(&cpu, &pmu, 0, 0xc0, PMC_MODE_ALL, true);
    pmu_msr_set_value(&cpu, &pmu, 0, -period & MASK);
    pmu_msr_start(&cpu, &pmu, 0);
    happen(0, period - 1);
    CHECK(pmu_msr_overflowed(&cpu, &pmu) == 0);
    happen(0, 1);
    CHECK(pmu_msr_overflowed(&cpu, &pmu) == 1);
    CHECK(pmu_msr_overflowed(&cpu, &pmu) == 0); /* once */
    CHECK(pmu_msr_value(&cpu, &pmu, 0) == 0);
    pmu_msr_stop(&cpu, &pmu, 0);
}

TEST(pmu_msr_periods)
{
    static const uint64_t periods[] = {1, 2, 1000, 100000, 2000000, 1ull << 31};

    for (unsigned version = 1; version <= 2; version++)
        for (unsigned wide = 0; wide < 2; wide++)
            for (unsigned i = 0; i < sizeof periods / sizeof periods[0]; i++) {
                boot(version, wide);
                check_period(periods[i]);
                CHECK(bank.unknown == 0);
            }
    boot(2, true);
    check_period(1ull << 40); /* only full-width writes can */
}

TEST(pmu_msr_narrow_writes)
{
    boot(2, false);
    CHECK(!pmu.full_width);
    pmu_msr_program(&cpu, &pmu, 0, 0x3c, PMC_MODE_ALL, false);
    pmu_msr_set_value(&cpu, &pmu, 0, 0x123480000000ull); /* the register cannot be set to this */
    pmu_msr_start(&cpu, &pmu, 0);
    happen(0, 10);
    CHECK(pmu_msr_value(&cpu, &pmu, 0) == 0x12348000000aull);
    pmu_msr_set_value(&cpu, &pmu, 0, 5);
    happen(0, 3);
    CHECK(pmu_msr_value(&cpu, &pmu, 0) == 8);
}

TEST(pmu_msr_several_overflow)
{
    boot(2, true);
    for (unsigned n = 0; n < 4; n++) {
        pmu_msr_program(&cpu, &pmu, n, 0xc4, PMC_MODE_ALL, true);
        pmu_msr_set_value(&cpu, &pmu, n, MASK - n);
        pmu_msr_start(&cpu, &pmu, n);
    }
    for (unsigned n = 0; n < 4; n++)
        happen(n, 3);
    CHECK(pmu_msr_overflowed(&cpu, &pmu) == 7);
    CHECK(bank.status == 0);
}

/* One write of GLOBAL_CTRL begins and ends all of them; what is held has its control. */
TEST(pmu_msr_together)
{
    boot(2, true);
    for (unsigned n = 0; n < 6; n++) {
        pmu_msr_program(&cpu, &pmu, n, 0x3c, PMC_MODE_ALL, false);
        pmu_msr_set_value(&cpu, &pmu, n, 0);
    }
    pmu_msr_start(&cpu, &pmu, 3);
    CHECK(bank.global == 8);
    pmu_msr_start_all(&cpu, &pmu, 0x33);
    CHECK(bank.global == 0x30000000bull && bank.fixed_control == 0x33);
    happen(0, 5);
    pmu_msr_hold(&cpu, &pmu, 0x33);
    CHECK(bank.global == 8 && bank.select[0] == 0x43003c && bank.fixed_control == 0x33);
    happen(0, 7);
    CHECK(pmu_msr_value(&cpu, &pmu, 0) == 5);
    pmu_msr_start_all(&cpu, &pmu, 1);
    happen(0, 2);
    CHECK(pmu_msr_value(&cpu, &pmu, 0) == 7);
    pmu_msr_stop(&cpu, &pmu, 0);
    pmu_msr_stop(&cpu, &pmu, 1);
    CHECK(bank.global == 8 && bank.select[0] == 0 && bank.select[1] == 0);
    CHECK(bank.unknown == 0);
    boot(1, false);
    pmu_msr_program(&cpu, &pmu, 0, 0x3c, PMC_MODE_ALL, false);
    pmu_msr_program(&cpu, &pmu, 1, 0xc0, PMC_MODE_ALL, false);
    pmu_msr_start_all(&cpu, &pmu, 3);
    CHECK(bank.select[0] == 0x43003c && bank.select[1] == 0x4300c0);
    pmu_msr_hold(&cpu, &pmu, 3);
    CHECK(bank.select[0] == 0 && bank.select[1] == 0 && bank.unknown == 0);
}
