/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extended regular expressions, as far as names of statistics need them:
 *
 *   .  [set]  [^set]  (x)  x|y  x*  x+  x?  x{m}  x{m,}  x{m,n}  ^  $  \c  \xHH
 *
 * In a set a backslash is itself unless it begins \xHH. What POSIX leaves undefined, and classes
 * like [:alpha:], are refused. Groups nest 8 deep, counts go up to 255.
 */
#include "stats/read/kstat_regex.h"

#include "lib/errno.h"
#include "lib/string.h"
#include "stats/read/kstat_escape.h"
#include "stats/read/kstat_pattern.h"
#include "stats/port.h"

#define DEPTH_MAX 8u /* of the parser's recursion, on a thread's stack */
#define COUNT_MAX 255u
#define NO_LIMIT  256u

struct parser {
    const char *at;
    const char *end;
    struct kstat_regex *regex;
    unsigned depth;
    const char *error; /* the first; nothing is done after it */
};

static void kstat_regex_complain(struct parser *p, const char *error)
{
    if (p->error == NULL)
        p->error = error;
    p->at = p->end;
}

static bool kstat_regex_next_is(const struct parser *p, char c)
{
    return p->at < p->end && *p->at == c;
}

static void kstat_regex_emit(struct parser *p, enum regex_operation operation, unsigned argument,
                             int offset)
{
    struct kstat_regex *regex = p->regex;

    if (regex->length == REGEX_PROGRAM_MAX) {
        kstat_regex_complain(p, "the regular expression is too large");
        return;
    }
    regex->program[regex->length++] =
        (struct regex_instruction){(uint8_t)operation, (uint8_t)argument, (int16_t)offset};
}

/* Puts a split before what begins at START. Offsets are relative, so that can be moved. */
static void kstat_regex_insert_split(struct parser *p, unsigned start, int offset)
{
    struct regex_instruction *at = &p->regex->program[start];
    unsigned length = p->regex->length - start;

    kstat_regex_emit(p, REGEX_SPLIT, 0, offset);
    if (p->error != NULL)
        return;
    memmove(at + 1, at, length * sizeof *at);
    *at = (struct regex_instruction){REGEX_SPLIT, 0, (int16_t)offset};
}

/* What begins at START, as often as MIN to MAX times. Its frame is large, so it must not become
 * part of the recursion. */
__attribute__((noinline)) static void kstat_regex_repeat(struct parser *p, unsigned start,
                                                         unsigned min, unsigned max)
{
    struct regex_instruction body[REGEX_PROGRAM_MAX];
    struct kstat_regex *regex = p->regex;
    unsigned length = regex->length - start;
    unsigned copies = max == NO_LIMIT ? (min > 0 ? min : 1) : max;

    memcpy(body, &regex->program[start], length * sizeof body[0]);
    regex->length = start;
    for (unsigned copy = 0; copy < copies && p->error == NULL; copy++) {
        if (copy >= min)
            kstat_regex_emit(p, REGEX_SPLIT, 0, (int)length + (max == NO_LIMIT ? 2 : 1));
        for (unsigned i = 0; i < length; i++)
            kstat_regex_emit(p, (enum regex_operation)body[i].operation, body[i].argument,
                             body[i].offset);
    }
    if (max != NO_LIMIT)
        return;
    if (min == 0)
        kstat_regex_emit(p, REGEX_JUMP, 0, -(int)length - 1);
    else
        kstat_regex_emit(p, REGEX_SPLIT, 0, -(int)length);
}

static unsigned kstat_regex_parse_count(struct parser *p)
{
    unsigned value = 0;

    if (p->at == p->end || *p->at < '0' || *p->at > '9')
        kstat_regex_complain(p, "a count is missing in {}");
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9' && value <= COUNT_MAX)
        value = value * 10 + (unsigned)(*p->at++ - '0');
    if (value > COUNT_MAX)
        kstat_regex_complain(p, "a count in {} is above 255");
    return value;
}

/* Behind the brace. */
static void kstat_regex_parse_counts(struct parser *p, unsigned start)
{
    unsigned min = kstat_regex_parse_count(p);
    unsigned max = min;

    if (kstat_regex_next_is(p, ',')) {
        p->at++;
        max = kstat_regex_next_is(p, '}') ? NO_LIMIT : kstat_regex_parse_count(p);
    }
    if (!kstat_regex_next_is(p, '}'))
        kstat_regex_complain(p, "{ without }");
    else if (max < min)
        kstat_regex_complain(p, "the counts in {} are in the wrong order");
    if (p->error != NULL)
        return;
    p->at++;
    kstat_regex_repeat(p, start, min, max);
}

/* A character of a set. */
static unsigned char kstat_regex_set_character(struct parser *p)
{
    if (p->end - p->at >= 4 && p->at[0] == '\\' && p->at[1] == 'x' &&
        kstat_escape_hex(p->at[2]) >= 0 && kstat_escape_hex(p->at[3]) >= 0)
        return kstat_escape_take(&p->at, p->end);
    if (p->end - p->at >= 2 && p->at[0] == '[' &&
        (p->at[1] == ':' || p->at[1] == '.' || p->at[1] == '='))
        kstat_regex_complain(p, "classes in [] are not understood");
    return p->at < p->end ? (unsigned char)*p->at++ : 0;
}

