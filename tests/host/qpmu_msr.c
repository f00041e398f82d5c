/* SPDX-License-Identifier: BSD-2-Clause */
/* Intel's architectural PMU, MSR by MSR. */
#include "tests/host/qpmu_model.h"
#include "tests/host/test.h"

#define EN    X86_EVTSEL_EN
#define BOTH  (X86_EVTSEL_USR | X86_EVTSEL_OS)
#define INSTR 0xc0u

static struct model model;

static uint64_t get(uint32_t msr)
{
    return qpmu_cpu_read(&model.cpu, msr);
}

static void set(uint32_t msr, uint64_t value)
{
    CHECK_EQUAL(qpmu_cpu_write(&model.cpu, msr, value), 0);
}

TEST(qpmu_msr_events)
{
    CHECK_EQUAL(qpmu_x86_event(0x003c), QPMU_CYCLES);
    CHECK_EQUAL(qpmu_x86_event(0x013c), QPMU_CYCLES);
    CHECK_EQUAL(qpmu_x86_event(0x00c0), QPMU_INSTRUCTIONS);
    CHECK_EQUAL(qpmu_x86_event(0x4f2e), QPMU_LLC_REFERENCES);
    CHECK_EQUAL(qpmu_x86_event(0x412e), QPMU_LLC_MISSES);
    CHECK_EQUAL(qpmu_x86_event(0x00c4), QPMU_BRANCHES_ALL);
    CHECK_EQUAL(qpmu_x86_event(0x00c5), QPMU_BRANCH_MISSES);
    CHECK_EQUAL(qpmu_x86_event(0x01c5), QPMU_NO_EVENT);
    CHECK_EQUAL(qpmu_x86_event(0x0000), QPMU_NO_EVENT);
    CHECK_EQUAL(qpmu_x86_event(0x003c | X86_EVTSEL_EDGE), QPMU_WAKEUPS);
    CHECK_EQUAL(qpmu_x86_event(0x00c4 | X86_EVTSEL_EDGE), QPMU_BRANCHES_ALL);
    CHECK_EQUAL(qpmu_x86_event(0x00c0 | 1u << 24), QPMU_INSTRUCTIONS);
    CHECK_EQUAL(qpmu_x86_event(0x00c0 | 2u << 24), QPMU_NO_EVENT);
    CHECK_EQUAL(qpmu_x86_event(0x00c0 | 1u << 24 | 1u << 23), QPMU_STALLS);
    CHECK_EQUAL(qpmu_x86_event(0x00c0 | 16u << 24 | 1u << 23), QPMU_CYCLES);
    CHECK_EQUAL(qpmu_x86_event(0x00c4 | 255u << 24 | 1u << 23), QPMU_CYCLES);
    CHECK_EQUAL(qpmu_x86_event(0x00c4 | 255u << 24), QPMU_NO_EVENT);
    CHECK_EQUAL(qpmu_x86_event(0x00c4 | 1u << 24), QPMU_BRANCHES_ALL);
    CHECK_EQUAL(qpmu_x86_event(0x00c4 | 1u << 24 | 1u << 23), QPMU_NO_EVENT);
    CHECK_EQUAL(qpmu_x86_event(0x412e | 1u << 24), QPMU_NO_EVENT);
    CHECK_EQUAL(qpmu_x86_event(0x4f2e | 2u << 24 | 1u << 23), QPMU_NO_EVENT);
    CHECK_EQUAL(qpmu_x86_event(0x003c | 1u << 24), QPMU_CYCLES);
    CHECK_EQUAL(qpmu_x86_event(0x003c | 1u << 24 | 1u << 23), QPMU_NO_EVENT);
    CHECK_EQUAL(qpmu_x86_event(0x003c | 1u << 24 | X86_EVTSEL_EDGE), QPMU_WAKEUPS);
    CHECK_EQUAL(qpmu_x86_event(0x00c0 | 2u << 24 | 1u << 23 | X86_EVTSEL_EDGE), QPMU_WAKEUPS);
    CHECK_EQUAL(qpmu_x86_event(0x00c0 | 1u << 24 | X86_EVTSEL_EDGE), QPMU_NO_EVENT);
    CHECK_EQUAL(qpmu_x86_event(0x0000 | 2u << 24 | 1u << 23), QPMU_NO_EVENT);
    CHECK_EQUAL(qpmu_x86_event(0x00c0 | 1u << 23), QPMU_INSTRUCTIONS);
}

