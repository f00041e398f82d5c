/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a plugin needs of the QEMU that it runs in, the same for QEMU 7.2 to 11.1. Which version of
 * the plugin interface that is, only emu.c and abi.h know; what it can do, struct emu says. Every
 * plugin of ours is linked with emu.c and stands on this.
 *
 * QEMU's own names stand only for what QEMU itself hands out.
 */
#ifndef QPMU_QEMU_EMU_H
#define QPMU_QEMU_EMU_H

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
struct qemu_plugin_tb;   /* a block of instructions that is being translated */
struct qemu_plugin_insn; /* one of its instructions */

/* What a plugin has to define; 0 means that it is ready. emu.c exports the version beside it. */
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                      char **argv);

struct emu {
    int api;            /* the version of QEMU's plugin interface; 0: none that is known here */
    unsigned cpus;      /* as many as there may be */
    bool access_ends;   /* callbacks of accesses end with their instruction, see level.c */
    bool forgets;       /* translations may be forgotten at any time */
    bool discontinuity; /* struct emu_listener's `discontinuity` is called */
    bool registers;     /* emu_register_*() may find something */
    bool relative; /* x86: code mapped at several addresses is translated once, for the first */
    bool shared_thread; /* since the second CPU began: QEMU does not tell CPUs apart, see cpus.c */
    bool cpus_known;    /* and there is a way all the same */
    bool narrow;        /* MIPS: addresses have 32 bits; here they are sign-extended */
    bool writes;        /* registers, the PC and physical memory can be written */
};
extern struct emu emu;

/* To be called first, in qemu_plugin_install; NAME stands before what it has to say. False: this
 * QEMU is newer than what is known here, one line has said so, and nothing else may be called. */
bool emu_begin(qemu_plugin_id_t id, const qemu_info_t *info, const char *name);

/* What QEMU is to call; NULL: nothing. Callbacks of CPUs come in threads of their own. */
struct emu_listener {
    /* CPU is about to run for the first time. */
    void (*cpu_begins)(unsigned cpu);
    void (*translated)(struct qemu_plugin_tb *block);
    /* All translations have been forgotten; no CPU is in one. */
    void (*flushed)(void);
    void (*ended)(void);
    /* An interrupt, or an EXCEPTION raised by the instruction at FROM: the CPU goes on at TO
     * instead of FROM. */
    void (*discontinuity)(unsigned cpu, bool exception, uint64_t from, uint64_t to);
};
void emu_listen(const struct emu_listener *listener);
/* Forgets all callbacks and all translations, then calls DONE, where no CPU is in a block, and
 * listens again. It happens soon, not at once; called again before that it does nothing. */
void emu_forget(void (*done)(void));

