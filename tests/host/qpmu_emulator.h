/* SPDX-License-Identifier: BSD-2-Clause */
/* A QEMU that consists of nothing but what tools/qpmu/qemu/emu.h offers, for tests of the plugin:
 * it remembers what it was asked for, and a test does the rest. */
#ifndef TESTS_HOST_QPMU_EMULATOR_H
#define TESTS_HOST_QPMU_EMULATOR_H

#include "tools/qpmu/qemu/emu.h"

#include <setjmp.h>

struct qemu_plugin_insn {
    uint64_t pc;
    const char *bytes;
    size_t size;
};

struct qemu_plugin_tb {
    size_t count;
    struct qemu_plugin_insn insn[3];
};

/* What is asked for at a block's entry as translated code. */
struct emulator_inline {
    unsigned compared, added, stored; /* the words */
    uint64_t least, n, value;
    emu_call *call;
    void *arg;
};

#define CODE_SIZE 0x100000u

struct emulator {
    struct emu_listener listener;
    void (*forget_done)(void); /* asked for, and has not happened yet */
    emu_call *entered;         /* of the block translated last */
    void *entered_arg;
    bool inlines;                /* entries may be translated code */
    struct emulator_inline code; /* of the block translated last, in that order */
    emu_call *executed;          /* before an instruction, the latest asked for */
    void *executed_arg;
    unsigned places_asked;     /* of accesses in RAM */
    char *text;                /* of the code in RAM, by address modulo CODE_SIZE; NULL: in none */
    bool in_ram;               /* accesses are; else not */
    uint64_t physical;         /* of the page that they are in */
    unsigned accesses_heard;   /* accesses that the plugin wants to hear of */
    emu_access_call *accessed; /* the one it wants to hear of them by, for the latest */
    void *accessed_arg;
    void (*hears)(emu_access_call *call); /* is told of each; NULL: nobody */
    uint64_t pc;                          /* that the plugin has set */
    jmp_buf left;                         /* where it goes on then */
    unsigned adds;                        /* inline additions asked for */
    uint64_t words[2][EMU_WORDS];         /* of each CPU */
};
extern struct emulator emulator;

/* Executes it, as CPU; says whether it called. */
bool emulator_enters(unsigned cpu, const struct emulator_inline *code);

#endif
