/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which plugin interface this QEMU has, and what it calls. See abi.h for what differs.
 */
#define _GNU_SOURCE
#include "tools/qpmu/qemu/abi.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEWEST   7
#define MAX_CPUS 256

/* QEMU reads this when the plugin is loaded, after begin(), and refuses what it does not have. */
PLUGIN_EXPORT int qemu_plugin_version = 1;

struct emu emu;
static qemu_plugin_id_t plugin;
static struct emu_listener listener;
static void (*forgotten)(void);
static bool two_steps; /* see discontinuity_7 */

/* --- which one ------------------------------------------------------------------------------- */

static const char release_text[] = "QEMU emulator version ";

/* QEMU's release as its --version prints it, 100 * major + minor, found among the constants of the
 * program that runs; 0: not found. */
static int release_in(struct dl_phdr_info *program, size_t size, void *release)
{
    (void)size;
    for (unsigned i = 0; i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &program->dlpi_phdr[i];
        const char *begin = (const char *)(uintptr_t)(program->dlpi_addr + part->p_vaddr), *found;
        unsigned major, minor;

        if (part->p_type != PT_LOAD || (part->p_flags & (PF_W | PF_X)) != 0)
            continue;
        found = memmem(begin, part->p_memsz, release_text, sizeof(release_text) - 1);
        if (found && sscanf(found + sizeof(release_text) - 1, "%u.%u", &major, &minor) == 2)
            *(int *)release = (int)(major * 100 + minor);
    }
    return 1; /* the program comes first, and only it counts */
}

/*
 * 6 and 7 have the same functions, of which 7 (QEMU 11.1) calls back in another way. QEMU says
 * which one it is only after it has accepted the plugin, for which that must be known.
 */
static bool is_before_7(void)
{
    int release = 0;

    dl_iterate_phdr(release_in, &release);
    return release != 0 && release < 1101;
}

/* Before QEMU looks at qemu_plugin_version. */
static void __attribute__((constructor)) begin(void)
{
    if (qemu_plugin_set_pc)
        qemu_plugin_version = is_before_7() ? 6 : NEWEST;
    else if (qemu_plugin_read_memory_vaddr)
        qemu_plugin_version = 4;
    else if (qemu_plugin_scoreboard_new)
        qemu_plugin_version = 2;
}

bool emu_begin(qemu_plugin_id_t id, const qemu_info_t *info, const char *name)
{
    int api = info->version.cur;

    if (api > NEWEST) {
        fprintf(stderr,
                "%s: QEMU's plugin interface %d is not known, only 1 to %d: nothing is counted\n",
                name, api, NEWEST);
        return false;
    }
    plugin = id;
    emu.api = api < 1 ? 1 : api;
    emu.cpus = (unsigned)info->system.max_vcpus;
    emu.access_ends = api >= 2;
    emu.forgets = emu.access_ends || (qemu_plugin_disable_mem_helpers && qemu_get_cpu);
    two_steps = !strcmp(info->target_name, "x86_64");
    emu.relative = api >= 2 && two_steps;
    emu.narrow = !strcmp(info->target_name, "mips") || !strcmp(info->target_name, "mipsel");
    emu.registers = api >= 2;
    emu.discontinuity = api >= 6;
    emu.writes = api >= 6 && qemu_plugin_write_register && qemu_plugin_write_memory_hwaddr;
    return true;
}

/* An address as a 64-bit CPU has it. */
static uint64_t wide(uint64_t address)
{
    return emu.narrow ? (uint64_t)(int64_t)(int32_t)address : address;
}

/* --- what QEMU calls -------------------------------------------------------------------------- */

/*
 * QEMU 7.2 may leave callbacks of accesses enabled that it frees with the translations (level.c);
 * what it reports to them then ends it. It exports what disables them, though not as a part of the
 * plugin interface. No CPU runs here.
 */
static void flushed(void)
{
    for (unsigned cpu = 0; emu.forgets && !emu.access_ends && cpu < emu.cpus; cpu++)
        if (qemu_get_cpu((int)cpu))
            qemu_plugin_disable_mem_helpers(qemu_get_cpu((int)cpu));
    if (listener.flushed)
        listener.flushed();
}

static void translated_1(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    listener.translated(block);
}

static void translated_7(struct qemu_plugin_tb *block, void *unused)
{
    (void)unused;
    listener.translated(block);
}

/*
 * On x86 an exception comes in two steps (QEMU 11.1): first one that leads nowhere, from wherever
 * QEMU had last stored the PC, then what calls itself an interrupt, from the instruction.
 */
static void discontinuity_7(unsigned cpu, int type, uint64_t from, uint64_t to, void *unused)
{
    static bool raised[MAX_CPUS]; /* the first step was made */
    bool exception = type == QEMU_PLUGIN_DISCON_EXCEPTION;

    (void)unused;
    if (two_steps && exception && from == to) {
        raised[cpu % MAX_CPUS] = true;
        return;
    }
    exception |= raised[cpu % MAX_CPUS];
    raised[cpu % MAX_CPUS] = false;
    listener.discontinuity(cpu, exception, wide(from), wide(to));
}

