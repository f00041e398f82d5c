/* SPDX-License-Identifier: BSD-2-Clause */
/* json N: writes a nested document of N parts, reads it again with a small parser, adds it up. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static const char *at;
static long numbers, sum, depth, deepest;

static void space(void)
{
    while (isspace((unsigned char)*at))
        at++;
}

static void value(void);

static void string(void)
{
    while (*++at != '"')
        if (*at == '\0')
            exit(1);
    at++;
}

/* A list of values until END, of pairs if PAIRS. */
static void list(char end, int pairs)
{
    if (++depth > deepest)
        deepest = depth;
    for (at++, space(); *at != end; space()) {
        if (*at == '\0')
            exit(1);
        if (pairs) {
            string();
            space();
            at++; /* the colon */
        }
        value();
        space();
        if (*at == ',')
            at++;
        space();
    }
    at++;
    depth--;
}

static void value(void)
{
    space();
    if (*at == '{') {
        list('}', 1);
    } else if (*at == '[') {
        list(']', 0);
    } else if (*at == '"') {
        string();
    } else {
        char *end;

        sum += strtol(at, &end, 10);
        numbers++;
        if (end == at)
            exit(1);
        at = end;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out, "[");
    for (int i = 0; i < n; i++)
        fprintf(out, "%s{\"number\": %d, \"list\": [1, [2, -3], {\"deep\": [%d]}]}", i ? ", " : "",
                i, 2 * i);
    fprintf(out, "]");
    fclose(out);
    at = text;
    value();
    printf("numbers %ld sum %ld deepest %ld\n", numbers, sum, deepest);
    free(text);
    return 0;
}
