/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of QEMU's TCG plugin interface, version 1 (QEMU 7.2), that our plugins use. Debian
 * packages no header for it, so the few prototypes are declared here. Not a description of the
 * whole interface.
 */
#ifndef TOOLS_PLUGINS_QEMU_API_H
#define TOOLS_PLUGINS_QEMU_API_H

#include <stddef.h>
#include <stdint.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* How much of the CPU's state a callback touches: none of ours looks. */
enum { QEMU_PLUGIN_CB_NO_REGS = 0 };
/* The only inline operation: add a constant to a 64-bit word. */
enum { QEMU_PLUGIN_INLINE_ADD_U64 = 0 };

/* What a plugin exports. Arguments arrive as "name=value" strings; 0 means that the plugin is
 * ready. */
extern PLUGIN_EXPORT int qemu_plugin_version;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                      char **argv);

typedef void (*qemu_plugin_tb_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void (*qemu_plugin_exec_cb)(unsigned int cpu, void *arg);
typedef void (*qemu_plugin_exit_cb)(qemu_plugin_id_t id, void *arg);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_cb translated);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_exit_cb ended, void *arg);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
                                            qemu_plugin_exec_cb executed, int flags, void *arg);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *instruction, int operation,
                                                void *word, uint64_t operand);

#endif
