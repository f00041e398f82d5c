/* SPDX-License-Identifier: BSD-2-Clause */
/* The quickest reading of a counter of the calling thread's own, for measuring short things. */
#pragma once

#include <arch/interrupt_flag.h>
#include <stdint.h>
#include <sys/pmc.h>
#include "kernel/cpu/cpu.h"
#include "kernel/thread/thread.h"
#include "stats/pmc/pmc_private.h"

/* What pmc_get_counter_value says of the caller's counter CTR, below PMC_COUNTERS_MAX; 0 if that
 * fails. At most 30 instructions if the counter runs without a period. Any context. */
static inline uint64_t pmc_count(int ctr)
{
    uintptr_t state = interrupts_save();
    const struct pmc_state *own = cpu_here.current->lwp.l_pmc;
    uint64_t count = 0;

    if (__builtin_expect(own && own->value[ctr], 1)) {
        count = own->value[ctr](own->counts.count, cpu_here.pmc->last);
        interrupts_restore(state);
        return count;
    }
    interrupts_restore(state);
    (void)pmc_get_counter_value(curlwp, ctr, 0, &count);
    return count;
}