static void discontinuity_6(qemu_plugin_id_t id, unsigned cpu, int type, uint64_t from, uint64_t to)
{
    (void)id;
    discontinuity_7(cpu, type, from, to, NULL);
}

static void cpu_begins_7(unsigned cpu, void *unused)
{
    (void)unused;
    emu_cpu_begins(cpu);
    if (listener.cpu_begins)
        listener.cpu_begins(cpu);
}

static void cpu_begins_1(qemu_plugin_id_t id, unsigned cpu)
{
    (void)id;
    cpu_begins_7(cpu, NULL);
}

#define EITHER(last) (emu.api < 7 ? (void (*)(void))last##_1 : (void (*)(void))last##_7)

static void register_all(void)
{
    qemu_plugin_register_vcpu_init_cb(plugin, EITHER(cpu_begins), NULL);
    if (listener.translated)
        qemu_plugin_register_vcpu_tb_trans_cb(plugin, EITHER(translated), NULL);
    /* These look at nothing that QEMU passes. */
    qemu_plugin_register_flush_cb(plugin, flushed, NULL);
    if (listener.ended)
        qemu_plugin_register_atexit_cb(plugin, listener.ended, NULL);
    if (emu.discontinuity && listener.discontinuity)
        qemu_plugin_register_vcpu_discon_cb(
            plugin, QEMU_PLUGIN_DISCON_INTERRUPT | QEMU_PLUGIN_DISCON_EXCEPTION,
            emu.api < 7 ? (void (*)(void))discontinuity_6 : (void (*)(void))discontinuity_7, NULL);
}

void emu_listen(const struct emu_listener *whom)
{
    listener = *whom;
    register_all();
}

static void reset_done(void)
{
    void (*done)(void) = forgotten;

    forgotten = NULL;
    done();
    register_all();
}

void emu_forget(void (*done)(void))
{
    forgotten = done;
    qemu_plugin_reset(plugin, reset_done, NULL);
}

/* --- instructions ------------------------------------------------------------------------------
 */

size_t emu_insn_count(const struct qemu_plugin_tb *block)
{
    return qemu_plugin_tb_n_insns(block);
}

struct qemu_plugin_insn *emu_insn_at(const struct qemu_plugin_tb *block, size_t index)
{
    return qemu_plugin_tb_get_insn(block, index);
}

uint64_t emu_insn_address(const struct qemu_plugin_insn *insn)
{
    return wide(qemu_plugin_insn_vaddr(insn));
}

size_t emu_insn_size(const struct qemu_plugin_insn *insn)
{
    return qemu_plugin_insn_size(insn);
}

void emu_insn_bytes(const struct qemu_plugin_insn *insn, uint8_t bytes[EMU_LONGEST])
{
    size_t size = qemu_plugin_insn_size(insn);
    const void *data;

    memset(bytes, 0, EMU_LONGEST);
    data = qemu_plugin_insn_data(insn, bytes, EMU_LONGEST);
    if (emu.api < 3)
        memcpy(bytes, data, size < EMU_LONGEST ? size : EMU_LONGEST);
}

void *emu_insn_place(const struct qemu_plugin_insn *insn)
{
    return qemu_plugin_insn_haddr(insn);
}

/* --- calls --------------------------------------------------------------------------------------
 */

void emu_call_block(struct qemu_plugin_tb *block, emu_call *call, void *arg)
{
    qemu_plugin_register_vcpu_tb_exec_cb(block, call, NO_REGISTERS, arg);
}

void emu_call_insn(struct qemu_plugin_insn *insn, emu_call *call, void *arg)
{
    qemu_plugin_register_vcpu_insn_exec_cb(insn, call, NO_REGISTERS, arg);
}

void emu_call_reading(struct qemu_plugin_insn *insn, emu_call *call, void *arg)
{
    qemu_plugin_register_vcpu_insn_exec_cb(insn, call, READS_REGISTERS, arg);
}

void emu_call_writing(struct qemu_plugin_insn *insn, emu_call *call, void *arg)
{
    qemu_plugin_register_vcpu_insn_exec_cb(insn, call, WRITES_PC, arg);
}

void emu_call_access(struct qemu_plugin_insn *insn, enum emu_which which, emu_access_call *call,
                     void *arg)
{
    qemu_plugin_register_vcpu_mem_cb(insn, call, NO_REGISTERS, (int)which, arg);
}

bool emu_access_stores(emu_access access)
{
    return qemu_plugin_mem_is_store(access);
}

unsigned emu_access_size(emu_access access)
{
    return 1u << qemu_plugin_mem_size_shift(access);
}

bool emu_access_ram(emu_access access, uint64_t address, uint64_t *physical)
{
    struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(access, address);

    if (!where || qemu_plugin_hwaddr_is_io(where))
        return false;
    *physical = qemu_plugin_hwaddr_phys_addr(where);
    return true;
}
