/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The level of instrumentation. To change it all translated blocks are forgotten (QEMU calls that a
 * reset of the plugin), which happens when every CPU is between two blocks. It goes up when a
 * control register asks for more, and down only where there is one CPU, which halts.
 *
 * Why not otherwise: an instruction whose memory callbacks QEMU 7.2 enables for a helper's sake,
 * and that leaves its block inside itself (an x86 ret, a delay slot of jr), leaves them enabled.
 * What a helper accesses later, an interrupt's frame above all, is reported to them; and a reset
 * frees them. So what is instrumented when a reset happens must have no such callbacks on x86
 * (block.c asks for none below DATA), and on MIPS, where an interrupt accesses no memory, every
 * instruction that comes later must have callbacks of its own. DATA and ALL are translated alike:
 * from one to the other no reset is needed. A CPU that halts leaves its block in another way, which
 * disables all callbacks.
 */
#include "tools/qpmu/plugin/level.h"

#include "tools/qpmu/plugin/block.h"
#include "tools/qpmu/plugin/memory.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/vcpu.h"

static qemu_plugin_id_t plugin;
int level_is;
static int asked; /* the level that is on its way */
static enum qpmu_level lowest;
static unsigned halts; /* without use of the level */

#define UNUSED_HALTS 64

uint64_t level_events(void)
{
    enum qpmu_level level = level_now();

    return level == QPMU_LEVEL_REGISTERS ? 0 : qpmu_events_of_level(level);
}

static void publish(void)
{
    for (unsigned i = 0; i < vcpu_count; i++) {
        struct vcpu *cpu = &vcpus[i];

        if (cpu->ring.slot)
            page_set64(&cpu->ring.slot->counted, level_events());
    }
}

/* No CPU runs here, and no block is left. */
static void changed(qemu_plugin_id_t id)
{
    int before = level_is;

    level_is = __atomic_load_n(&asked, __ATOMIC_SEQ_CST);
    if (before < QPMU_LEVEL_DATA && level_is >= QPMU_LEVEL_DATA)
        memory_cold();
    publish();
    callbacks_again(id);
}

void level_begin(qemu_plugin_id_t id, enum qpmu_level first)
{
    plugin = id;
    level_is = asked = (int)first;
    lowest = first;
    halts = 0;
    publish();
    callbacks_again(id);
}

void level_ask(enum qpmu_level level)
{
    int before = __atomic_load_n(&asked, __ATOMIC_SEQ_CST);

    /* CPUs ask at the same time: the highest is what comes. */
    while (before < (int)level && !__atomic_compare_exchange_n(&asked, &before, (int)level, false,
                                                               __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
    if (before >= (int)level)
        return;
    if (level_now() < QPMU_LEVEL_DATA) {
        qemu_plugin_reset(plugin, changed);
        return;
    }
    __atomic_store_n(&level_is, (int)level, __ATOMIC_RELAXED);
    publish();
}

/* What the control registers of the only CPU ask for. */
static enum qpmu_level wanted(void)
{
    uint64_t events = qpmu_cpu_wanted(&vcpus[0].pmu);
    enum qpmu_level level = lowest;

    if (events && level < QPMU_LEVEL_BLOCKS)
        level = QPMU_LEVEL_BLOCKS;
    return qpmu_events_level(events) > level ? qpmu_events_level(events) : level;
}

void level_halts(unsigned int index, void *unused)
{
    enum qpmu_level level = wanted();

    (void)index;
    (void)unused;
    if (level >= level_now() || level >= QPMU_LEVEL_DATA || asked != level_is) {
        halts = 0;
        return;
    }
    if (++halts < UNUSED_HALTS)
        return;
    halts = 0;
    asked = (int)level;
    qemu_plugin_reset(plugin, changed);
}
