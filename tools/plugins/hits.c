/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A QEMU plugin that counts how often given addresses are executed: an observer outside the guest
 * for what the guest counts itself, such as the entries of an interrupt vector. It does not count
 * instructions (count.c does).
 *
 *     -plugin build/plugins/hits.so,out=FILE,addr=A[,addr=B]...
 *
 * FILE gets a line `0xADDRESS COUNT` for each address when QEMU ends, in the order of the
 * arguments. The count is one for each start of the instruction at that address, on any CPU. An
 * instruction that faults and is run again counts again; vector entries do not fault.
 */

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_api.h"

#define MAX_POINTS 256

struct point {
    uint64_t address;
    _Atomic uint64_t hits; /* CPUs run in threads of their own */
};

PLUGIN_EXPORT int qemu_plugin_version = 1;

static struct point points[MAX_POINTS];
static size_t point_count;
static const char *out_path;

static void executed(unsigned int cpu, void *arg)
{
    struct point *p = arg;

    (void)cpu;
    atomic_fetch_add_explicit(&p->hits, 1, memory_order_relaxed);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    size_t n = qemu_plugin_tb_n_insns(block);

    (void)id;
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        uint64_t address = qemu_plugin_insn_vaddr(instruction);

        for (size_t p = 0; p < point_count; p++)
            if (points[p].address == address)
                qemu_plugin_register_vcpu_insn_exec_cb(instruction, executed,
                                                       QEMU_PLUGIN_CB_NO_REGS, &points[p]);
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
    for (size_t p = 0; p < point_count; p++)
        fprintf(out, "0x%" PRIx64 " %" PRIu64 "\n", points[p].address,
                atomic_load_explicit(&points[p].hits, memory_order_relaxed));
    fclose(out);
}

static int take(const char *argument)
{
    char *stop;

    if (!strncmp(argument, "out=", 4)) {
        out_path = strdup(argument + 4);
        return 0;
    }
    if (strncmp(argument, "addr=", 5) != 0 || point_count == MAX_POINTS)
        return -1;
    points[point_count].address = strtoull(argument + 5, &stop, 0);
    if (stop == argument + 5 || *stop != '\0')
        return -1;
    point_count++;
    return 0;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++)
        if (take(argv[i]) != 0) {
            fprintf(stderr, "hits: bad argument \"%s\"\n", argv[i]);
            return -1;
        }
    if (!out_path) {
        fprintf(stderr, "hits: out=FILE is missing\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
