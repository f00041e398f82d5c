/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of one x86 instruction that say what it is: prefixes, opcode map, opcode, ModRM. */
#ifndef QPMU_X86_CODE_H
#define QPMU_X86_CODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/qpmu/insn.h"

struct x86_code {
    const uint8_t *bytes;
    size_t length, at, behind; /* behind the opcode */
    uint8_t rex;               /* 64-bit code's prefix, its lowest 4 bits */
    uint8_t repeat;            /* 0xf2 or 0xf3, the last one; VEX: by its pp field */
    enum qpmu_code mode;       /* QPMU_CODE_UNKNOWN is 64-bit code, and: */
    bool by_length;            /* unless its length says otherwise */
    bool operand16, wide, vex;
    unsigned map; /* 0, 1 (0f), 2 (0f 38), 3 (0f 3a) */
    uint8_t opcode, modrm;
};

/* Reads no byte beyond LENGTH; what is not there reads as 0. */
void x86_code_read(struct x86_code *code, const uint8_t *bytes, size_t length, enum qpmu_code mode);
/*
 * A letter for each opcode: what it does to memory and to the flow.
 *   .  nothing                     n  ModRM, but no access
 *   r  ModRM operand is read       w  written      m  read and written, when it is memory
 *   u  pushes                      o  pops
 *   i  reads by a register         s  writes by a register
 *   p  privileged                  ?  does not exist in 64-bit mode, or not known here
 *   x  decode_x86.c says what          c  conditional branch
 */
extern const char x86_one_byte[256 + 1];
extern const char x86_two_byte[256 + 1]; /* 0f */
extern const char x86_x87[8][8 + 1];     /* memory forms of d8-df, by the middle of ModRM */
#endif
