/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals of passed thresholds. One is pending at a time; it says how many there were since the one
 * before. */
#include "kernel/memory/kmem.h"
#include "lib/string.h"
#include "linux/hwperf/hwperf_private.h"

/* A program finds it in si_value.sival_int. */
static void hwperf_signal_add(struct signal_item *item, uint32_t count)
{
    uint32_t before;

    memcpy(&before, &item->info.from.value, sizeof before);
    count += before;
    memcpy(&item->info.from.value, &count, sizeof count);
}

static void hwperf_signal_told(uint32_t id, uint32_t count)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    struct program *program = program_find(id);
    struct signal_item *item = program ? program->hwperf_item : NULL;

    if (item && program->state == PROGRAM_ALIVE && program->hwperf_signal != 0) {
        if (!item->queued) {
            item->info.head.signo = program->hwperf_signal;
            item->info.from.value = 0;
        }
        hwperf_signal_add(item, count);
        (void)signal_send_item(program, NULL, item);
    }
    if (program)
        hwperf_profile_told(program);
    spinlock_release(&program_lock, state);
}

int hwperf_signal_set(struct program *program, int signal)
{
    struct signal_item *item = program->hwperf_item;
    uintptr_t state;

    hwperf_listen(hwperf_signal_told);
    if (!item && signal != 0) {
        item = kmem_zalloc(sizeof *item);
        if (!item)
            return ENOMEM;
        item->kept = true;
        item->info.head.code = SI_KERNEL;
    }
    state = spinlock_acquire(&program_lock);
    program->hwperf_item = item;
    program->hwperf_signal = signal;
    spinlock_release(&program_lock, state);
    return 0;
}
