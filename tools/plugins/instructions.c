/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A QEMU plugin that counts the instructions of a whole run from power-on, in the plainest way: one
 * callback for each. It shares nothing with tools/qpmu, whose totals it is there to check.
 *
 *     -plugin build/plugins/instructions.so,out=FILE[,strings=on]
 *
 * FILE gets a line `cpu N COUNT` for each virtual CPU when QEMU ends.
 *
 * An instruction is counted when it starts; so those that faulted are in the count, and whoever
 * compares subtracts them (QEMU's `-d int` lists the exceptions). With strings=on, for x86 guests,
 * a repeated string instruction, which QEMU starts once or more for each repetition, is counted
 * once: when the instruction behind it starts. What an interrupt's handler does in between does not
 * matter, unless it uses the same repeated instruction after that had ended and before the next one
 * began.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_api.h"

#define MAX_CPUS 64
/* Repeated instructions that were interrupted by a handler that uses others. */
#define MAX_OPEN 16

struct cpu {
    uint64_t count;
    uint64_t behind[MAX_OPEN]; /* addresses behind repeated instructions that have not ended */
    int open;
    int seen;
};

PLUGIN_EXPORT int qemu_plugin_version = 1;

static struct cpu cpus[MAX_CPUS];
static const char *out_path;
static int strings;

/* Ends the repeated instruction in front of ADDRESS, if there is one. */
static struct cpu *arrive(unsigned int index, uint64_t address)
{
    struct cpu *cpu = &cpus[index % MAX_CPUS];

    cpu->seen = 1;
    if (cpu->open > 0 && cpu->behind[cpu->open - 1] == address) {
        cpu->open--;
        cpu->count++;
    }
    return cpu;
}

static void plain(unsigned int index, void *address)
{
    arrive(index, (uintptr_t)address)->count++;
}

struct repeated {
    uint64_t address, behind;
};

static void repeated(unsigned int index, void *arg)
{
    const struct repeated *instruction = arg;
    struct cpu *cpu = arrive(index, instruction->address);

    if (cpu->open > 0 && cpu->behind[cpu->open - 1] == instruction->behind)
        return;
    if (cpu->open == MAX_OPEN)
        abort();
    cpu->behind[cpu->open++] = instruction->behind;
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

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    size_t n = qemu_plugin_tb_n_insns(block);

    (void)id;
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        uint64_t address = qemu_plugin_insn_vaddr(instruction);
        size_t size = qemu_plugin_insn_size(instruction);
        struct repeated *string;

        if (!strings || !is_repeated(qemu_plugin_insn_data(instruction), size)) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, plain, QEMU_PLUGIN_CB_NO_REGS,
                                                   (void *)(uintptr_t)address);
            continue;
        }
        string = malloc(sizeof *string); /* kept: the block may run at any later time */
        if (!string)
            abort();
        *string = (struct repeated){.address = address, .behind = address + size};
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, repeated, QEMU_PLUGIN_CB_NO_REGS,
                                               string);
    }
}

static void ended(qemu_plugin_id_t id, void *arg)
{
    FILE *out = fopen(out_path, "w");

    (void)id;
    (void)arg;
    if (!out) {
        perror(out_path);
        return;
    }
    for (int i = 0; i < MAX_CPUS; i++)
        if (cpus[i].seen)
            fprintf(out, "cpu %d %" PRIu64 "\n", i, cpus[i].count);
    fclose(out);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "out=", 4)) {
            out_path = strdup(argv[i] + 4);
        } else if (!strcmp(argv[i], "strings=on")) {
            strings = 1;
        } else {
            fprintf(stderr, "instructions: bad argument \"%s\"\n", argv[i]);
            return -1;
        }
    }
    if (!out_path) {
        fprintf(stderr, "instructions: out=FILE is missing\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