/* Behind the bracket. */
static void kstat_regex_parse_set(struct parser *p)
{
    uint32_t bits[8] = {0};
    bool negated = kstat_regex_next_is(p, '^');
    bool first = true;

    p->at += negated;
    while (p->at < p->end && (*p->at != ']' || first)) {
        unsigned low = kstat_regex_set_character(p);
        unsigned high = low;

        first = false;
        if (p->end - p->at >= 2 && p->at[0] == '-' && p->at[1] != ']') {
            p->at++;
            high = kstat_regex_set_character(p);
        }
        if (high < low)
            kstat_regex_complain(p, "a range in [] is in the wrong order");
        for (unsigned c = low; c <= high; c++)
            bits[c >> 5] |= 1u << (c & 31);
    }
    if (!kstat_regex_next_is(p, ']'))
        kstat_regex_complain(p, "[ without ]");
    else if (p->regex->sets == REGEX_SETS_MAX)
        kstat_regex_complain(p, "too many sets in one regular expression");
    if (p->error != NULL)
        return;
    p->at++;
    for (unsigned i = 0; i < 8; i++)
        p->regex->set[p->regex->sets][i] = negated ? ~bits[i] : bits[i];
    kstat_regex_emit(p, REGEX_SET, p->regex->sets++, 0);
}

/* With the backslash. */
static void kstat_regex_parse_escape(struct parser *p)
{
    char c = p->end - p->at >= 2 ? p->at[1] : '\0';
    bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const char *before = p->at;
    unsigned char taken;

    if (c == '\0') {
        kstat_regex_complain(p, "nothing follows a backslash");
        return;
    }
    taken = kstat_escape_take(&p->at, p->end);
    if (alphanumeric && p->at - before != 4)
        kstat_regex_complain(p,
                             "a backslash before a letter or digit means nothing, but for \\xHH");
    else
        kstat_regex_emit(p, REGEX_CHARACTER, taken, 0);
}

static void kstat_regex_parse_alternatives(struct parser *p);

static void kstat_regex_parse_group(struct parser *p)
{
    p->at++;
    if (++p->depth > DEPTH_MAX) {
        kstat_regex_complain(p, "groups nest too deeply");
        return;
    }
    kstat_regex_parse_alternatives(p);
    if (!kstat_regex_next_is(p, ')'))
        kstat_regex_complain(p, "( without )");
    else
        p->at++;
    p->depth--;
}

static void kstat_regex_parse_atom(struct parser *p)
{
    switch (*p->at) {
    case '(':
        kstat_regex_parse_group(p);
        break;
    case '[':
        p->at++;
        kstat_regex_parse_set(p);
        break;
    case '\\':
        kstat_regex_parse_escape(p);
        break;
    case '*':
    case '+':
    case '?':
    case '{':
        kstat_regex_complain(p, "there is nothing to repeat");
        break;
    case '.':
        p->at++;
        kstat_regex_emit(p, REGEX_ANY, 0, 0);
        break;
    case '^':
        p->at++;
        kstat_regex_emit(p, REGEX_BEGIN, 0, 0);
        break;
    case '$':
        p->at++;
        kstat_regex_emit(p, REGEX_END, 0, 0);
        break;
    default:
        kstat_regex_emit(p, REGEX_CHARACTER, (unsigned char)*p->at++, 0);
    }
}

/* Up to the end, a bar, or a closing parenthesis. */
static void kstat_regex_parse_sequence(struct parser *p)
{
    while (p->at < p->end && *p->at != '|' && *p->at != ')') {
        unsigned start = p->regex->length;
        bool anchor = *p->at == '^' || *p->at == '$';

        kstat_regex_parse_atom(p);
        while (p->at < p->end) {
            char c = *p->at;

            if (c != '*' && c != '+' && c != '?' && c != '{')
                break;
            if (anchor) {
                kstat_regex_complain(p, "^ and $ cannot be repeated");
                break;
            }
            p->at++;
            if (c == '{')
                kstat_regex_parse_counts(p, start);
            else
                kstat_regex_repeat(p, start, c == '+', c == '?' ? 1 : NO_LIMIT);
        }
    }
}

/* Each alternative but the last ends in a jump to the end; until that is known the jumps are a
 * list, each with the distance to the one before. */
static void kstat_regex_parse_alternatives(struct parser *p)
{
    unsigned start = p->regex->length;
    unsigned last_jump = 0;
    bool jumps = false;

    kstat_regex_parse_sequence(p);
    while (kstat_regex_next_is(p, '|')) {
        unsigned jump;

        p->at++;
        kstat_regex_insert_split(p, start, (int)(p->regex->length - start) + 2);
        jump = p->regex->length;
        kstat_regex_emit(p, REGEX_JUMP, 0, jumps ? (int)(jump - last_jump) : 0);
        last_jump = jump;
        jumps = true;
        start = jump + 1;
        kstat_regex_parse_sequence(p);
    }
    while (jumps && p->error == NULL) {
        struct regex_instruction *i = &p->regex->program[last_jump];
        unsigned distance = (unsigned)i->offset;

        i->offset = (int16_t)(p->regex->length - last_jump);
        jumps = distance != 0;
        last_jump -= distance;
    }
}

int kstat_regex_compile(struct kstat_regex **regex, const char *text, size_t length,
                        const char **error)
{
    struct parser p = {text, text + length, NULL, 0, NULL};

    p.regex = stats_port_alloc(sizeof *p.regex);
    if (p.regex == NULL) {
        *error = "no memory";
        return -ENOMEM;
    }
    p.regex->length = 0;
    p.regex->sets = 0;
    kstat_regex_parse_alternatives(&p);
    if (kstat_regex_next_is(&p, ')'))
        kstat_regex_complain(&p, ") without (");
    if (p.error != NULL) {
        *error = p.error;
        kstat_regex_free(p.regex);
        return -EINVAL;
    }
    *regex = p.regex;
    return 0;
}

void kstat_regex_free(struct kstat_regex *regex)
{
    stats_port_free(regex, sizeof *regex);
}
