/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine checks: see machine_check.h. Without them the CPU would shut down, and the machine begin
 * again without a word. */
#include "arch/x86_64/machine_check.h"
#include <arch/cpu.h>
#include <stdbool.h>
#include "lib/format.h"

#define FEATURE_MCE    (1u << 7) /* CPUID 1 EDX */
#define FEATURE_MCA    (1u << 14)
#define CR4_MCE        0x40ul
#define MCG_CAP        0x179 /* 15.3.1.1 */
#define CAP_BANKS      0xffu
#define CAP_CONTROL    0x100u
#define MCG_CTL        0x17b
#define BANK(n)        (0x400 + 4 * (n)) /* 15.3.2: CTL, STATUS, ADDR, MISC */
#define STATUS_VALID   (1ull << 63)
#define STATUS_ADDRESS (1ull << 58)

static bool machine_check_has_banks(void)
{
    uint32_t features[4];

    cpuid(1, features);
    return (features[3] & FEATURE_MCE) && (features[3] & FEATURE_MCA);
}

static unsigned machine_check_banks(void)
{
    return machine_check_has_banks() ? (unsigned)(msr_read(MCG_CAP) & CAP_BANKS) : 0;
}

/* 15.8: all errors of all banks. Bank 0 is the firmware's on old CPUs; it stays as it is. */
void machine_check_boot(void)
{
    unsigned count = machine_check_banks();
    uint64_t cr4;

    if (count == 0)
        return;
    if (msr_read(MCG_CAP) & CAP_CONTROL)
        msr_write(MCG_CTL, UINT64_MAX);
    for (unsigned n = 1; n < count; n++)
        msr_write(BANK(n), UINT64_MAX);
    __asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("movq %0, %%cr4" : : "r"(cr4 | CR4_MCE) : "memory");
}

const char *machine_check_cause(const char *name, uint64_t *address)
{
    static char text[64];
    unsigned count = machine_check_banks();

    for (unsigned n = 0; n < count; n++) {
        uint64_t status = msr_read(BANK(n) + 1u);

        if (!(status & STATUS_VALID))
            continue;
        format(text, sizeof text, "%s, bank %u status 0x%016lx", name, n, (unsigned long)status);
        if (status & STATUS_ADDRESS)
            *address = msr_read(BANK(n) + 2u);
        return text;
    }
    return name;
}
