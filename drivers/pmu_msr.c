/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of Intel's architectural performance monitoring; see pmu_msr.h. */
#include "drivers/pmu_msr.h"

#define LEAF         0x0a
#define SELECT_USR   0x10000u
#define SELECT_OS    0x20000u
#define SELECT_INT   0x100000u
#define SELECT_EN    0x400000u
#define FIXED_OS     1u /* four bits a counter */
#define FIXED_USR    2u
#define FIXED_PMI    8u
#define PDCM         (1u << 15) /* CPUID 1 ECX: MSR_CAPABILITIES exists */
#define FULL_WIDTH   (1u << 13)
#define GLOBAL_FIXED 32

static const struct pmu_event architectural[PMU_MSR_EVENTS] = {
    {"cycles", "core cycles", 0x003c, 0, PMU_MODELLED, true, PMU_CYCLES},
    {"instructions", "instructions retired", 0x00c0, 0, PMU_EXACT, true, PMU_INSTRUCTIONS},
    {"ref-cycles", "reference cycles", 0x013c, 0, PMU_MODELLED, true, PMU_ITS_OWN},
    {"cache-references", "last level cache references", 0x4f2e, 0, PMU_MODELLED, true, PMU_ITS_OWN},
    {"cache-misses", "last level cache misses", 0x412e, 0, PMU_MODELLED, true, PMU_ITS_OWN},
    {"branches", "branch instructions retired", 0x00c4, 0, PMU_EXACT, true, PMU_ITS_OWN},
    {"branch-misses", "branch instructions retired, mispredicted", 0x00c5, 0, PMU_MODELLED, true,
     PMU_BRANCH_MISSES},
};

/* The event that a fixed counter has: instructions, core cycles, reference cycles. */
static const uint8_t fixed_events[PMU_MSR_FIXED] = {1, 0, 2};

static uint64_t pmu_msr_mask_of(const struct pmu_msr *pmu)
{
    return (1ull << pmu->width) - 1;
}

/* Counter N's bit in the GLOBAL registers. */
static uint64_t pmu_msr_global_bit(const struct pmu_msr *pmu, unsigned n)
{
    return n < pmu->general ? 1ull << n : 1ull << (GLOBAL_FIXED + n - pmu->general);
}

static uint64_t pmu_msr_all_bits(const struct pmu_msr *pmu)
{
    uint64_t bits = 0;

    for (unsigned n = 0; n < pmu->general + pmu->fixed; n++)
        bits |= pmu_msr_global_bit(pmu, n);
    return bits;
}

bool pmu_msr_find(struct pmu_msr *pmu, void (*cpuid)(uint32_t leaf, uint32_t out[4]))
{
    uint32_t out[4];
    unsigned length;

    cpuid(0, out);
    if (out[0] < LEAF)
        return false;
    cpuid(LEAF, out);
    pmu->version = out[0] & 0xff;
    pmu->general = out[0] >> 8 & 0xff;
    pmu->width = out[0] >> 16 & 0xff;
    length = out[0] >> 24;
    if (pmu->version == 0 || pmu->general == 0 || pmu->width < 32 || pmu->width > 63)
        return false;
    /* A bit that is 1, or beyond the length, says that the event is missing. */
    pmu->events = (length >= 32 ? UINT32_MAX : (1u << length) - 1) & ~out[1];
    pmu->fixed = pmu->version >= 2 ? out[3] & 31 : 0;
    if (pmu->general > PMU_MSR_GENERAL)
        pmu->general = PMU_MSR_GENERAL;
    if (pmu->fixed > PMU_MSR_FIXED)
        pmu->fixed = PMU_MSR_FIXED;
    if (pmu->fixed && (out[3] >> 5 & 0xff) != pmu->width)
        pmu->fixed = 0; /* one class has one width */
    cpuid(1, out);
    pmu->full_width = (out[2] & PDCM) && (pmu->read(MSR_CAPABILITIES) & FULL_WIDTH);
    return true;
}

void pmu_msr_reset(const struct pmu_msr *pmu, struct pmu_msr_cpu *cpu)
{
    *cpu = (struct pmu_msr_cpu){0};
    for (unsigned n = 0; n < pmu->general; n++)
        pmu->write(MSR_PERFEVTSEL0 + n, 0);
    if (pmu->version < 2)
        return;
    pmu->write(MSR_FIXED_CTR_CTRL, 0);
    pmu->write(MSR_GLOBAL_OVF_CTRL, pmu_msr_all_bits(pmu));
    pmu->write(MSR_GLOBAL_CTRL, 0);
}

void pmu_msr_program(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, unsigned n, uint32_t code,
                     uint32_t modes, bool interrupt)
{
    bool user = modes & PMC_MODE_U, kernel = modes & (PMC_MODE_K | PMC_MODE_EXL);

    cpu->selected &= ~(1u << n);
    if (n < pmu->general)
        cpu->select[n] = code | SELECT_EN | (user ? SELECT_USR : 0) | (kernel ? SELECT_OS : 0) |
                         (interrupt ? SELECT_INT : 0);
    else
        cpu->select[n] =
            (user ? FIXED_USR : 0) | (kernel ? FIXED_OS : 0) | (interrupt ? FIXED_PMI : 0);
}