TEST(qpmu_msr_writes)
{
    model_begin(&model, QPMU_X86);
    CHECK_EQUAL(get(X86_MSR_CAPABILITIES), 1u << 13);
    CHECK_EQUAL(get(X86_MSR_GLOBAL_CTRL), 15);
    set(0xc1, 0xfffffc18); /* N = 1000 */
    CHECK_EQUAL(get(0xc1), 0xfffffffffc18);
    CHECK_EQUAL(get(0x4c1), 0xfffffffffc18);
    set(0xc1, 0x123456789abcdef0);
    CHECK_EQUAL(get(0xc1), 0xffff9abcdef0);
    set(0xc1, 0x100000000 | 0x7fffffff);
    CHECK_EQUAL(get(0xc1), 0x7fffffff);
    set(0x4c4, 0x1234ffe17b80dead);
    CHECK_EQUAL(get(0xc4), 0xffe17b80dead);
    set(0x30b, ~0ull);
    CHECK_EQUAL(get(0x30b), 0xffffffffffff);
    set(0x38f, ~0ull);
    CHECK_EQUAL(get(0x38f), 0x70000000f);
    set(0x38d, 0xffff000);
    CHECK_EQUAL(get(0x38d), 0);
    set(0x38e, ~0ull); /* read only */
    CHECK_EQUAL(get(0x38e), 0);
    CHECK(!qpmu_cpu_has(&model.cpu, 0xc5) && !qpmu_cpu_has(&model.cpu, 0xc0));
    CHECK(!qpmu_cpu_has(&model.cpu, 0x30c) && !qpmu_cpu_has(&model.cpu, 0x391));
    CHECK(!qpmu_cpu_has(&model.cpu, 0x10) && !qpmu_cpu_has(&model.cpu, 0x38c));
}

/* Both enable bits and the mode. */
TEST(qpmu_msr_enables)
{
    for (unsigned bits = 0; bits < 32; bits++) {
        bool global = (bits & 1) != 0;
        bool en = (bits & 2) != 0;
        bool usr = (bits & 4) != 0;
        bool os = (bits & 8) != 0;
        bool user = (bits & 16) != 0;
        bool counts = global && en && (user ? usr : os);

        model_begin(&model, QPMU_X86);
        set(0x38f, global ? 1 | 1ull << 32 : 0);
        set(0x186, INSTR | (en ? EN : 0) | (usr ? X86_EVTSEL_USR : 0) | (os ? X86_EVTSEL_OS : 0));
        set(0x38d, en ? (usr ? 2u : 0) | (os ? 1u : 0) : 0);
        qpmu_cpu_mode(&model.cpu, user ? QPMU_MODE_U : QPMU_MODE_K);
        model.cpu.raw[QPMU_INSTRUCTIONS] += 7;
        CHECK_EQUAL(get(0xc1), counts ? 7 : 0);
        CHECK_EQUAL(get(0x309), counts ? 7 : 0);
        CHECK_EQUAL(qpmu_cpu_modes_matter(&model.cpu), global && en && usr != os);
    }
}

