/* SPDX-License-Identifier: BSD-2-Clause */
/* wc: lines, words and bytes. */
#include <string.h>
#include <unistd.h>

#include "tools.h"

struct counting {
    unsigned long long lines, words, bytes;
    struct counting *total;
    bool shows_lines, shows_words, shows_bytes;
    int files;
};

static void print_counts(const struct counting *which, const struct counting *counts,
                         const char *name)
{
    const char *blank = "";
    const unsigned long long numbers[] = {counts->lines, counts->words, counts->bytes};
    const bool shown[] = {which->shows_lines, which->shows_words, which->shows_bytes};
    int kinds = shown[0] + shown[1] + shown[2];

    for (int i = 0; i < 3; i++)
        if (shown[i]) {
            printf(kinds > 1 || which->files > 1 ? "%s%7llu" : "%s%llu", blank, numbers[i]);
            blank = " ";
        }
    printf(strcmp(name, "-") == 0 ? "\n" : " %s\n", name);
}

static bool is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int wc_file(FILE *file, const char *name, void *argument)
{
    static unsigned char piece[65536];
    struct counting *total = argument, counts = {0};
    bool in_word = false;
    size_t got;

    while ((got = fread(piece, 1, sizeof piece, file)) > 0) {
        counts.bytes += got;
        for (size_t i = 0; i < got; i++) {
            bool space = is_space(piece[i]);

            counts.lines += piece[i] == '\n';
            counts.words += !space && !in_word;
            in_word = !space;
        }
    }
    print_counts(total, &counts, name);
    total->lines += counts.lines;
    total->words += counts.words;
    total->bytes += counts.bytes;
    return 0;
}

int wc_main(int argc, char **argv)
{
    struct counting total = {0};
    int option, status;

    while ((option = getopt(argc, argv, "lwcm")) != -1) {
        if (option == '?')
            return tool_usage("wc [-lwc] [FILE ...]");
        total.shows_lines |= option == 'l';
        total.shows_words |= option == 'w';
        total.shows_bytes |= option == 'c' || option == 'm';
    }
    if (!total.shows_lines && !total.shows_words && !total.shows_bytes)
        total.shows_lines = total.shows_words = total.shows_bytes = true;
    total.files = argc - optind;
    status = tool_each_file(argc - optind, argv + optind, 1, wc_file, &total);
    if (total.files > 1)
        print_counts(&total, &total, "total");
    return tool_finish(status, 1);
}
