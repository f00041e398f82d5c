/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's TCG plugin interface, versions 1 (QEMU 7.2) to 7 (11.1), as far as emu.c calls it. Debian
 * packages no header for it, and no one header would do: functions came, went and changed their
 * types. Here each is declared weak, so that a plugin loads whatever is there, and emu.c, which
 * alone includes this, looks at what it got. The facts are those of QEMU's
 * include/qemu/qemu-plugin.h (docs/devel/tcg-plugins.rst in its manual), by version:
 *
 *   2 (9.0)  scoreboards and additions to a word of each CPU take the place of additions to one
 *            word; registers can be read
 *   3 (9.1)  qemu_plugin_insn_data copies; conditional calls, and storing in a word of each CPU
 *   4 (9.2)  memory can be read
 *   5        registers and memory can be written
 *   6        the PC can be set; discontinuities are told; a read's answer is whether it succeeded
 *   7 (11.1) every callback has user data: where it had the plugin's number first, that is gone
 *
 * A function that takes one more argument from some version on is declared with it: an argument
 * that a callee does not look at does no harm on any machine that QEMU runs on.
 */
#ifndef QPMU_QEMU_ABI_H
#define QPMU_QEMU_ABI_H

#include "tools/qpmu/qemu/emu.h"

#define WEAK __attribute__((weak))

struct qemu_plugin_scoreboard;
struct qemu_plugin_register;
struct qemu_plugin_hwaddr;

typedef struct { /* a word of each CPU */
    struct qemu_plugin_scoreboard *score;
    size_t offset;
} qemu_plugin_u64;

typedef struct {
    struct qemu_plugin_register *handle;
    const char *name, *feature;
    bool is_readonly; /* was added later: ask for the elements' size */
} qemu_plugin_reg_descriptor;

/* The two of GLib's types that registers come in. */
typedef struct {
    char *data;
    unsigned len;
} GArray;
typedef struct {
    uint8_t *data;
    unsigned len;
} GByteArray;
unsigned g_array_get_element_size(GArray *array) WEAK;
GByteArray *g_byte_array_new(void) WEAK;
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned length) WEAK;

enum { QEMU_PLUGIN_INLINE_ADD_U64 = 0, QEMU_PLUGIN_INLINE_STORE_U64 = 1 };
enum { QEMU_PLUGIN_COND_LT = 4, QEMU_PLUGIN_COND_GE = 7 }; /* unsigned */
/* Flags of callbacks; the last one may set the PC, too. */
enum { NO_REGISTERS, READS_REGISTERS, WRITES_REGISTERS, WRITES_PC };
enum { QEMU_PLUGIN_DISCON_INTERRUPT = 1, QEMU_PLUGIN_DISCON_EXCEPTION = 2 };

/* All versions. */
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*cb)(void), void *data) WEAK;
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, void (*cb)(void), void *data) WEAK;
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*cb)(void), void *data) WEAK;
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, void (*cb)(void), void *data) WEAK;
void qemu_plugin_reset(qemu_plugin_id_t id, void (*cb)(void), void *data) WEAK;
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block) WEAK;
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block,
                                                 size_t index) WEAK;
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn) WEAK;
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn) WEAK;
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn) WEAK;
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, emu_call *call, int flags,
                                          void *data) WEAK;
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, emu_call *call,
                                            int flags, void *data) WEAK;
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, emu_access_call *call,
                                      int flags, int which, void *data) WEAK;
bool qemu_plugin_mem_is_store(emu_access access) WEAK;
unsigned int qemu_plugin_mem_size_shift(emu_access access) WEAK;
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(emu_access access, uint64_t address) WEAK;
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *place) WEAK;
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *place) WEAK;

/* 1 and 2: the bytes; 3 and up: copies up to ROOM of them, says how many. */
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *bytes,
                                  size_t room) WEAK;

/* 7.2's own, not of the interface: asked for, and done without where they are not. */
void *qemu_get_cpu(int index) WEAK;
void qemu_plugin_disable_mem_helpers(void *cpu) WEAK;

/* Not of the interface either, of every version (reach.c). */
bool cpu_restore_state(void *cpu, uintptr_t code) WEAK;
void async_run_on_cpu(void *cpu, void (*call)(void *cpu, uint64_t arg), uint64_t arg) WEAK;
uint32_t address_space_rw(void *space, uint64_t address, uint64_t attributes, void *bytes,
                          uint64_t length, bool write) WEAK;
void raise_exception_err_ra(void *env, int vector, int error, uintptr_t code) WEAK; /* x86 */
extern char address_space_memory WEAK;
extern int use_icount WEAK;

/* The same (pin.c). */
void *object_resolve_path(const char *path, bool *ambiguous) WEAK;
void *qemu_allocate_irq(void (*call)(void *opaque, int number, int level), void *opaque,
                        int number) WEAK;
void qemu_set_irq(void *irq, int level) WEAK;

/* Only 1. */
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int operation,
                                                void *word, uint64_t operand) WEAK;
void qemu_plugin_register_vcpu_mem_inline(struct qemu_plugin_insn *insn, int which, int operation,
                                          void *word, uint64_t operand) WEAK;

/* 2 and up. */
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
                                                         int operation, qemu_plugin_u64 word,
                                                         uint64_t operand) WEAK;
void qemu_plugin_register_vcpu_mem_inline_per_vcpu(struct qemu_plugin_insn *insn, int which,
                                                   int operation, qemu_plugin_u64 word,
                                                   uint64_t operand) WEAK;
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size) WEAK;
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned int cpu) WEAK;
int qemu_plugin_num_vcpus(void) WEAK;
GArray *qemu_plugin_get_registers(void) WEAK;
/* Up to 5: the number of bytes, as an int; 6 and up: whether it succeeded. */
int qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *bytes) WEAK;

/* 3 and up; the second one, with additions only, also 2. */
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *block, emu_call *call,
                                               int flags, int condition, qemu_plugin_u64 word,
                                               uint64_t value, void *data) WEAK;
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *block, int operation,
                                                       qemu_plugin_u64 word, uint64_t operand) WEAK;

/* 4 and up. */
bool qemu_plugin_read_memory_vaddr(uint64_t address, GByteArray *bytes, size_t length) WEAK;

void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *insn, emu_call *call,
                                                 int flags, int condition, qemu_plugin_u64 word,
                                                 uint64_t value, void *data) WEAK;

/* 5 and up. The first two: as in 6, where what they answer is a bool and a number, 0: done. */
int qemu_plugin_write_register(struct qemu_plugin_register *handle, GByteArray *bytes) WEAK;
int qemu_plugin_read_memory_hwaddr(uint64_t address, GByteArray *bytes, size_t length) WEAK;
int qemu_plugin_write_memory_hwaddr(uint64_t address, GByteArray *bytes) WEAK;

/* 6 and up. */
void qemu_plugin_set_pc(uint64_t address) WEAK;
void qemu_plugin_register_vcpu_discon_cb(qemu_plugin_id_t id, int types, void (*cb)(void),
                                         void *data) WEAK;

/* --- among the files of this folder ----------------------------------------------------------- */

/* CPU is about to run for the first time, in the thread that calls (cpus.c). */
void emu_cpu_begins(unsigned cpu);

/* Of reach.c. Whether only the plugin interface is to be used; whether this is -icount, and so an
 * interrupt has to wait for the block's end. */
extern bool emu_is_public_only;
bool emu_counts_instructions(void);
/* The bytes of a CPU's object, which QEMU has from malloc: what is looked for is one of them. */
size_t emu_size_of(void *object);

#endif
