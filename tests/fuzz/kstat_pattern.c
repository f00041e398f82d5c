/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzing patterns for names of statistics: any operand is parsed or refused; a glob agrees with a
 * naive matcher, a regular expression with the C library's where both accept it.
 */
#include "stats/read/kstat_pattern.h"

#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what, const char *pattern, const char *text)
{
    if (holds)
        return;
    fprintf(stderr, "%s: pattern <<%s>> text <<%s>>\n", what, pattern, text);
    abort();
}

/* Only * and ?, by trying everything. */
static bool naive_glob(const char *glob, const char *text)
{
    if (*glob == '\0')
        return *text == '\0';
    if (*glob == '*')
        return naive_glob(glob + 1, text) || (*text != '\0' && naive_glob(glob, text + 1));
    return *text != '\0' && (*glob == '?' || *glob == *text) && naive_glob(glob + 1, text + 1);
}

static void check_glob(const char *pattern, const char *text)
{
    bool result = kstat_glob_match(pattern, strlen(pattern), text);

    if (strpbrk(pattern, "[\\") == NULL && strlen(pattern) <= 12 && strlen(text) <= 24)
        require(result == naive_glob(pattern, text), "glob", pattern, text);
}

/* A count in braces of more than two digits. */
static bool has_large_count(const char *pattern)
{
    unsigned digits = 0;

    for (const char *p = strchr(pattern, '{'); p != NULL && *p != '\0'; p++) {
        digits = *p >= '0' && *p <= '9' ? digits + 1 : 0;
        if (digits > 2)
            return true;
    }
    return false;
}

/* What both understand alike: \x is not the C library's, \< and its like are only that. Large
 * counts cost it much memory and time, and so does each repetition of a repetition ("a+++",
 * "((a*)*)*"), which doubles its program. */
static bool comparable(const char *pattern)
{
    const char *brace = strchr(pattern, '{');
    unsigned doublings = 0;

    if (strstr(pattern, "\\x") != NULL || strlen(pattern) > 40)
        return false;
    for (const char *p = pattern; *p != '\0'; p++) {
        if ((unsigned char)*p >= 0x80 || (p[0] == '\\' && p[1] != '\0' && strchr("<>`'", p[1])))
            return false;
        doublings += strchr("+*?{", *p) != NULL;
    }
    if (doublings > 6 || has_large_count(pattern))
        return false;
    return brace == NULL || strchr(brace + 1, '{') == NULL;
}

static void check_regex(const char *pattern, const char *text)
{
    struct kstat_regex *regex;
    const char *error = NULL;
    regex_t theirs;
    bool result;

    if (kstat_regex_compile(&regex, pattern, strlen(pattern), &error) != 0) {
        require(error != NULL, "no reason", pattern, text);
        return;
    }
    result = kstat_regex_match(regex, text);
    kstat_regex_free(regex);
    /* The C library finds a beginning (".^") behind a newline, without being asked to. */
    if (strchr(text, '\n') != NULL)
        return;
    if (!comparable(pattern) || regcomp(&theirs, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return;
    require(result == (regexec(&theirs, text, 0, NULL, 0) == 0), "regex", pattern, text);
    regfree(&theirs);
}

static void check_operand(const char *operand, const char *text)
{
    struct kstat_pattern pattern;
    const char *error = NULL;

    if (kstat_pattern_parse(&pattern, operand, &error) != 0) {
        require(error != NULL, "no reason", operand, text);
        return;
    }
    kstat_pattern_match(&pattern, text, -1, text);
    kstat_pattern_match_part(&pattern, KSTAT_PATTERN_STATISTIC, text);
    kstat_pattern_free(&pattern);
}

/* A character of each byte: mostly those that mean something. */
static void translate(char *to, const uint8_t *from, size_t size, const char *letters)
{
    size_t count = strlen(letters);

    for (size_t i = 0; i < size; i++) {
        to[i] = from[i] < 128 ? letters[from[i] % count] : (char)(from[i] - 127);
        if (to[i] == '\0')
            to[i] = 'a';
    }
    to[size] = '\0';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char pattern[129];
    char text[129];
    size_t half;

    if (size < 1 || size > 200)
        return 0;
    half = data[0] % size;
    data++;
    size--;
    if (half > size)
        half = size;
    if (half > 100 || size - half > 100)
        return 0;
    translate(text, data + half, size - half, "aabbc1");
    translate(pattern, data, half, "abc*?+()|[]^$.{}\\1,-");
    check_regex(pattern, text);
    check_operand(pattern, text);
    translate(pattern, data, half, "abc*?[]!-\\/:x41");
    check_glob(pattern, text);
    check_operand(pattern, text);
    return 0;
}
