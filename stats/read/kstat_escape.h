/* SPDX-License-Identifier: BSD-2-Clause */
/* One character of a pattern or of a line, where a backslash makes another of it. Private to
 * stats/. */
#ifndef STATS_KSTAT_ESCAPE_H
#define STATS_KSTAT_ESCAPE_H

/* The value of a hexadecimal digit, or -1. */
static inline int kstat_escape_hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/*
 * The character at *AT, which is before END, and moves *AT behind it: \xHH is that byte, a
 * backslash before any other character that character, and one at the end itself.
 */
static inline unsigned char kstat_escape_take(const char **at, const char *end)
{
    unsigned char c = (unsigned char)*(*at)++;

    if (c != '\\' || *at == end)
        return c;
    if (end - *at >= 3 && **at == 'x') {
        int high = kstat_escape_hex((*at)[1]);
        int low = kstat_escape_hex((*at)[2]);

        if (high >= 0 && low >= 0) {
            *at += 3;
            return (unsigned char)(high << 4 | low);
        }
    }
    return (unsigned char)*(*at)++;
}

#endif
