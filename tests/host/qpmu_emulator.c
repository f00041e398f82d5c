/* SPDX-License-Identifier: BSD-2-Clause */
/* The QEMU of qpmu_emulator.h. */
#include "tests/host/qpmu_emulator.h"

#include <string.h>

struct emu emu;
struct emulator emulator;

bool emu_begin(qemu_plugin_id_t id, const qemu_info_t *info, const char *name)
{
    (void)id;
    (void)name;
    emu.api = info->version.cur;
    emu.cpus = (unsigned)info->system.max_vcpus;
    return true;
}

void emu_listen(const struct emu_listener *whom)
{
    emulator.listener = *whom;
}

/* As in QEMU, one more while another is on its way is ignored. */
void emu_forget(void (*done)(void))
{
    if (!emulator.forget_done)
        emulator.forget_done = done;
}

size_t emu_insn_count(const struct qemu_plugin_tb *block)
{
    return block->count;
}

struct qemu_plugin_insn *emu_insn_at(const struct qemu_plugin_tb *block, size_t index)
{
    return (struct qemu_plugin_insn *)(uintptr_t)&block->insn[index];
}

uint64_t emu_insn_address(const struct qemu_plugin_insn *insn)
{
    return insn->pc;
}

size_t emu_insn_size(const struct qemu_plugin_insn *insn)
{
    return insn->size;
}

void emu_insn_bytes(const struct qemu_plugin_insn *insn, uint8_t bytes[EMU_LONGEST])
{
    memset(bytes, 0, EMU_LONGEST);
    memcpy(bytes, insn->bytes, insn->size);
}

void *emu_insn_place(const struct qemu_plugin_insn *insn)
{
    return emulator.text ? emulator.text + insn->pc % CODE_SIZE : NULL;
}

void emu_call_block(struct qemu_plugin_tb *block, emu_call *call, void *arg)
{
    (void)block;
    emulator.entered = call;
    emulator.entered_arg = arg;
}

void emu_call_insn(struct qemu_plugin_insn *insn, emu_call *call, void *arg)
{
    (void)insn;
    emulator.executed = call;
    emulator.executed_arg = arg;
}

void emu_call_reading(struct qemu_plugin_insn *insn, emu_call *call, void *arg)
{
    emu_call_insn(insn, call, arg);
}

void emu_call_access(struct qemu_plugin_insn *insn, enum emu_which which, emu_access_call *call,
                     void *arg)
{
    (void)insn;
    (void)which;
    if (emulator.hears)
        emulator.hears(call);
    emulator.accesses_heard++;
    emulator.accessed = call;
    emulator.accessed_arg = arg;
}

bool emu_access_stores(emu_access access)
{
    return access != 0;
}

unsigned emu_access_size(emu_access access)
{
    (void)access;
    return 4;
}

bool emu_access_ram(emu_access access, uint64_t address, uint64_t *physical)
{
    (void)access;
    *physical = emulator.physical + address % 4096;
    emulator.places_asked++;
    return emulator.in_ram;
}

unsigned emu_cpu_now(unsigned told)
{
    return told;
}

struct emu_words *emu_words_new(void)
{
    return NULL;
}

uint64_t *emu_word_of(struct emu_words *unused, unsigned cpu)
{
    (void)unused;
    return emulator.words[cpu];
}

void emu_add_insn(struct qemu_plugin_insn *insn, struct emu_words *unused, unsigned which,
                  uint64_t n)
{
    (void)which;
    (void)insn;
    (void)unused;
    (void)n;
    emulator.adds++;
}

void emu_add_access(struct qemu_plugin_insn *insn, enum emu_which accesses,
                    struct emu_words *unused, unsigned which, uint64_t n)
{
    (void)accesses;
    emu_add_insn(insn, unused, which, n);
}

bool emu_enters_inline(const struct emu_words *unused)
{
    (void)unused;
    return emulator.inlines;
}

void emu_call_block_from(struct qemu_plugin_tb *block, struct emu_words *unused, unsigned which,
                         uint64_t least, emu_call *call, void *arg)
{
    (void)block;
    (void)unused;
    emulator.code = (struct emulator_inline){
        .compared = which, .least = least, .call = call, .arg = arg, .stored = EMU_WORDS};
}

void emu_add_block(struct qemu_plugin_tb *block, struct emu_words *unused, unsigned which,
                   uint64_t n)
{
    (void)block;
    (void)unused;
    emulator.code.added = which;
    emulator.code.n += n;
}

void emu_store_block(struct qemu_plugin_tb *block, struct emu_words *unused, unsigned which,
                     uint64_t value)
{
    (void)block;
    (void)unused;
    emulator.code.stored = which;
    emulator.code.value = value;
}

bool emulator_enters(unsigned cpu, const struct emulator_inline *code)
{
    uint64_t *words = emulator.words[cpu];
    bool calls = words[code->compared] >= code->least;

    if (calls)
        code->call(cpu, code->arg);
    words[code->added] += code->n;
    if (code->stored < EMU_WORDS)
        words[code->stored] = code->value;
    return calls;
}

struct qemu_plugin_register *emu_register_named(const char *name)
{
    (void)name;
    return NULL;
}

struct qemu_plugin_register *emu_register_numbered(unsigned number)
{
    (void)number;
    return NULL;
}

bool emu_register_read(struct qemu_plugin_register *handle, bool is_big, uint64_t *value)
{
    (void)handle;
    (void)is_big;
    (void)value;
    return false;
}

/* The transparent mode is for machines. */
void emu_call_writing(struct qemu_plugin_insn *insn, emu_call *call, void *arg)
{
    emu_call_insn(insn, call, arg);
}

void emu_call_insn_if(struct qemu_plugin_insn *insn, struct emu_words *words, unsigned which,
                      emu_call *call, void *arg)
{
    (void)words;
    (void)which;
    emu_call_insn(insn, call, arg);
}

void emu_call_block_below(struct qemu_plugin_tb *block, struct emu_words *words, unsigned which,
                          uint64_t limit, emu_call *call, void *arg)
{
    (void)block;
    (void)words;
    (void)which;
    (void)limit;
    (void)call;
    (void)arg;
}

bool emu_register_write(struct qemu_plugin_register *handle, bool is_big, uint64_t value)
{
    (void)handle;
    (void)is_big;
    (void)value;
    return false;
}

bool emu_physical_read(uint64_t address, uint32_t *value)
{
    (void)address;
    (void)value;
    return false;
}

bool emu_physical_write(unsigned cpu, uint64_t address, uint32_t value, unsigned size)
{
    (void)size;
    (void)cpu;
    (void)address;
    (void)value;
    return false;
}

bool emu_pin_join(unsigned number)
{
    (void)number;
    return false;
}

void emu_pin(bool up)
{
    (void)up;
}

void emu_pin_reset(void)
{
}

bool emu_unwind(unsigned cpu, uintptr_t code)
{
    (void)cpu;
    (void)code;
    return false;
}

void emu_raise_protection(unsigned cpu, uintptr_t code, const uint64_t registers[8])
{
    (void)cpu;
    (void)code;
    (void)registers;
}

bool emu_unwinds(void)
{
    return false;
}

void emu_public_only(void)
{
}

void emu_set_pc(uint64_t pc)
{
    emulator.pc = pc;
    longjmp(emulator.left, 1);
}

bool emu_memory_read(uint64_t address, uint8_t *bytes, size_t length)
{
    (void)address;
    (void)bytes;
    (void)length;
    return false;
}