/* The instructions of a block, from 0. */
size_t emu_insn_count(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *emu_insn_at(const struct qemu_plugin_tb *block, size_t index);
uint64_t emu_insn_address(const struct qemu_plugin_insn *insn);
size_t emu_insn_size(const struct qemu_plugin_insn *insn);
/* The first EMU_LONGEST bytes of it at the most; what is behind its end is 0. */
#define EMU_LONGEST 16u
void emu_insn_bytes(const struct qemu_plugin_insn *insn, uint8_t bytes[EMU_LONGEST]);
/* Where it lies in QEMU's own memory, NULL if not in RAM. */
void *emu_insn_place(const struct qemu_plugin_insn *insn);

/* Calls, in the CPU's thread: when a block is entered and certainly runs; before an instruction;
 * after each access of one that succeeded. */
typedef void emu_call(unsigned cpu, void *arg);
typedef uint32_t emu_access; /* of what kind an access is */
typedef void emu_access_call(unsigned cpu, emu_access access, uint64_t address, void *arg);
enum emu_which { EMU_LOADS = 1, EMU_STORES, EMU_ACCESSES };
void emu_call_block(struct qemu_plugin_tb *block, emu_call *call, void *arg);
void emu_call_insn(struct qemu_plugin_insn *insn, emu_call *call, void *arg);
/* The same, and the call may read registers. */
void emu_call_reading(struct qemu_plugin_insn *insn, emu_call *call, void *arg);
/* Where emu.writes: it may write registers and set the PC. */
void emu_call_writing(struct qemu_plugin_insn *insn, emu_call *call, void *arg);
void emu_call_access(struct qemu_plugin_insn *insn, enum emu_which which, emu_access_call *call,
                     void *arg);
bool emu_access_stores(emu_access access);
unsigned emu_access_size(emu_access access); /* bytes */
/* Only in the call. The address of RAM; false: it is a device's, or not known. It is the physical
 * one or, on old QEMUs, the place in all RAM plus where RAM's region lies. */
bool emu_access_ram(emu_access access, uint64_t address, uint64_t *physical);

/* The CPU that a call is about, by what QEMU told. */
unsigned emu_cpu_now(unsigned told);
static inline unsigned emu_cpu(unsigned told)
{
    return __builtin_expect(emu.shared_thread, false) ? emu_cpu_now(told) : told;
}

/* EMU_WORDS words of each CPU, to which translated code adds: before an instruction, or after an
 * access. They are read and written in the CPU's thread, or where no CPU runs. */
#define EMU_WORDS 4u
struct emu_words;
struct emu_words *emu_words_new(void);
/* Where they are now; they stay there until translations are forgotten (look again in `flushed`).
 * Only for CPUs that have begun to run. */
uint64_t *emu_word_of(struct emu_words *words, unsigned cpu);
void emu_add_insn(struct qemu_plugin_insn *insn, struct emu_words *words, unsigned which,
                  uint64_t n);
void emu_add_access(struct qemu_plugin_insn *insn, enum emu_which accesses, struct emu_words *words,
                    unsigned which, uint64_t n);

/* Whether the next three may be used: when a block is entered, in the order in which they were
 * asked for. Calls only if the word is LEAST or more; stores in the word. */
bool emu_enters_inline(const struct emu_words *words);
void emu_call_block_from(struct qemu_plugin_tb *block, struct emu_words *words, unsigned which,
                         uint64_t least, emu_call *call, void *arg);
/* The same if it is less than LIMIT. */
void emu_call_block_below(struct qemu_plugin_tb *block, struct emu_words *words, unsigned which,
                          uint64_t limit, emu_call *call, void *arg);
void emu_add_block(struct qemu_plugin_tb *block, struct emu_words *words, unsigned which,
                   uint64_t n);
void emu_store_block(struct qemu_plugin_tb *block, struct emu_words *words, unsigned which,
                     uint64_t value);

/* As emu_call_writing, if the CPU's word is not 0. It may also be called when it is: CALL looks. */
void emu_call_insn_if(struct qemu_plugin_insn *insn, struct emu_words *words, unsigned which,
                      emu_call *call, void *arg);

/* Registers, where a translation or a call that may read is under way: of its CPU. */
struct qemu_plugin_register;
/* By QEMU's name; NULL: there is none. */
struct qemu_plugin_register *emu_register_named(const char *name);
/* By GDB's number, where QEMU has no names: an address of its own making, so what is read has to be
 * compared with what is known before it is believed. NULL: cannot be. */
struct qemu_plugin_register *emu_register_numbered(unsigned number);
/* The lowest 64 bits. BIG: as the guest is. */
bool emu_register_read(struct qemu_plugin_register *handle, bool big, uint64_t *value);
/* In a call that may write, or when a discontinuity is told. */
bool emu_register_write(struct qemu_plugin_register *handle, bool big, uint64_t value);
/* Up to 8 bytes of the CPU's memory, as it sees them. */
bool emu_memory_read(uint64_t address, uint8_t *bytes, size_t length);

/* --- what a call that may write can do beside (reach.c) --------------------------------------- */

/* Physical memory or a device's register of 1 to 4 bytes, little-endian, as the CPU itself would
 * reach it. */
bool emu_physical_read(uint64_t address, uint32_t *value);
/* It may raise an interrupt of the CPU: then it happens at once or, where QEMU does not allow that
 * (-icount), when the CPU has left its block, before it executes anything else. */
bool emu_physical_write(unsigned cpu, uint64_t address, uint32_t value, unsigned size);

/*
 * The call is made by translated code at CODE, its return address. QEMU keeps some of the CPU's
 * state, x86's flags above all, elsewhere inside a block, and counts the block's instructions
 * beforehand under -icount: this makes it what it is before the instruction, the PC included. QEMU
 * exports what does it, though not as a part of the plugin interface. False: it cannot be done.
 */
bool emu_unwind(unsigned cpu, uintptr_t code);
bool emu_unwinds(void);
/* x86: the instruction raises #GP(0) instead of being executed. QEMU exports what does it where it
 * exports the above; returns if it cannot be done. REGISTERS: rax, rcx, rdx, rbx, rsp, rbp, rsi,
 * rdi. */
void emu_raise_protection(unsigned cpu, uintptr_t code, const uint64_t registers[8]);
/* MIPS: from now on an input pin of the first CPU is ours, too, beside what QEMU has on it (pin.c).
 * Once, where the first block is translated. False: it cannot be reached. */
bool emu_pin_join(unsigned number);
/* Our share of it; when it takes effect is as with emu_physical_write. */
void emu_pin(bool up);
/* The CPU was reset, and its pins with it. */
void emu_pin_reset(void);
/* Does without what is not of the plugin interface, for tests. */
void emu_public_only(void);
/* Leaves the block: the CPU takes what interrupts there are, and goes on at PC. */
void emu_set_pc(uint64_t pc) __attribute__((noreturn));

#endif
