/* SPDX-License-Identifier: BSD-2-Clause */
/* head and tail: lines or bytes of a file's beginning or end. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

struct part {
    unsigned long long count;
    bool bytes;
    bool from; /* tail: from that line or byte on */
    bool titles, second;
};

static void print_title(struct part *part, const char *name)
{
    if (part->titles)
        printf("%s==> %s <==\n", part->second ? "\n" : "",
               strcmp(name, "-") == 0 ? "standard input" : name);
    part->second = true;
}

/* What was read ahead and is not ours is given back, where the file has an offset. */
static int head_file(FILE *file, const char *name, void *argument)
{
    struct part *part = argument;
    unsigned long long left = part->count;
    int c;

    print_title(part, name);
    while (left > 0 && (c = getc(file)) != EOF) {
        putchar(c);
        if (part->bytes || c == '\n')
            left--;
    }
    if (file == stdin)
        fseek(file, 0, SEEK_CUR);
    return 0;
}

static void pass_on(FILE *file)
{
    int c;

    while ((c = getc(file)) != EOF)
        putchar(c);
}

static void skip(FILE *file, const struct part *part)
{
    unsigned long long left = part->count > 0 ? part->count - 1 : 0;
    int c;

    while (left > 0 && (c = getc(file)) != EOF)
        if (part->bytes || c == '\n')
            left--;
}

/* Room for twice as much; NULL: there is none, and DATA is gone. */
static char *grow(char *data, size_t *room)
{
    char *more = realloc(data, *room *= 2);

    if (!more)
        free(data);
    return more;
}

/* All of FILE in memory: NULL, and a line says so, if there is none. */
static char *read_all(FILE *file, size_t *size)
{
    size_t room = 65536, got;
    char *data = malloc(room);

    *size = 0;
    while (data && (got = fread(data + *size, 1, room - *size, file)) > 0) {
        *size += got;
        if (*size == room)
            data = grow(data, &room);
    }
    if (!data)
        tool_complain("memory");
    return data;
}

static int tail_file(FILE *file, const char *name, void *argument)
{
    struct part *part = argument;
    unsigned long long left = part->count;
    size_t size, start;
    char *data;

    print_title(part, name);
    if (part->from) {
        skip(file, part);
        pass_on(file);
        return 0;
    }
    data = read_all(file, &size);
    if (!data)
        return 1;
    for (start = size; start > 0; start--)
        if (part->bytes ? left-- == 0 : data[start - 1] == '\n' && start < size && --left == 0)
            break;
    if (part->count > 0)
        fwrite(data + start, 1, size - start, stdout);
    free(data);
    return 0;
}

/* "-5" is "-n 5", as long ago. */
static bool old_count(char **argv, struct part *part)
{
    const char *word = argv[1];

    return word && word[0] == '-' && word[1] >= '0' && word[1] <= '9' &&
           tool_number(word + 1, &part->count);
}

static int part_main(int argc, char **argv, bool tail)
{
    const char *usage = tail ? "tail [-n [+]LINES | -c [+]BYTES] [FILE ...]"
                             : "head [-n LINES | -c BYTES] [FILE ...]";
    struct part part = {.count = 10};
    int option, status;

    if (old_count(argv, &part))
        optind = 2;
    while ((option = getopt(argc, argv, "n:c:")) != -1) {
        if (option == '?')
            return tool_usage(usage);
        part.bytes = option == 'c';
        part.from = tail && *optarg == '+';
        if (!tool_number(optarg + (part.from || (tail && *optarg == '-')), &part.count))
            return 1;
    }
    part.titles = argc - optind > 1;
    status = tool_each_file(argc - optind, argv + optind, 1, tail ? tail_file : head_file, &part);
    return tool_finish(status, 1);
}

int head_main(int argc, char **argv)
{
    return part_main(argc, argv, false);
}

int tail_main(int argc, char **argv)
{
    return part_main(argc, argv, true);
}