/* Counter N's control says what it counts, or 0. */
static void pmu_msr_set_control(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, unsigned n,
                                bool on)
{
    uint64_t control = on ? cpu->select[n] : 0;
    unsigned shift = (n - pmu->general) * 4;

    if (n < pmu->general) {
        pmu->write(MSR_PERFEVTSEL0 + n, control);
    } else {
        cpu->fixed_control = (cpu->fixed_control & ~(15ull << shift)) | control << shift;
        pmu->write(MSR_FIXED_CTR_CTRL, cpu->fixed_control);
    }
    cpu->selected = (cpu->selected & ~(1u << n)) | (uint32_t)on << n;
}

static uint64_t pmu_msr_global_bits(const struct pmu_msr *pmu, uint32_t mask)
{
    uint64_t bits = 0;

    for (unsigned n = 0; mask >> n; n++)
        if (mask >> n & 1)
            bits |= pmu_msr_global_bit(pmu, n);
    return bits;
}

static void pmu_msr_set_global(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, uint64_t global)
{
    cpu->global = global;
    if (pmu->version >= 2)
        pmu->write(MSR_GLOBAL_CTRL, global);
}

void pmu_msr_start_all(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, uint32_t mask)
{
    uint64_t bits = pmu_msr_global_bits(pmu, mask);

    for (unsigned n = 0; mask >> n; n++)
        if ((mask & ~cpu->selected) >> n & 1)
            pmu_msr_set_control(cpu, pmu, n, true);
    pmu_msr_set_global(cpu, pmu, cpu->global | bits);
}

void pmu_msr_hold(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, uint32_t mask)
{
    pmu_msr_set_global(cpu, pmu, cpu->global & ~pmu_msr_global_bits(pmu, mask));
    if (pmu->version < 2) /* the controls are all there is */
        for (unsigned n = pmu->general; n-- > 0;)
            if (mask >> n & 1)
                pmu_msr_set_control(cpu, pmu, n, false);
}

void pmu_msr_start(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, unsigned n)
{
    pmu_msr_start_all(cpu, pmu, 1u << n);
}

void pmu_msr_stop(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, unsigned n)
{
    if (cpu->global & pmu_msr_global_bit(pmu, n))
        pmu_msr_set_global(cpu, pmu, cpu->global & ~pmu_msr_global_bit(pmu, n));
    pmu_msr_set_control(cpu, pmu, n, false);
}

static uint32_t msr_of(const struct pmu_msr *pmu, unsigned n)
{
    return n < pmu->general ? MSR_PMC0 + n : MSR_FIXED_CTR0 + n - pmu->general;
}

uint64_t pmu_msr_value(const struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, unsigned n)
{
    return (pmu->read(msr_of(pmu, n)) + cpu->offset[n]) & pmu_msr_mask_of(pmu);
}

void pmu_msr_set_value(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, unsigned n,
                       uint64_t value)
{
    uint64_t written = value;

    if (n >= pmu->general) {
        pmu->write(msr_of(pmu, n), value);
    } else if (pmu->full_width) {
        pmu->write(MSR_A_PMC0 + n, value);
    } else {
        written = (uint64_t)(int64_t)(int32_t)(uint32_t)value & pmu_msr_mask_of(pmu);
        pmu->write(MSR_PMC0 + n, (uint32_t)value);
    }
    cpu->offset[n] = value - written;
    cpu->armed = (cpu->armed & ~(1u << n)) | (uint32_t)(written >> (pmu->width - 1) & 1) << n;
}

uint32_t pmu_msr_overflowed(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu)
{
    uint32_t counters = 0;
    uint64_t status = 0;

    if (pmu->version >= 2) {
        status = pmu->read(MSR_GLOBAL_STATUS) & pmu_msr_all_bits(pmu);
        if (status)
            pmu->write(MSR_GLOBAL_OVF_CTRL, status);
        for (unsigned n = 0; n < pmu->general + pmu->fixed; n++)
            if (status & pmu_msr_global_bit(pmu, n))
                counters |= 1u << n;
        return counters;
    }
    for (unsigned n = 0; n < pmu->general; n++)
        if ((cpu->armed >> n & 1) && !(pmu->read(MSR_PMC0 + n) >> (pmu->width - 1) & 1))
            counters |= 1u << n;
    cpu->armed &= ~counters;
    return counters;
}

void pmu_msr_events(const struct pmu_msr *pmu, struct pmu_event events[PMU_MSR_EVENTS])
{
    for (unsigned i = 0; i < PMU_MSR_EVENTS; i++) {
        events[i] = architectural[i];
        events[i].supported = pmu->events >> i & 1;
        events[i].counters = (1u << pmu->general) - 1;
        for (unsigned fixed = 0; fixed < pmu->fixed; fixed++)
            if (fixed_events[fixed] == i)
                events[i].counters |= 1u << (pmu->general + fixed);
    }
}
