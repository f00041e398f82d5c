/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A regular expression as a program for a machine that is in many states at once. Private to
 * kstat_regex.c, which makes programs, and kstat_regex_match.c, which runs them.
 */
#ifndef STATS_KSTAT_REGEX_H
#define STATS_KSTAT_REGEX_H

#include <stdint.h>

#define REGEX_PROGRAM_MAX 512u
#define REGEX_SETS_MAX    16u

enum regex_operation {
    REGEX_CHARACTER, /* argument: the character */
    REGEX_ANY,
    REGEX_SET,   /* argument: its number */
    REGEX_BEGIN, /* of the text */
    REGEX_END,
    REGEX_JUMP, /* to this instruction's place + offset */
    REGEX_SPLIT /* to the next one, and there as well */
};

struct regex_instruction {
    uint8_t operation;
    uint8_t argument;
    int16_t offset;
};

/* A match is found when the place after the last instruction is reached. */
struct kstat_regex {
    unsigned length;
    unsigned sets;
    uint32_t set[REGEX_SETS_MAX][8]; /* a bit for each character */
    struct regex_instruction program[REGEX_PROGRAM_MAX];
};

#endif
