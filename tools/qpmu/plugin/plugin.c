/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qpmu: performance counters for guests of stock QEMU. Where QEMU enters the plugin. docs/QPMU.md
 * is the manual.
 */
#include "tools/qpmu/plugin/arguments.h"
#include "tools/qpmu/plugin/block.h"
#include "tools/qpmu/plugin/calls.h"
#include "tools/qpmu/plugin/halt.h"
#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/marks.h"
#include "tools/qpmu/plugin/mode.h"
#include "tools/qpmu/plugin/memory.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/reset.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/plugin/snapshot.h"
#include "tools/qpmu/plugin/vcpu.h"
#include "tools/qpmu/plugin/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vcpu vcpus[MAX_VCPUS];
const struct block no_block = {.ends = END_UNKNOWN};
bool one_vcpu, mips, big;
unsigned vcpu_count;
uint64_t vector_base;

static struct arguments arguments = {
    .kind = QPMU_R10K_3X,
    .l2_size = 1 << 20,
    .l2_line = 128,
    .vectors = 0xffffffff80000000ull,
};
static bool total_told;

/*
 * Events that were asked for a short while ago are still added up while others are: a guest whose
 * events take turns would run at another speed in each turn, and what it makes of the time that
 * each turn had would be wrong.
 */
static uint64_t with_recent(struct vcpu *cpu, uint64_t events)
{
    uint64_t now;

    room_take(cpu);
    now = cpu->pmu.raw[QPMU_INSTRUCTIONS] + 1;
    for (unsigned e = 0; e < STATIC_EVENTS; e++) {
        if (events >> e & 1)
            cpu->used[e] = now;
        else if (cpu->used[e] && now - cpu->used[e] < RECENT)
            events |= 1ull << e;
    }
    return events;
}

void vcpu_choose(struct vcpu *cpu)
{
    uint64_t events = cpu->always;

    for (unsigned n = 0; n < cpu->pmu.counters; n++)
        if (cpu->pmu.counter[n].enabled && cpu->pmu.counter[n].event < QPMU_EVENTS)
            events |= 1ull << cpu->pmu.counter[n].event;
    cpu->running_models = events & ~((1ull << STATIC_EVENTS) - 1);
    if (events) /* records tell the instructions */
        events = with_recent(cpu, events | 1ull << QPMU_INSTRUCTIONS);
    cpu->active_count = 0;
    for (unsigned e = QPMU_INSTRUCTIONS + 1; e < STATIC_EVENTS; e++)
        if (events >> e & 1)
            cpu->active[cpu->active_count++] = (uint8_t)e;
    cpu->extra_count = cpu->active_count;
    for (unsigned e = QPMU_CYCLES; e <= QPMU_INSTRUCTIONS; e++)
        if (events >> e & 1)
            cpu->active[cpu->active_count++] = (uint8_t)e;
    room_give(cpu);
}

/* Writes the instructions of each CPU since the machine was switched on. WITHIN stands inside a
 * block and is settled; the others have stopped between two. */
static void tell_total(const struct vcpu *within)
{
    FILE *out = fopen(arguments.total, "w");

    total_told = true;
    if (!out) {
        fprintf(stderr, "qpmu: total=%s: %s\n", arguments.total, strerror(errno));
        return;
    }
    for (unsigned i = 0; i < vcpu_count; i++) {
        if (&vcpus[i] != within)
            settle_last(&vcpus[i]);
        room_take(&vcpus[i]);
        fprintf(out, "%u %" PRIu64 "\n", i, vcpus[i].pmu.raw[QPMU_INSTRUCTIONS]);
        room_give(&vcpus[i]);
    }
    fclose(out);
}

static void ended(void)
{
    watch_ended();
    if (arguments.total && !total_told)
        tell_total(NULL);
}

/* The instruction up to which the total goes is about to be executed. */
static void until_reached(unsigned index, void *unused)
{
    struct vcpu *cpu = vcpu_of(index);
    const struct block *block = block_now(cpu);

    (void)unused;
    if (total_told)
        return;
    for (unsigned i = 0; i < block->count; i++)
        if (block->steps[i].pc == arguments.until) {
            settle_before(cpu, &block->steps[i]);
            tell_total(cpu);
            return;
        }
}

static void translated(struct qemu_plugin_tb *translation)
{
    snapshot_translated(translation);
    block_translated(translation);
    for (size_t i = 0; arguments.until && i < emu_insn_count(translation); i++) {
        struct qemu_plugin_insn *it = emu_insn_at(translation, i);

        if (emu_insn_address(it) == arguments.until)
            emu_call_insn(it, until_reached, NULL);
    }
}

