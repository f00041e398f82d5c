/* SPDX-License-Identifier: BSD-2-Clause */
/* The PC buckets of a process, as stats/hwperf/hwperf_profile.h has them: see hwperf.h. */
#include "kernel/hwperf/hwperf_private.h"
#include "kernel/memory/kmem.h"

static struct spinlock hwperf_profile_lock = SPINLOCK_INITIALIZER("PC buckets");

bool hwperf_block_is_profiled(const struct hwperf_block *block)
{
    return *(struct hwperf_profile *const volatile *)&block->profile != NULL;
}

void hwperf_block_set_profile(struct hwperf_block *block, struct hwperf_profile *profile)
{
    uintptr_t state = spinlock_acquire(&hwperf_profile_lock);
    struct hwperf_profile *before = block->profile;

    block->profile = profile;
    block->profile_vm = NULL;
    spinlock_release(&hwperf_profile_lock, state);
    kmem_free(before);
}

void hwperf_profile_inherit(struct hwperf_block *block, const struct hwperf_block *from)
{
    const struct hwperf_profile *model = from->profile;
    struct hwperf_profile *profile;

    if (!model)
        return;
    profile = kmem_alloc((size_t)hwperf_profile_size(model->region, model->regions));
    if (profile)
        hwperf_profile_init(profile, model->region, model->regions);
    block->profile = profile;
}

const struct vm *hwperf_block_vm(struct hwperf_block *block, const struct vm *vm)
{
    if (!block->profile_vm)
        block->profile_vm = vm;
    return block->profile_vm;
}

void hwperf_profile_sample(struct hwperf_block *block, const struct pmc_sample *sample)
{
    spinlock_lock(&hwperf_profile_lock);
    if (block->profile && sample->known)
        hwperf_profile_hit(block->profile, sample->pc, (uint32_t)sample->count);
    else if (block->profile)
        block->profile->missed += sample->count;
    spinlock_unlock(&hwperf_profile_lock);
}

uint64_t hwperf_block_take_hits(struct hwperf_block *block, uint32_t *hits)
{
    uintptr_t state = spinlock_acquire(&hwperf_profile_lock);
    uint64_t address = block->profile ? hwperf_profile_take(block->profile, hits) : 0;

    spinlock_release(&hwperf_profile_lock, state);
    return address;
}

void hwperf_block_miss(struct hwperf_block *block, uint32_t hits)
{
    uintptr_t state = spinlock_acquire(&hwperf_profile_lock);

    if (block->profile) {
        block->profile->counted -= hits;
        block->profile->missed += hits;
    }
    spinlock_release(&hwperf_profile_lock, state);
}

void hwperf_block_hits(struct hwperf_block *block, uint64_t *counted, uint64_t *missed)
{
    uintptr_t state = spinlock_acquire(&hwperf_profile_lock);

    *counted = block->profile ? block->profile->counted : 0;
    *missed = block->profile ? block->profile->missed : 0;
    spinlock_release(&hwperf_profile_lock, state);
}
