/* SPDX-License-Identifier: BSD-2-Clause */
/* A line of objdump's against what the x86 decoder says of the same bytes. */
#ifndef QPMU_OBJDUMP_H
#define QPMU_OBJDUMP_H
#include "tests/host/test.h"
#include "tools/qpmu/insn.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Mnemonics (in front of any suffix) that look as if they had an operand in memory, but access
 * none, or the other way round. */
static bool accesses(const char *mnemonic, const char *operands)
{
    static const char *const none[] = {"lea",    "nop",      "prefetch", "clflush",
                                       "invlpg", "cldemote", "bndmk",    "endbr"};
    static const char *const some[] = {"push",  "pop",   "call", "lcall", "ret", "lret",
                                       "leave", "movs%", "iret", "enter", "xlat"};

    for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        if (starts(mnemonic, none[i]) && strcmp(mnemonic, "leave") != 0)
            return false;
    }
    for (unsigned i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
        if (starts(mnemonic, some[i]) && strncmp(mnemonic, "popcnt", 6) != 0)
            return true;
    }
    if (strcmp(mnemonic, "in") == 0 || strcmp(mnemonic, "out") == 0)
        return false;
    if (starts(mnemonic, "f") && strstr(operands, "%st") != NULL)
        return false;
    if (mnemonic[0] != 'j' && !starts(mnemonic, "loop") &&
        (starts(operands, "0x") || strstr(operands, ",0x") != NULL))
        return true; /* an address; constants begin with $ */
    return strchr(operands, '(') != NULL || strstr(operands, "%fs:") != NULL ||
           strstr(operands, "%gs:") != NULL || strstr(operands, "%ds:") != NULL;
}

static void compare(const char *mnemonic, const char *operands, const struct qpmu_insn *insn,
                    const char *line)
{
    bool branch = (mnemonic[0] == 'j' && !starts(mnemonic, "jmp")) || starts(mnemonic, "loop");
    bool jump = starts(mnemonic, "jmp") || starts(mnemonic, "call") || starts(mnemonic, "ret") ||
                starts(mnemonic, "ljmp") || starts(mnemonic, "lcall") || starts(mnemonic, "lret") ||
                starts(mnemonic, "iret") || starts(mnemonic, "sys") ||
                (starts(mnemonic, "int") && strcmp(mnemonic, "into") != 0);
    bool direct = (branch || jump) && operands[0] >= '0' && operands[0] <= 'f';
    bool store = accesses(mnemonic, operands) && strchr(operands, ',') != NULL &&
                 strchr(operands, '(') > strrchr(operands, ',') && starts(mnemonic, "mov");
    bool right =
        branch == ((insn->flags & QPMU_INSN_COND_BRANCH) != 0) &&
        jump == ((insn->flags & QPMU_INSN_JUMP) != 0) &&
        accesses(mnemonic, operands) == ((insn->flags & (QPMU_INSN_LOAD | QPMU_INSN_STORE)) != 0) &&
        (!store || (insn->flags & QPMU_INSN_STORE) != 0) &&
        (insn->flags & QPMU_INSN_UNKNOWN) == 0 &&
        (!direct || insn->target == strtoull(operands, NULL, 16));

    if (!right)
        fprintf(stderr, "flags %#x, target %#llx: %s", insn->flags,
                (unsigned long long)insn->target, line);
    CHECK(right);
}

/* One line of objdump: address, tab, bytes, tab, prefixes, mnemonic, operands. */
static bool objdump_compare(char *line, enum qpmu_code mode)
{
    uint64_t pc;
    uint8_t bytes[16];
    size_t length = 0;
    char *at = strchr(line, ':');
    char mnemonic[32] = "";
    char copy[512];
    struct qpmu_insn insn;

    if (at == NULL || at[1] != '\t' || strstr(line, "(bad)") != NULL)
        return false;
    snprintf(copy, sizeof(copy), "%s", line);
    pc = strtoull(line, NULL, 16);
    for (at += 2; isxdigit((unsigned char)*at) && length < 16; at += 3)
        bytes[length++] = (uint8_t)strtoul((char[3]){at[0], at[1], '\0'}, NULL, 16);
    at = strchr(at, '\t'); /* there are blanks before */
    if (at == NULL)
        return false;
    for (char *word = strtok(at, " \t\n"); word != NULL; word = strtok(NULL, " \t\n")) {
        if (strcmp(word, "rep") == 0 || strcmp(word, "repz") == 0 || strcmp(word, "repnz") == 0 ||
            strcmp(word, "lock") == 0 || strcmp(word, "data16") == 0 || strcmp(word, "bnd") == 0 ||
            strcmp(word, "notrack") == 0 || strncmp(word, "addr", 4) == 0 ||
            strcmp(word, "cs") == 0 || strcmp(word, "rex.W") == 0)
            continue;
        snprintf(mnemonic, sizeof(mnemonic), "%s", word);
        break;
    }
    at = strtok(NULL, "#<\n");
    at += at == NULL ? 0 : strspn(at, " ");
    qpmu_decode_x86(bytes, length, mode, pc, &insn);
    compare(mnemonic, at == NULL ? "" : at, &insn, copy);
    return true;
}

#endif
