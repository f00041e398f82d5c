/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A QEMU plugin that counts the instructions of a whole run from power-on, in the plainest way: one
 * callback for each. It shares nothing with tools/qpmu, whose totals it is there to check.
 *
 *     -plugin build/plugins/instructions.so,out=FILE,guest=x86|mips[,from=ADDRESS][,until=ADDRESS]
 *
 * FILE gets a line `N COUNT` for each virtual CPU when QEMU ends, or when the instruction at
 * `until` is about to be executed for the first time. `from`: what was before that is executed for
 * the first time is not in it; the firmware's part is not the same in each run.
 *
 * An instruction is counted when it starts; so those that faulted are in the count, and whoever
 * compares subtracts them (QEMU's `-d int` lists the exceptions). What follows is needed to know
 * whether some kinds of instructions have to be counted:
 * - a repeated x86 string instruction, which QEMU starts once or more for each repetition, is
 *   counted once: when the instruction behind it starts;
 * - the delay slot of a MIPS branch likely, which QEMU starts even if the branch is not taken, is
 *   counted when the branch's target starts. A branch over nothing but its slot tells nothing that
 *   way: such a slot is counted when it accesses memory (one that does not is counted always).
 * - a MIPS branch whose delay slot is in the next block is counted when that starts: after an
 *   interrupt before it the branch is executed again.
 * An interrupt may come in between. Its handler makes no difference, unless it uses the same
 * repeated instruction after that had ended and before the next one began.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/qpmu/qemu/emu.h"

#define MAX_CPUS 64
#define MAX_OPEN 16
#define MAX_CUT  64

/* An instruction that counts if control gets to `yes` before it gets to `no`. */
struct open {
    uint64_t address, yes, no;
    int repeated; /* it may start again before that */
};

struct cpu {
    uint64_t count;
    struct open open[MAX_OPEN];
    int open_count;
    int seen;
};

static struct cpu cpus[MAX_CPUS];
static const char *out_path;
static int is_mips, told;
static uint64_t from, until;
/* Slots of branches likely that are the last instructions of their pages, and so of their blocks.
 */
static struct open cut[MAX_CUT];
static unsigned cut_count;

static void tell(void)
{
    FILE *out = fopen(out_path, "w");

    told = 1;
    if (!out) {
        perror(out_path);
        return;
    }
    for (int i = 0; i < MAX_CPUS; i++)
        if (cpus[i].seen)
            fprintf(out, "%d %" PRIu64 "\n", i, cpus[i].count);
    fclose(out);
}

/* An instruction starts: this may decide an open one, mostly the last. */
static struct cpu *arrive(unsigned int index, uint64_t address)
{
    struct cpu *cpu = &cpus[emu_cpu(index) % MAX_CPUS];

    cpu->seen = 1;
    for (int i = cpu->open_count - 1; i >= 0; i--) {
        struct open open = cpu->open[i];

        int again = open.repeated && open.address == address;

        if (open.yes != address && open.no != address && !again)
            continue;
        cpu->open_count--;
        memmove(&cpu->open[i], &cpu->open[i + 1], (size_t)(cpu->open_count - i) * sizeof open);
        cpu->count += open.yes == address && !again;
        break;
    }
    if (from && address == from) {
        for (int i = 0; i < MAX_CPUS; i++)
            cpus[i].count = 0;
        from = 0;
    }
    if (until && address == until && !told)
        tell();
    return cpu;
}

static void plain(unsigned int index, void *address)
{
    arrive(index, (uintptr_t)address)->count++;
}

/* A slot starts that counts only if it accesses memory. */
static void silent(unsigned int index, void *address)
{
    arrive(index, (uintptr_t)address);
}

static void accessed(unsigned int index, emu_access info, uint64_t where, void *unused)
{
    (void)info;
    (void)where;
    (void)unused;
    cpus[emu_cpu(index) % MAX_CPUS].count++;
}

static void undecided(unsigned int index, void *arg)
{
    const struct open *open = arg;
    struct cpu *cpu = arrive(index, open->address);

    if (cpu->open_count == MAX_OPEN)
        abort();
    cpu->open[cpu->open_count++] = *open;
}

/* Whether the bytes are a string instruction (ins, outs, movs, cmps, stos, lods, scas) with a
 * repeat prefix. */
static int is_repeated(const uint8_t *bytes, size_t size)
{
    int repeat = 0;

    for (size_t i = 0; i < size; i++) {
        uint8_t b = bytes[i];

        if (b == 0xf2 || b == 0xf3)
            repeat = 1;
        else if (b == 0x26 || b == 0x2e || b == 0x36 || b == 0x3e || (b >= 0x64 && b <= 0x67) ||
                 b == 0xf0)
            continue;
        else if ((b & 0xf0) == 0x40 && i + 1 < size)
            continue; /* REX; outside 64-bit code an inc or dec, which ends the instruction */
        else
            return repeat && ((b >= 0x6c && b <= 0x6f) || (b >= 0xa4 && b <= 0xa7) ||
                              (b >= 0xaa && b <= 0xaf));
    }
    return 0;
}

/*
 * Whether the bytes, most significant first, are a branch that compares a register with itself, or
 * $0 with 0, so that it is never taken: QEMU makes it a plain instruction, and leaves the slot of a
 * likely one out. Not bltzal.
 */
static int is_never(const uint8_t *bytes)
{
    unsigned opcode = bytes[0] >> 2, rs = (bytes[0] & 3u) << 3 | bytes[1] >> 5;
    unsigned rt = bytes[1] & 31;

    if (opcode == 5 || opcode == 0x15) /* bne, bnel */
        return rs == rt;
    return rs == 0 && (opcode == 7 || opcode == 0x17 || /* bgtz, bgtzl */
                       (opcode == 1 && (rt == 0 || rt == 2 || rt == 0x12)));
}

/* Whether the bytes, most significant first, are a branch likely. */
static int is_likely(const uint8_t *bytes)
{
    unsigned opcode = bytes[0] >> 2, rs = (bytes[0] & 3u) << 3 | bytes[1] >> 5;
    unsigned rt = bytes[1] & 31;

    if (is_never(bytes))
        return 0;
    return (opcode >= 0x14 && opcode <= 0x17) ||                        /* beql to bgtzl */
           (opcode == 1 && (rt & 0x0e) == 2) ||                         /* bltzl to bgezall */
           ((opcode == 0x11 || opcode == 0x12) && rs == 8 && (rt & 2)); /* bc1fl, bc1tl, ... */
}

/* Whether the bytes, most significant first, are a branch or jump: it has a delay slot. */
static int is_branch(const uint8_t *bytes)
{
    unsigned opcode = bytes[0] >> 2, rt = bytes[1] & 31, function = bytes[3] & 63;

    if (is_never(bytes))
        return 0;
    return is_likely(bytes) || (opcode >= 2 && opcode <= 7) || opcode == 0x1d ||
           (opcode == 0 && (function == 8 || function == 9)) || (opcode == 1 && (rt & 0x0e) == 0) ||
           ((opcode == 0x11 || opcode == 0x12) && (bytes[0] & 3) == 1 && bytes[1] >> 5 == 0);
}

/* What decides the slot of BRANCH; 0 if that is no branch likely. */
static int slot_of(const struct qemu_plugin_insn *branch, struct open *open)
{
    uint64_t slot = emu_insn_address(branch) + 4, target;
    uint8_t bytes[EMU_LONGEST];

    emu_insn_bytes(branch, bytes);
    target = slot + (uint64_t)(int64_t)(int16_t)(bytes[2] << 8 | bytes[3]) * 4;
    *open = (struct open){.address = slot, .yes = target, .no = slot + 4};
    return is_likely(bytes);
}

/* Loads, stores, ldl, ldr; not cache and pref. */
static int accesses(const struct qemu_plugin_insn *instruction)
{
    uint8_t bytes[EMU_LONGEST];
    unsigned opcode;

    emu_insn_bytes(instruction, bytes);
    opcode = bytes[0] >> 2;
    return opcode == 0x1a || opcode == 0x1b || (opcode >= 0x20 && opcode != 0x2f && opcode != 0x33);
}

static void remember_cut(const struct qemu_plugin_tb *block, size_t n)
{
    struct open open;

    if (!is_mips || !slot_of(emu_insn_at(block, n - 1), &open))
        return;
    for (unsigned i = 0; i < cut_count; i++)
        if (cut[i].address == open.address)
            return;
    if (cut_count == MAX_CUT)
        abort();
    cut[cut_count++] = open;
}

/* What the instruction at INDEX of the block needs to be decided by; 0 if nothing. */
static int needs(const struct qemu_plugin_tb *block, size_t index, struct open *open)
{
    const struct qemu_plugin_insn *instruction = emu_insn_at(block, index);
    uint64_t address = emu_insn_address(instruction);
    uint8_t bytes[EMU_LONGEST];

    emu_insn_bytes(instruction, bytes);
    *open = (struct open){.address = address};
    if (!is_mips) {
        open->yes = open->no = address + emu_insn_size(instruction);
        open->repeated = 1;
        return is_repeated(bytes, emu_insn_size(instruction));
    }
    if (index == emu_insn_count(block) - 1 && is_branch(bytes)) {
        open->yes = open->no = address + 4;
        open->repeated = 1;
        return 1;
    }
    for (unsigned i = 0; index == 0 && i < cut_count; i++)
        if (cut[i].address == address) {
            *open = cut[i];
            return 1;
        }
    return index > 0 && slot_of(emu_insn_at(block, index - 1), open);
}

static void translated(struct qemu_plugin_tb *block)
{
    size_t n = emu_insn_count(block);

    remember_cut(block, n);
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *instruction = emu_insn_at(block, i);
        uintptr_t address = (uintptr_t)emu_insn_address(instruction);
        struct open open, *kept;

        if (!needs(block, i, &open)) {
            emu_call_insn(instruction, plain, (void *)address);
            continue;
        }
        if (is_mips && !open.repeated && open.yes == open.no && accesses(instruction)) {
            emu_call_insn(instruction, silent, (void *)address);
            emu_call_access(instruction, EMU_ACCESSES, accessed, NULL);
            continue;
        }
        kept = malloc(sizeof *kept); /* for ever: the block may run at any later time */
        if (!kept)
            abort();
        *kept = open;
        emu_call_insn(instruction, undecided, kept);
    }
}

static void ended(void)
{
    if (!told)
        tell();
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    const char *guest = "";

    if (!emu_begin(id, info, "instructions"))
        return -1;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "out=", 4)) {
            out_path = strdup(argv[i] + 4);
        } else if (!strncmp(argv[i], "guest=", 6)) {
            guest = argv[i] + 6;
        } else if (!strncmp(argv[i], "from=", 5)) {
            from = strtoull(argv[i] + 5, NULL, 0);
        } else if (!strncmp(argv[i], "until=", 6)) {
            until = strtoull(argv[i] + 6, NULL, 0);
        } else {
            fprintf(stderr, "instructions: bad argument \"%s\"\n", argv[i]);
            return -1;
        }
    }
    is_mips = !strcmp(guest, "mips");
    if (!out_path || (!is_mips && strcmp(guest, "x86"))) {
        fprintf(stderr, "instructions: the arguments are out=FILE and guest=x86 or guest=mips\n");
        return -1;
    }
    emu_listen(&(struct emu_listener){.translated = translated, .ended = ended});
    return 0;
}
