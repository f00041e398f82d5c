/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu:N:vm: what a CPU did about memory, under illumos's names. Nothing is paged out or in, so of
 * those names many are always 0; they are there for who asks for them.
 */
#include "kernel/cpu/cpu.h"
#include "stats/kstat/kstat_values.h"
#include "kernel/device/late.h"
#include "kernel/interrupt/trap_count.h"
#include "kernel/vm/vm_count.h"
#include "lib/errno.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct kstat_value values[] = {
    {"as_fault", KSTAT_DATA_UINT64},   {"hat_fault", KSTAT_DATA_UINT64},
    {"prot_fault", KSTAT_DATA_UINT64}, {"maj_fault", KSTAT_DATA_UINT64},
    {"cow_fault", KSTAT_DATA_UINT64},  {"zfod", KSTAT_DATA_UINT64},
    {"pgin", KSTAT_DATA_UINT64},       {"pgout", KSTAT_DATA_UINT64},
    {"pgpgin", KSTAT_DATA_UINT64},     {"pgpgout", KSTAT_DATA_UINT64},
    {"swapin", KSTAT_DATA_UINT64},     {"swapout", KSTAT_DATA_UINT64},
    {"scan", KSTAT_DATA_UINT64},       {"pgrec", KSTAT_DATA_UINT64},
    {"pgfrec", KSTAT_DATA_UINT64},     {"pgswapin", KSTAT_DATA_UINT64},
    {"pgswapout", KSTAT_DATA_UINT64},  {"rev", KSTAT_DATA_UINT64},
    {"dfree", KSTAT_DATA_UINT64},      {"execpgin", KSTAT_DATA_UINT64},
    {"execpgout", KSTAT_DATA_UINT64},  {"execfree", KSTAT_DATA_UINT64},
    {"anonpgin", KSTAT_DATA_UINT64},   {"anonpgout", KSTAT_DATA_UINT64},
    {"anonfree", KSTAT_DATA_UINT64},   {"fspgin", KSTAT_DATA_UINT64},
    {"fspgout", KSTAT_DATA_UINT64},    {"fsfree", KSTAT_DATA_UINT64},
};

/* as_fault: an address without a translation; hat_fault: one whose translation had to be fetched
 * into the TLB by software; prot_fault: an access that the translation does not allow (MIPS: a
 * store). */
static int kstat_cpu_vm_update(kstat_t *ksp, int how)
{
    unsigned cpu = (unsigned)ksp->ks_instance;
    uint64_t numbers[COUNT(values)] = {0};

    if (how == KSTAT_WRITE)
        return EACCES;
    numbers[0] = trap_count_memory(cpu, TRAP_MEMORY_ABSENT);
    numbers[1] = trap_count_memory(cpu, TRAP_MEMORY_REFILL);
    numbers[2] = trap_count_memory(cpu, TRAP_MEMORY_PROTECTED);
    numbers[4] = vm_count_on(VM_KIND_COPIED, cpu) + vm_count_on(VM_KIND_PROMOTED, cpu);
    numbers[5] = vm_count_on(VM_KIND_ZEROED, cpu);
    return kstat_values_set(ksp, numbers);
}

static void kstat_cpu_vm_create(void)
{
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        kstat_values_create("cpu", (int)cpu, "vm", "misc", values, COUNT(values),
                            kstat_cpu_vm_update, NULL, cpu_of(cpu)->started);
}
LATE(7, kstat_cpu_vm_create);
