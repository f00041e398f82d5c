/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The level of instrumentation. To change it all translated blocks are forgotten, which happens
 * when every CPU is between two blocks. It goes up when a control register asks for more, and down
 * when CPUs have halted for some time without use of it.
 *
 * On QEMU 7.2 (!emu.access_ends) an instruction whose memory callbacks QEMU enables for a helper's
 * sake, and with which its block ends (an x86 ret or popf, the last one of a page, a delay slot of
 * jr), may leave them enabled. What a helper accesses later, an interrupt's frame above all, is
 * reported to them: so they take the instruction's own accesses only (memory_leaving). And when
 * translations are forgotten they are freed while they are enabled: emu.c disables them, if QEMU
 * lets it (emu.forgets). If not, what is instrumented when translations are forgotten must have no
 * such callbacks on x86: block.c asks for none below DATA, and for none at all with several CPUs,
 * of which one forgets the others' translations when it fills QEMU's buffer; and the level goes
 * down only with one CPU, which halts: it leaves its block in another way, which disables them all.
 * On MIPS, where an interrupt accesses no memory, every instruction that comes later must have
 * callbacks of its own.
 *
 * DATA and ALL are translated alike: from one to the other nothing is forgotten.
 */
#include "tools/qpmu/plugin/level.h"

#include "tools/qpmu/plugin/block.h"
#include "tools/qpmu/plugin/calls.h"
#include "tools/qpmu/plugin/memory.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/reset.h"
#include "tools/qpmu/plugin/vcpu.h"

int level_is;
bool steps_are, calls_are;
static int asked; /* the level that is on its way */
static bool steps_asked, calls_asked;
static enum qpmu_level lowest;
static unsigned halts; /* without use of the level */

#define UNUSED_HALTS 64u /* of each CPU */

uint64_t level_events(void)
{
    enum qpmu_level level = level_now();

    return level == QPMU_LEVEL_REGISTERS ? 0 : qpmu_events_of_level(level);
}

static void publish(void)
{
    for (unsigned i = 0; i < vcpu_count; i++) {
        struct vcpu *cpu = &vcpus[i];

        if (cpu->ring.slot && !reset_missed(cpu))
            ring_tell(&cpu->ring, level_events(), level_calls());
    }
}

bool level_can_call(void)
{
    return mips || leaving_heard(QPMU_LEVEL_BLOCKS);
}

/* Whether records are to tell callers. */
static bool calls_wanted(void)
{
    bool wanted = false;

    for (unsigned i = 0; i < vcpu_count; i++)
        wanted |= __atomic_load_n(&vcpus[i].ring.callers, __ATOMIC_RELAXED) != 0;
    return wanted && level_can_call();
}

/* What the control registers ask for. */
static enum qpmu_level wanted(void)
{
    enum qpmu_level level = lowest;
    uint64_t events = 0;

    for (unsigned i = 0; i < vcpu_count; i++)
        events |= __atomic_load_n(&vcpus[i].wanted, __ATOMIC_RELAXED);
    if ((events || calls_wanted()) && level < QPMU_LEVEL_BLOCKS)
        level = QPMU_LEVEL_BLOCKS;
    return qpmu_events_level(events) > level ? qpmu_events_level(events) : level;
}

static bool steps_wanted(void)
{
    bool wanted = false;

    for (unsigned i = 0; i < vcpu_count; i++)
        wanted |= __atomic_load_n(&vcpus[i].direct.near, __ATOMIC_RELAXED);
    return wanted;
}

/* No CPU runs here, and no block is left. Registers may have been written since it was decided to
 * go down. */
static void changed(void)
{
    int before = level_is, level = __atomic_load_n(&asked, __ATOMIC_SEQ_CST);

    if (level < (int)wanted())
        level = (int)wanted();
    level_is = level;
    __atomic_store_n(&asked, level, __ATOMIC_SEQ_CST);
    steps_are = steps_wanted();
    __atomic_store_n(&steps_asked, steps_are, __ATOMIC_SEQ_CST);
    if (calls_are != calls_wanted())
        calls_forget();
    calls_are = calls_wanted();
    __atomic_store_n(&calls_asked, calls_are, __ATOMIC_SEQ_CST);
    if (before < QPMU_LEVEL_DATA && level_is >= QPMU_LEVEL_DATA) {
        (void)page_open(); /* who makes no hypercall has not asked for it */
        memory_cold();
    }
    publish();
}

void level_begin(enum qpmu_level first)
{
    level_is = asked = (int)first;
    lowest = first;
    halts = 0;
    publish();
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
        emu_forget(changed);
        return;
    }
    __atomic_store_n(&level_is, (int)level, __ATOMIC_RELAXED);
    publish();
}

void level_ask_steps(void)
{
    if (!__atomic_exchange_n(&steps_asked, true, __ATOMIC_SEQ_CST))
        emu_forget(changed);
}

void level_ask_calls(void)
{
    if (!__atomic_exchange_n(&calls_asked, true, __ATOMIC_SEQ_CST))
        emu_forget(changed);
}

bool level_goes_down(void)
{
    return emu.forgets || one_vcpu;
}

void level_halts(unsigned int index, void *unused)
{
    int level = (int)wanted(), now = (int)level_now();
    bool unused_more = (level_steps() && !steps_wanted()) || (level_calls() && !calls_wanted());

    (void)index;
    (void)unused;
    if ((!unused_more && (level >= now || level >= (int)QPMU_LEVEL_DATA)) ||
        now != __atomic_load_n(&asked, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&halts, 0, __ATOMIC_RELAXED);
        return;
    }
    if (__atomic_add_fetch(&halts, 1, __ATOMIC_RELAXED) < UNUSED_HALTS * vcpu_count)
        return;
    __atomic_store_n(&halts, 0, __ATOMIC_RELAXED);
    if (level > now)
        level = now;
    if (__atomic_compare_exchange_n(&asked, &now, level, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        emu_forget(changed);
}
