/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns of four parts, and globs: see kstat_pattern.h. */
#include "stats/read/kstat_pattern.h"

#include "lib/errno.h"
#include "lib/string.h"
#include "stats/read/kstat_escape.h"

/*
 * Whether C is in the set at *AT, just behind its `[`; moves *AT behind its `]`. A `[` that is
 * never closed stands for itself, which CLOSED tells.
 */
static bool kstat_pattern_in_set(const char **at, const char *end, unsigned char c, bool *closed)
{
    const char *p = *at;
    bool negated = p < end && (*p == '!' || *p == '^');
    bool found = false;
    bool first = true;

    *closed = false;
    p += negated;
    while (p < end && (*p != ']' || first)) {
        unsigned char low = kstat_escape_take(&p, end);
        unsigned char high = low;

        first = false;
        if (end - p >= 2 && p[0] == '-' && p[1] != ']') {
            p++;
            high = kstat_escape_take(&p, end);
        }
        if (c >= low && c <= high)
            found = true;
    }
    if (p == end)
        return false;
    *closed = true;
    *at = p + 1;
    return found != negated;
}

/* One element of the glob at *AT, which is no `*`, against C; moves *AT behind it. */
static bool kstat_pattern_element_matches(const char **at, const char *end, unsigned char c)
{
    if (**at == '?') {
        ++*at;
        return true;
    }
    if (**at == '[') {
        const char *inside = *at + 1;
        bool closed;
        bool found = kstat_pattern_in_set(&inside, end, c, &closed);

        *at = closed ? inside : *at + 1;
        return closed ? found : c == '[';
    }
    return kstat_escape_take(at, end) == c;
}

/* Only the last `*` ever needs another try: what an earlier one took can stay as it is. */
bool kstat_glob_match(const char *glob, size_t length, const char *text)
{
    const char *end = glob + length;
    const char *retry_glob = NULL;
    const char *retry_text = NULL;

    for (;;) {
        if (glob < end && *glob == '*') {
            retry_glob = ++glob;
            retry_text = text;
            continue;
        }
        if (glob == end && *text == '\0')
            return true;
        if (glob < end && *text != '\0' &&
            kstat_pattern_element_matches(&glob, end, (unsigned char)*text)) {
            text++;
            continue;
        }
        if (retry_glob == NULL || *retry_text == '\0')
            return false;
        glob = retry_glob;
        text = ++retry_text;
    }
}

static int kstat_pattern_set_part(struct kstat_pattern_text *part, const char *text, size_t length,
                                  const char **error)
{
    part->regex = NULL;
    part->glob = length > 0 ? text : NULL;
    part->length = length;
    if (length == 0 || text[0] != '/')
        return 0;
    if (length < 2 || text[length - 1] != '/') {
        *error = "a regular expression needs a slash at its end";
        return -EINVAL;
    }
    part->glob = NULL;
    return kstat_regex_compile(&part->regex, text + 1, length - 2, error);
}

/* Length of the part that begins at TEXT: up to a colon that is outside slashes, or the end. */
static size_t kstat_pattern_part_length(const char *text)
{
    size_t i = 0;

    if (text[0] == '/') {
        for (i = 1; text[i] != '\0'; i++) {
            if (text[i] == '\\' && text[i + 1] != '\0')
                i++;
            else if (text[i] == '/' && (text[i + 1] == ':' || text[i + 1] == '\0'))
                return i + 1;
        }
        return i;
    }
    while (text[i] != '\0' && text[i] != ':')
        i += text[i] == '\\' && text[i + 1] != '\0' ? 2 : 1;
    return i;
}

int kstat_pattern_parse(struct kstat_pattern *pattern, const char *operand, const char **error)
{
    const char *unused;
    int result;

    if (error == NULL)
        error = &unused;
    memset(pattern, 0, sizeof *pattern);
    for (unsigned i = 0; i < KSTAT_PATTERN_PARTS; i++) {
        size_t length = kstat_pattern_part_length(operand);

        result = kstat_pattern_set_part(&pattern->part[i], operand, length, error);
        if (result != 0) {
            kstat_pattern_free(pattern);
            return result;
        }
        operand += length;
        if (*operand == '\0')
            return 0;
        operand++;
    }
    *error = "more than four parts";
    kstat_pattern_free(pattern);
    return -EINVAL;
}

int kstat_pattern_parse_part(struct kstat_pattern *pattern, enum kstat_pattern_part part,
                             const char *text, const char **error)
{
    const char *unused;

    pattern->part[part] = (struct kstat_pattern_text){.length = 0};
    return kstat_pattern_set_part(&pattern->part[part], text, strlen(text),
                                  error != NULL ? error : &unused);
}

void kstat_pattern_free(struct kstat_pattern *pattern)
{
    for (unsigned i = 0; i < KSTAT_PATTERN_PARTS; i++) {
        if (pattern->part[i].regex != NULL)
            kstat_regex_free(pattern->part[i].regex);
    }
    memset(pattern, 0, sizeof *pattern);
}

bool kstat_pattern_match_part(const struct kstat_pattern *pattern, enum kstat_pattern_part part,
                              const char *text)
{
    const struct kstat_pattern_text *p = &pattern->part[part];

    if (p->regex != NULL)
        return kstat_regex_match(p->regex, text);
    return p->glob == NULL || kstat_glob_match(p->glob, p->length, text);
}

bool kstat_pattern_match_instance(const struct kstat_pattern *pattern, int instance)
{
    char digits[12];
    size_t at = sizeof digits;
    uint64_t value = instance < 0 ? 0 - (uint64_t)(int64_t)instance : (uint64_t)instance;

    digits[--at] = '\0';
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    if (instance < 0)
        digits[--at] = '-';
    return kstat_pattern_match_part(pattern, KSTAT_PATTERN_INSTANCE, digits + at);
}

bool kstat_pattern_match(const struct kstat_pattern *pattern, const char *module, int instance,
                         const char *name)
{
    return kstat_pattern_match_part(pattern, KSTAT_PATTERN_MODULE, module) &&
           kstat_pattern_match_instance(pattern, instance) &&
           kstat_pattern_match_part(pattern, KSTAT_PATTERN_NAME, name);
}
