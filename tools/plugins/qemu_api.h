/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of QEMU's TCG plugin interface, version 1 (QEMU 7.2), that our plugins use. Debian
 * packages no header for it, so the few prototypes are declared here. Not a description of the
 * whole interface.
 */
#ifndef TOOLS_PLUGINS_QEMU_API_H
#define TOOLS_PLUGINS_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info {
    const char *target_name; /* "x86_64", "mips64" */
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    struct { /* as system_emulation is true for us */
        int smp_vcpus, max_vcpus;
    } system;
} qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
typedef uint32_t qemu_plugin_meminfo_t;

/* How much of the CPU's state a callback touches: none of ours looks. */
enum { QEMU_PLUGIN_CB_NO_REGS = 0 };
/* The only inline operation: add a constant to a 64-bit word. */
enum { QEMU_PLUGIN_INLINE_ADD_U64 = 0 };
/* Which accesses a memory callback is for. */
enum { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

/* What a plugin exports. Arguments arrive as "name=value" strings; 0 means that the plugin is
 * ready. */
extern PLUGIN_EXPORT int qemu_plugin_version;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                      char **argv);

typedef void (*qemu_plugin_tb_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void (*qemu_plugin_exec_cb)(unsigned int cpu, void *arg);
typedef void (*qemu_plugin_mem_cb)(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address,
                                   void *arg);
typedef void (*qemu_plugin_exit_cb)(qemu_plugin_id_t id, void *arg);
typedef void (*qemu_plugin_simple_cb)(qemu_plugin_id_t id);

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

/* Blocks: a callback when one is entered, after it is certain that it runs. */
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block,
                                          qemu_plugin_exec_cb executed, int flags, void *arg);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
/* Where it lies in QEMU's own memory, NULL if not in RAM. */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *instruction);

/* Memory: after each access that succeeded. A RAM address is told as its place in all RAM. */
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction,
                                      qemu_plugin_mem_cb accessed, int flags, int which, void *arg);
void qemu_plugin_register_vcpu_mem_inline(struct qemu_plugin_insn *instruction, int which,
                                          int operation, void *word, uint64_t operand);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *place);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *place);

/* Forgets all callbacks and all translated blocks, then calls `done`, where no CPU is in a block.
 * It happens soon, not at once. */
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_simple_cb done);
/* All translated blocks were forgotten; no CPU is in one. */
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, qemu_plugin_simple_cb flushed);

#endif
