/* SPDX-License-Identifier: BSD-2-Clause */
/* grep: lines that match a regular expression of the C library. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

#define USAGE "grep [-EFivcnlqsxhHo] [-m COUNT] [-e PATTERN] ... [PATTERN] [FILE ...]"

static struct {
    bool invert, count, number, list, quiet, silent, whole, fixed, names, only;
    int flags; /* regcomp's */
    unsigned long long most;
    unsigned patterns;
    char **pattern;
    regex_t *compiled;
} grep = {.most = -1ull};

/* Each line of TEXT is a pattern. */
static void grep_add(char *text)
{
    for (char *next; text; text = next) {
        next = strchr(text, '\n');
        if (next)
            *next++ = '\0';
        grep.pattern = realloc(grep.pattern, (grep.patterns + 1) * sizeof *grep.pattern);
        grep.pattern[grep.patterns++] = text;
    }
}

/* Special characters of a pattern lose their meaning. */
static char *grep_escaped(const char *text)
{
    char *out = malloc(2 * strlen(text) + 1), *p = out;

    for (; *text; *p++ = *text++)
        if (strchr(grep.flags & REG_EXTENDED ? "\\.[]*^$+?(){}|" : "\\.[]*^$", *text))
            *p++ = '\\';
    *p = '\0';
    return out;
}

static bool grep_compile(void)
{
    char message[128];

    grep.compiled = calloc(grep.patterns, sizeof *grep.compiled);
    for (unsigned i = 0; i < grep.patterns; i++) {
        char *text = grep.fixed ? grep_escaped(grep.pattern[i]) : grep.pattern[i];
        int error = regcomp(&grep.compiled[i], text, grep.flags);

        if (error != 0) {
            regerror(error, &grep.compiled[i], message, sizeof message);
            fprintf(stderr, "grep: %s: %s\n", grep.pattern[i], message);
            return false;
        }
    }
    return true;
}

/* The leftmost match from AT on. */
static bool grep_find(const struct line *line, size_t at, regmatch_t *found)
{
    bool any = false;

    for (unsigned i = 0; i < grep.patterns; i++) {
        regmatch_t match = {.rm_so = (regoff_t)at, .rm_eo = (regoff_t)line->length};

        if (regexec(&grep.compiled[i], line->text, 1, &match,
                    REG_STARTEND | (at > 0 ? REG_NOTBOL : 0)) != 0)
            continue;
        if (grep.whole && (match.rm_so != 0 || (size_t)match.rm_eo != line->length))
            continue;
        if (!any || match.rm_so < found->rm_so ||
            (match.rm_so == found->rm_so && match.rm_eo > found->rm_eo))
            *found = match;
        any = true;
    }
    return any;
}

static void grep_lead(const char *name, unsigned long long number)
{
    if (grep.names)
        printf("%s:", name);
    if (grep.number)
        printf("%llu:", number);
}

static void grep_print(const struct line *line, const char *name, unsigned long long number,
                       regmatch_t found)
{
    size_t at = 0;

    if (!grep.only || grep.invert) {
        grep_lead(name, number);
        fwrite(line->text, 1, line->length, stdout);
        putchar('\n');
        return;
    }
    do {
        size_t length = (size_t)(found.rm_eo - found.rm_so);

        if (length > 0) {
            grep_lead(name, number);
            printf("%.*s\n", (int)length, line->text + found.rm_so);
        }
        at = (size_t)found.rm_eo + (length == 0);
    } while (at <= line->length && grep_find(line, at, &found));
}

static bool matched; /* anywhere */

static int grep_file(FILE *file, const char *name, void *argument)
{
    const char *shown = strcmp(name, "-") == 0 ? "(standard input)" : name;
    unsigned long long number = 0, count = 0;
    struct line line = {0};
    regmatch_t found = {0};

    (void)argument;
    while (count < grep.most && line_read(&line, file)) {
        number++;
        if (grep_find(&line, 0, &found) == grep.invert)
            continue;
        matched = true;
        count++;
        if (grep.quiet || grep.list)
            break;
        if (!grep.count)
            grep_print(&line, shown, number, found);
    }
    if (grep.count && !grep.quiet && !grep.list) {
        if (grep.names)
            printf("%s:", shown);
        printf("%llu\n", count);
    }
    if (grep.list && count > 0 && !grep.quiet)
        puts(shown);
    free(line.text);
    return 0;
}

/* False: no such option. */
static bool grep_option(int option)
{
    switch (option) {
    case 'E':
        grep.flags |= REG_EXTENDED;
        return true;
    case 'G':
        return true;
    case 'F':
        grep.fixed = true;
        return true;
    case 'i':
    case 'y':
        grep.flags |= REG_ICASE;
        return true;
    case 'v':
        grep.invert = true;
        return true;
    case 'c':
        grep.count = true;
        return true;
    case 'n':
        grep.number = true;
        return true;
    case 'l':
        grep.list = true;
        return true;
    case 'q':
        grep.quiet = true;
        return true;
    case 's':
        grep.silent = true;
        return true;
    case 'x':
        grep.whole = true;
        return true;
    case 'o':
        grep.only = true;
        return true;
    case 'e':
        grep_add(optarg);
        return true;
    case 'm':
        return tool_number(optarg, &grep.most);
    default:
        return false;
    }
}

int grep_main(int argc, char **argv)
{
    int option, status, names = 0;

    while ((option = getopt(argc, argv, "EGFiyvcnlqsxohHe:m:")) != -1) {
        if (option == 'h' || option == 'H')
            names = option == 'H' ? 1 : -1;
        else if (!grep_option(option))
            return tool_usage(USAGE);
    }
    if (grep.patterns == 0 && optind < argc)
        grep_add(argv[optind++]);
    if (grep.patterns == 0)
        return tool_usage(USAGE);
    if (!grep_compile())
        return STATUS_TROUBLE;
    if (grep.silent && !freopen("/dev/null", "w", stderr))
        return STATUS_TROUBLE;
    grep.names = names > 0 || (names == 0 && argc - optind > 1);
    status = tool_each_file(argc - optind, argv + optind, STATUS_TROUBLE, grep_file, NULL);
    status = tool_finish(status, STATUS_TROUBLE);
    if (grep.quiet && matched)
        return 0;
    return status != 0 ? status : !matched;
}
