/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the program of a regular expression: for each character of the text every state that the
 * expression can be in takes one step. No state is entered twice at one place in the text, so
 * the time is at most the text's length times the program's.
 */
#include "stats/read/kstat_regex.h"

#include "lib/string.h"
#include "stats/read/kstat_pattern.h"

#define WORDS (REGEX_PROGRAM_MAX / 32 + 1) /* with the place after the last instruction */

struct states {
    uint32_t bit[WORDS];
};

static bool kstat_regex_match_enter(struct states *states, unsigned place)
{
    uint32_t mask = 1u << (place & 31);

    if (states->bit[place >> 5] & mask)
        return false;
    states->bit[place >> 5] |= mask;
    return true;
}

/* Enters PLACE and all that is reached from there without a character. */
static void kstat_regex_match_reach(const struct kstat_regex *regex, struct states *states,
                                    unsigned start, bool at_begin, bool at_end)
{
    uint16_t todo[REGEX_PROGRAM_MAX + 1]; /* each place is put here once at most */
    unsigned count = 0;

    if (kstat_regex_match_enter(states, start))
        todo[count++] = (uint16_t)start;
    while (count > 0) {
        unsigned place = todo[--count];
        const struct regex_instruction *i = &regex->program[place];
        bool next;

        if (place == regex->length)
            continue;
        next = i->operation == REGEX_SPLIT || (i->operation == REGEX_BEGIN && at_begin) ||
               (i->operation == REGEX_END && at_end);
        if (next && kstat_regex_match_enter(states, place + 1))
            todo[count++] = (uint16_t)(place + 1);
        if (i->operation == REGEX_JUMP || i->operation == REGEX_SPLIT) {
            unsigned there = (unsigned)((int)place + i->offset);

            if (kstat_regex_match_enter(states, there))
                todo[count++] = (uint16_t)there;
        }
    }
}

static bool kstat_regex_match_takes(const struct kstat_regex *regex,
                                    const struct regex_instruction *i, unsigned char c)
{
    switch (i->operation) {
    case REGEX_CHARACTER:
        return i->argument == c;
    case REGEX_ANY:
        return true;
    case REGEX_SET:
        return (regex->set[i->argument][c >> 5] >> (c & 31) & 1) != 0;
    default:
        return false;
    }
}

static bool kstat_regex_match_holds(const struct states *states, unsigned place)
{
    return (states->bit[place >> 5] >> (place & 31) & 1) != 0;
}

bool kstat_regex_match(const struct kstat_regex *regex, const char *text)
{
    struct states now;
    struct states next;
    bool at_begin = true;

    memset(&now, 0, sizeof now);
    for (;; text++) {
        unsigned char c = (unsigned char)*text;

        kstat_regex_match_reach(regex, &now, 0, at_begin,
                                c == '\0'); /* a match may begin anywhere */
        if (kstat_regex_match_holds(&now, regex->length))
            return true;
        if (c == '\0')
            return false;
        memset(&next, 0, sizeof next);
        for (unsigned place = 0; place < regex->length; place++) {
            if (kstat_regex_match_holds(&now, place) &&
                kstat_regex_match_takes(regex, &regex->program[place], c))
                kstat_regex_match_reach(regex, &next, place + 1, false, text[1] == '\0');
        }
        now = next;
        at_begin = false;
    }
}
