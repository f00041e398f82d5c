/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qpmu: performance counters for guests of stock QEMU. Arguments, and where QEMU enters the plugin.
 * docs/QPMU.md is the manual.
 *
 *     -plugin build/plugins/qpmu.so[,irq=SOCKET][,rev=2.6|3.4][,l2=BYTES:LINE][,vectors=ADDRESS]
 *             [,ram=NAME][,base=ADDRESS][,total=FILE[,until=ADDRESS]]
 */
#include "tools/qpmu/plugin/block.h"
#include "tools/qpmu/plugin/halt.h"
#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/memory.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/plugin/vcpu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PLUGIN_EXPORT int qemu_plugin_version = 1;

struct vcpu vcpus[MAX_VCPUS];
const struct block no_block = {.ends = END_UNKNOWN, .plain_marks = NEVER};
bool one_vcpu, mips, big;
unsigned vcpu_count;
uint64_t vector_base = 0xffffffff80000000ull;

static enum qpmu_kind kind = QPMU_R10K_3X;
static uint64_t l2_size = 1 << 20, ram_base, total_until;
static unsigned l2_line = 128;
static const char *ram_name, *total_path;
static bool total_told;

void vcpu_choose(struct vcpu *cpu)
{
    uint64_t events = cpu->always;

    for (unsigned n = 0; n < cpu->pmu.counters; n++)
        if (cpu->pmu.counter[n].enabled && cpu->pmu.counter[n].event < QPMU_EVENTS)
            events |= 1ull << cpu->pmu.counter[n].event;
    cpu->running_models = events & ~((1ull << STATIC_EVENTS) - 1);
    if (events)
        events |= 1ull << QPMU_INSTRUCTIONS; /* records tell them */
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
    FILE *out = fopen(total_path, "w");

    total_told = true;
    if (!out) {
        fprintf(stderr, "qpmu: total=%s: %s\n", total_path, strerror(errno));
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

static void ended(qemu_plugin_id_t id, void *unused)
{
    (void)id;
    (void)unused;
    if (!total_told)
        tell_total(NULL);
}

/* The instruction up to which the total goes is about to be executed. */
static void until_reached(unsigned index, void *unused)
{
    struct vcpu *cpu = vcpu_of(index);
    const struct block *block = cpu->block;

    (void)unused;
    if (total_told)
        return;
    for (unsigned i = 0; i < block->count; i++)
        if (block->steps[i].pc == total_until) {
            settle_before(cpu, &block->steps[i]);
            tell_total(cpu);
            return;
        }
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *translation)
{
    block_translated(id, translation);
    for (size_t i = 0; total_until && i < qemu_plugin_tb_n_insns(translation); i++) {
        struct qemu_plugin_insn *it = qemu_plugin_tb_get_insn(translation, i);

        if (qemu_plugin_insn_vaddr(it) == total_until)
            qemu_plugin_register_vcpu_insn_exec_cb(it, until_reached, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
}

void callbacks_again(qemu_plugin_id_t id)
{
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_flush_cb(id, blocks_forgotten);
    if (total_path)
        qemu_plugin_register_atexit_cb(id, ended, NULL);
}

static bool number(const char *text, char end, uint64_t *value, const char **rest)
{
    char *stop;

    *value = strtoull(text, &stop, 0);
    if (stop == text || *stop != end)
        return false;
    if (rest)
        *rest = stop + 1;
    return true;
}

static bool take(const char *argument)
{
    const char *value = strchr(argument, '=');
    uint64_t line;

    if (!value++)
        return false;
    if (!strncmp(argument, "irq=", 4))
        interrupt_argument(value);
    else if (!strcmp(argument, "halt=wait"))
        halt_argument();
    else if (!strcmp(argument, "rev=2.6"))
        kind = QPMU_R10K_2X;
    else if (!strcmp(argument, "rev=3.4"))
        kind = QPMU_R10K_3X;
    else if (!strncmp(argument, "ram=", 4))
        ram_name = strdup(value);
    else if (!strncmp(argument, "total=", 6))
        total_path = strdup(value);
    else if (!strncmp(argument, "until=", 6))
        return number(value, '\0', &total_until, NULL);
    else if (!strncmp(argument, "base=", 5))
        return number(value, '\0', &ram_base, NULL);
    else if (!strncmp(argument, "vectors=", 8))
        return number(value, '\0', &vector_base, NULL);
    else if (!strncmp(argument, "l2=", 3)) {
        if (!number(value, ':', &l2_size, &value) || !number(value, '\0', &line, NULL))
            return false;
        l2_line = (unsigned)line;
    } else
        return false;
    return true;
}

static void reset_vcpus(void)
{
    for (unsigned i = 0; i < vcpu_count; i++) {
        struct vcpu *cpu = &vcpus[i];

        cpu->index = i;
        cpu->block = &no_block;
        cpu->pmu.overflow = overflowed;
        cpu->pmu.context = cpu;
        qpmu_cpu_reset(&cpu->pmu, mips ? kind : QPMU_X86);
        cpu->status = 4; /* ERL */
        if (total_path)
            cpu->always = 1ull << QPMU_INSTRUCTIONS;
        vcpu_choose(cpu);
        qpmu_predictor_reset(&cpu->predictor);
    }
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    mips = !strncmp(info->target_name, "mips", 4);
    big = mips && !strstr(info->target_name, "el");
    if (!mips && strcmp(info->target_name, "x86_64") != 0) {
        fprintf(stderr, "qpmu: no performance counters for %s\n", info->target_name);
        return -1;
    }
    ram_base = mips ? 0x80000000u : 0;
    for (int i = 0; i < argc; i++)
        if (!take(argv[i])) {
            fprintf(stderr, "qpmu: bad argument \"%s\"\n", argv[i]);
            return -1;
        }
    vcpu_count = (unsigned)info->system.max_vcpus;
    if (vcpu_count > MAX_VCPUS)
        vcpu_count = MAX_VCPUS;
    one_vcpu = vcpu_count == 1;
    page_arguments(ram_name, ram_base, big);
    reset_vcpus();
    if (!memory_open(l2_size, l2_line)) {
        fprintf(stderr, "qpmu: no such cache: l2=%" PRIu64 ":%u\n", l2_size, l2_line);
        return -1;
    }
    level_begin(id, total_path ? QPMU_LEVEL_BLOCKS : QPMU_LEVEL_REGISTERS);
    return 0;
}
