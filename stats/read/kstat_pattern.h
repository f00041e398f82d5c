/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patterns for names of statistics: module:instance:name:statistic, each part a shell glob (* ?
 * [a-z]
 * [!a-z] \c) or an extended regular expression between slashes, which may match anywhere. A part
 * that is missing or empty matches everything. \xHH stands for that byte in both, so that what
 * `kstat -p` prints, colons in names included, can be given back as a pattern.
 *
 * Matching takes time proportional to the length of the text times the size of the pattern,
 * whatever they are. Any context that may allocate.
 */
#ifndef STATS_KSTAT_PATTERN_H
#define STATS_KSTAT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kstat_regex;

enum kstat_pattern_part {
    KSTAT_PATTERN_MODULE,
    KSTAT_PATTERN_INSTANCE,
    KSTAT_PATTERN_NAME,
    KSTAT_PATTERN_STATISTIC,
    KSTAT_PATTERN_PARTS
};

/* A part: regex if not NULL, else the glob; a NULL glob matches everything. */
struct kstat_pattern_text {
    struct kstat_regex *regex;
    const char *glob; /* not NUL-terminated; within the operand, which must stay */
    size_t length;
};

struct kstat_pattern {
    struct kstat_pattern_text part[KSTAT_PATTERN_PARTS];
};

/*
 * 0 and a pattern for kstat_pattern_free, which refers to OPERAND. -EINVAL: it is none, *ERROR (may
 * be NULL) says why in a few words; -ENOMEM. Nothing is to be freed then. "" matches everything.
 */
int kstat_pattern_parse(struct kstat_pattern *pattern, const char *operand, const char **error);
/* The same for one part alone, as after -m, -i, -n and -s; colons are not special. The other parts
 * stay as they are: PATTERN begins zeroed. */
int kstat_pattern_parse_part(struct kstat_pattern *pattern, enum kstat_pattern_part part,
                             const char *text, const char **error);
void kstat_pattern_free(struct kstat_pattern *pattern);

/* Whether a NUL-terminated text matches one part, a number that of the instance. */
bool kstat_pattern_match_part(const struct kstat_pattern *pattern, enum kstat_pattern_part part,
                              const char *text);
bool kstat_pattern_match_instance(const struct kstat_pattern *pattern, int instance);
/* Whether a kstat matches the first three parts. */
bool kstat_pattern_match(const struct kstat_pattern *pattern, const char *module, int instance,
                         const char *name);

/* A glob and a text that ends at its NUL. */
bool kstat_glob_match(const char *glob, size_t length, const char *text);
/* A regular expression (see kstat_regex.c for what it understands) of LENGTH characters. */
int kstat_regex_compile(struct kstat_regex **regex, const char *text, size_t length,
                        const char **error);
void kstat_regex_free(struct kstat_regex *regex);
bool kstat_regex_match(const struct kstat_regex *regex, const char *text);

#ifdef __cplusplus
}
#endif

#endif
