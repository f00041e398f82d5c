/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics as text: walking the statistics of a kstat that was read, whatever its type; the lines
 * of `kstat -p`, and reading them back.
 *
 *   line  = module ":" instance ":" name ":" statistic [ separator value ]
 *
 * where the separator is a TAB, or a colon with -C. In names a colon, TAB, newline, backslash, and
 * every other control character, is \xHH; in values the same but the colon. So a line can always be
 * taken apart. Pure functions: no locks, no memory.
 */
#ifndef STATS_KSTAT_TEXT_H
#define STATS_KSTAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/kstat.h>

#ifdef __cplusplus
extern "C" {
#endif

enum kstat_value_kind {
    KSTAT_VALUE_SIGNED,
    KSTAT_VALUE_UNSIGNED,
    KSTAT_VALUE_TEXT,
    KSTAT_VALUE_TIME /* nanoseconds, printed as seconds with nine decimals; 0 as "0" */
};

#define KSTAT_STATISTIC_NAME 64 /* with NUL */

struct kstat_statistic {
    char name[KSTAT_STATISTIC_NAME];
    enum kstat_value_kind kind;
    union {
        int64_t i;
        uint64_t u; /* also times */
        struct {
            const char *at; /* not NUL-terminated */
            size_t length;
        } text;
    } value;
};

/*
 * The statistic number INDEX, from 0, of what kstat_read brought: named records, the counters of an
 * interrupt, I/O or timer kstat; then the pseudo-statistics class, crtime and snaptime. False past
 * the last. It refers to the kstat's data. A raw kstat has only the last three. A named
 * record of a type that is not known is given as text of no length. Where there are several timers,
 * their names lead: "event_num_events".
 */
bool kstat_statistic_get(const kstat_t *ksp, unsigned index, struct kstat_statistic *out);

/* All these return the length of the whole text, without its NUL, and write as much as fits into
 * SIZE bytes, always with a NUL unless SIZE is 0. */
size_t kstat_text_value(char *to, size_t size, const struct kstat_statistic *statistic);
size_t kstat_text_escape_name(char *to, size_t size, const char *name, size_t length);
size_t kstat_text_escape_value(char *to, size_t size, const char *value, size_t length);

#define KSTAT_LINE_NAMES  0x1 /* the names only, as kstat -l */
#define KSTAT_LINE_COLONS 0x2 /* a colon before the value, as kstat -C */
#define KSTAT_LINE_VALUES 0x4 /* the value only, as kstat -V */

/* One line without its newline. */
size_t kstat_text_line(char *to, size_t size, const kstat_t *ksp,
                       const struct kstat_statistic *statistic, unsigned flags);

/* A line taken apart, escapes undone. */
struct kstat_line {
    char module[KSTAT_STRLEN];
    int instance;
    char name[KSTAT_STRLEN];
    char statistic[KSTAT_STATISTIC_NAME];
    bool has_value;
    size_t value_length; /* of the caller's buffer */
};

/*
 * Reads LENGTH characters without newline. The value goes to VALUE, SIZE bytes, with a NUL. 0, or
 * -EINVAL: it is not such a line; -ENOSPC: the value does not fit.
 */
int kstat_text_parse(const char *text, size_t length, unsigned flags, struct kstat_line *out,
                     char *value, size_t size);

/*
 * A name of at most 30 characters for FROM: itself, or the first 25, `~` and four hexadecimal
 * digits of a hash of all of it.
 */
void kstat_text_shorten(char to[KSTAT_STRLEN], const char *from);

#ifdef __cplusplus
}
#endif

#endif
