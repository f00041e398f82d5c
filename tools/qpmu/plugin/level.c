/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The level of instrumentation. To change it all translated blocks are forgotten (QEMU calls that a
 * reset of the plugin), which happens when every CPU is between two blocks. Up at once when a
 * control register asks for more; down only after a long time without use, told in blocks, so that
 * runs repeat.
 */
#include "tools/qpmu/plugin/level.h"

#include "tools/qpmu/plugin/block.h"
#include "tools/qpmu/plugin/memory.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/vcpu.h"

static qemu_plugin_id_t plugin;
static enum qpmu_level now, lowest;
static int asked; /* the level that is on its way */

enum qpmu_level level_now(void)
{
    return now;
}

uint64_t level_events(void)
{
    return now == QPMU_LEVEL_REGISTERS ? 0 : qpmu_events_of_level(now);
}

/* No CPU runs here. */
static void publish(void)
{
    for (unsigned i = 0; i < vcpu_count; i++) {
        struct vcpu *cpu = &vcpus[i];

        cpu->pmu.counted = level_events();
        cpu->unused_models = 0;
        if (cpu->ring.slot)
            page_set64(&cpu->ring.slot->counted, level_events());
    }
}

/* What the control registers of all CPUs ask for, LEVEL at least. */
static enum qpmu_level needed(enum qpmu_level level)
{
    for (unsigned i = 0; i < vcpu_count; i++) {
        enum qpmu_level its = __atomic_load_n(&vcpus[i].needs, __ATOMIC_RELAXED);

        if (its > level)
            level = its;
    }
    return level;
}

/* No CPU runs here, and no block is left. A CPU's write may have been accepted since it was asked
 * to go down. */
static void changed(qemu_plugin_id_t id)
{
    enum qpmu_level before = now;

    now = needed((enum qpmu_level)__atomic_load_n(&asked, __ATOMIC_SEQ_CST));
    if (before < QPMU_LEVEL_DATA && now >= QPMU_LEVEL_DATA)
        memory_cold();
    publish();
    callbacks_again(id);
}

void level_begin(qemu_plugin_id_t id, enum qpmu_level floor)
{
    plugin = id;
    now = lowest = floor;
    asked = (int)floor;
    publish();
    callbacks_again(id);
}

void level_ask(enum qpmu_level level)
{
    __atomic_store_n(&asked, (int)level, __ATOMIC_SEQ_CST);
    qemu_plugin_reset(plugin, changed);
}

void level_unused(void)
{
    enum qpmu_level level = needed(lowest);

    if (level < now)
        level_ask(level);
}