static void find_marks(bool begins)
{
    for (unsigned i = 0; i < vcpu_count; i++)
        if (vcpus[i].begun)
            marks_of(&vcpus[i], begins);
}

static void cpu_begins(unsigned index)
{
    vcpus[index % MAX_VCPUS].begun = true;
    find_marks(true); /* of all, since a second CPU in the same thread changes where they are */
}

static void discontinuity(unsigned index, bool exception, uint64_t from, uint64_t to)
{
    struct vcpu *cpu = vcpu_of(index);
    const struct block *block = block_now(cpu);

    if (level_now() != QPMU_LEVEL_REGISTERS)
        settle_discontinuity(cpu, exception, from);
    if (level_calls())
        calls_interrupted(cpu, block, from);
    mode_vectored(cpu, exception, from, to);
    direct_discontinuity(cpu, exception, from);
}

static void flushed(void)
{
    find_marks(false);
    blocks_forgotten();
    snapshot_flushed();
}

/* Unless it is asked for, only where nothing of it is missing. */
static void begin_direct(void)
{
    bool there = emu.writes, asked = arguments.transparent == TRANSPARENT_ON;

    if (asked && !there)
        fprintf(stderr, "qpmu: transparent=on: this QEMU lets no plugin answer instructions\n");
    direct_begin(there && (asked || (arguments.transparent == TRANSPARENT_AUTO && emu_unwinds())),
                 arguments.pin);
    kind_of_slots = mips ? arguments.kind : QPMU_X86;
    kind_of_machine = mips && direct_is_on() && !arguments.direct_r10k ? QPMU_R2 : kind_of_slots;
}

static void reset_vcpus(void)
{
    for (unsigned i = 0; i < vcpu_count; i++) {
        struct vcpu *cpu = &vcpus[i];

        cpu->index = i;
        cpu->words = cpu->own_words;
        block_set(cpu, &no_block);
        word_leave(cpu, &no_block);
        cpu->pmu.overflow = overflowed;
        cpu->pmu.context = cpu;
        qpmu_cpu_reset(&cpu->pmu, kind_of_machine);
        cpu->status = 4; /* ERL */
        if (arguments.total)
            cpu->always = 1ull << QPMU_INSTRUCTIONS;
        vcpu_choose(cpu);
        qpmu_predictor_reset(&cpu->predictor);
    }
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    if (!emu_begin(id, info, "qpmu"))
        return 0; /* the machine runs, without counters */
    mips = !strncmp(info->target_name, "mips", 4);
    big = mips && !strstr(info->target_name, "el");
    if (!mips && strcmp(info->target_name, "x86_64") != 0) {
        fprintf(stderr, "qpmu: no performance counters for %s\n", info->target_name);
        return -1;
    }
    arguments.base = mips ? 0x80000000u : 0;
    if (!arguments_take(&arguments, argc, argv))
        return -1;
    vector_base = arguments.vectors;
    if (arguments.irq)
        interrupt_argument(arguments.irq);
    if (arguments.halt_waits)
        halt_argument();
    vcpu_count = (unsigned)info->system.max_vcpus;
    if (vcpu_count > MAX_VCPUS)
        vcpu_count = MAX_VCPUS;
    one_vcpu = vcpu_count == 1;
    page_arguments(arguments.ram, arguments.base, big);
    /* At the machine's end there is no next block. */
    if (arguments.public_only)
        emu_public_only();
    begin_direct();
    marks_begin(!emu.discontinuity || arguments.total != NULL);
    reset_vcpus();
    if (!memory_open(arguments.l2_size, arguments.l2_line)) {
        fprintf(stderr,
                "qpmu: l2=%" PRIu64
                ":%u: no such cache; 512 KiB to 16 MiB, a power of two, and lines of 64 or 128\n",
                arguments.l2_size, arguments.l2_line);
        return -1;
    }
    if (arguments.probe) { /* QEMU is not to run; see qemu-pmu */
        printf("qpmu: probe ok api=%d transparent=%s target=%s\n", info->version.cur,
               direct_is_on() ? "on" : "off", info->target_name);
        return -1;
    }
    level_begin(arguments.total ? QPMU_LEVEL_BLOCKS : QPMU_LEVEL_REGISTERS);
    emu_listen(&(struct emu_listener){
        .cpu_begins = cpu_begins,
        .translated = translated,
        .flushed = flushed,
        .ended = ended,
        .discontinuity = discontinuity,
    });
    return 0;
}