static void preload(uint64_t n, uint64_t value)
{
    CHECK_EQUAL((1ull << 48) - n, value);
    model_begin(&model, QPMU_X86);
    set(0x4c2, value);
    set(0x187, INSTR | EN | BOTH | X86_EVTSEL_INT);
    model.cpu.raw[QPMU_INSTRUCTIONS] += n - 1;
    CHECK(!qpmu_cpu_reached(&model.cpu, QPMU_INSTRUCTIONS));
    model.cpu.raw[QPMU_INSTRUCTIONS]++;
    CHECK(qpmu_cpu_reached(&model.cpu, QPMU_INSTRUCTIONS));
    CHECK_EQUAL(qpmu_cpu_overflow(&model.cpu, QPMU_INSTRUCTIONS), 1);
    CHECK_EQUAL(model.last[1], 0);
    CHECK_EQUAL(get(0x38e), 2);
    CHECK_EQUAL(qpmu_cpu_pending(&model.cpu), 2);
    model.cpu.raw[QPMU_INSTRUCTIONS] += 3;
    CHECK_EQUAL(get(0xc2), 3);
    set(0x390, 1);
    CHECK_EQUAL(get(0x38e), 2);
    set(0x390, 2);
    CHECK_EQUAL(get(0x38e), 0);
    CHECK_EQUAL(qpmu_cpu_pending(&model.cpu), 0);
}

TEST(qpmu_msr_preloads)
{
    preload(1, 0xffffffffffff);
    preload(1000, 0xfffffffffc18);
    preload(100000, 0xfffffffe7960);
    preload(2000000, 0xffffffe17b80);
}

/* Status without INT; the fixed counters' places; several counters of one event. */
TEST(qpmu_msr_status)
{
    model_begin(&model, QPMU_X86);
    set(0x38f, 0x70000000f);
    set(0x4c1, 0xffffffffffff);
    set(0x4c3, 0xfffffffffffe);
    set(0x309, 0xffffffffffff);
    set(0x30a, 0xffffffffffff);
    set(0x30b, 0xfffffffffffd);
    set(0x186, INSTR | EN | BOTH);
    set(0x188, INSTR | EN | BOTH | X86_EVTSEL_INT);
    set(0x38d, 0x3bb); /* PMI of counters 0 and 1 */
    model.cpu.raw[QPMU_INSTRUCTIONS] += 1;
    CHECK_EQUAL(qpmu_cpu_overflow(&model.cpu, QPMU_INSTRUCTIONS), 2);
    CHECK_EQUAL(get(0x38e), 1 | 1ull << 32);
    CHECK_EQUAL(qpmu_cpu_pending(&model.cpu), 1u << 4);
    model.cpu.raw[QPMU_INSTRUCTIONS] += 1;
    CHECK_EQUAL(qpmu_cpu_overflow(&model.cpu, QPMU_INSTRUCTIONS), 1);
    CHECK_EQUAL(get(0x38e), 5 | 1ull << 32);
    CHECK_EQUAL(qpmu_cpu_pending(&model.cpu), 1u << 4 | 1u << 2);
    model.cpu.raw[QPMU_CYCLES] += 3;
    CHECK_EQUAL(qpmu_cpu_overflow(&model.cpu, QPMU_CYCLES), 2);
    CHECK_EQUAL(get(0x38e), 5 | 7ull << 32);
    CHECK_EQUAL(model.last[5], 2); /* it was a step of three */
    CHECK_EQUAL(get(0x30b), 0);
    set(0x390, ~0ull);
    CHECK_EQUAL(get(0x38e), 0);
}

/* Stopping all by one write keeps what is asked for. */
TEST(qpmu_msr_global_stop)
{
    model_begin(&model, QPMU_X86);
    set(0x186, INSTR | EN | BOTH);
    model.cpu.raw[QPMU_INSTRUCTIONS] += 5;
    set(0x38f, 0);
    model.cpu.raw[QPMU_INSTRUCTIONS] += 100;
    CHECK_EQUAL(get(0xc1), 5);
    CHECK_EQUAL(qpmu_cpu_wanted(&model.cpu), 1ull << QPMU_INSTRUCTIONS);
    CHECK_EQUAL(qpmu_cpu_running(&model.cpu), 0);
    CHECK_EQUAL(model.cpu.limit[QPMU_INSTRUCTIONS], UINT64_MAX);
    set(0x38f, 1);
    model.cpu.raw[QPMU_INSTRUCTIONS] += 2;
    CHECK_EQUAL(get(0xc1), 7);
}
