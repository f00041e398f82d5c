/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of shell/options; what it asks of the shell is answered here. */
#include "tests/host/test.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shell/command.h"
#include "shell/output.h"

/* The code under test. */
#include "shell/options.c"

static char printed[256];

void shell_complain(const char *fmt, ...)
{
    size_t used = strlen(printed);
    va_list args;

    va_start(args, fmt);
    vsnprintf(printed + used, sizeof(printed) - used, fmt, args);
    va_end(args);
}

int command_usage(const char *name)
{
    shell_complain("usage: %s\n", name);
    return STATUS_USAGE;
}

/* What the words come to: letters, values in brackets, then `|` and the operands. */
static const char *read_options(const char *letters, int argc, char **argv)
{
    static char out[128];
    struct options options = {.argc = argc, .argv = argv, .letters = letters};
    char *p = out;
    int option;

    printed[0] = '\0';
    while ((option = options_next(&options)) != OPTIONS_END && option != OPTIONS_BAD) {
        p += sprintf(p, "%c", option);
        if (options.value != NULL)
            p += sprintf(p, "[%s]", options.value);
        options.value = NULL;
    }
    p += sprintf(p, option == OPTIONS_BAD ? "?" : "|");
    for (int i = options.index; i < argc && option != OPTIONS_BAD; i++)
        p += sprintf(p, "%s ", argv[i]);
    return out;
}

#define READS(expected, ...)                                                                       \
    do {                                                                                           \
        char *argv[] = {(char[]){"cmd"}, __VA_ARGS__};                                             \
        CHECK(strcmp(read_options("iw:", (int)(sizeof(argv) / sizeof(argv[0])), argv),             \
                     (expected)) == 0);                                                            \
    } while (0)

#define W(text) ((char[]){text})

TEST(options_are_read_as_getopt_does)
{
    READS("|x ", W("x"));
    READS("i|5 -i ", W("-i"), W("5"), W("-i"));
    READS("iw[3]|", W("-iw3"));
    READS("w[3]i|x ", W("-w"), W("3"), W("-i"), W("x"));
    READS("w[-i]|", W("-w"), W("-i"));
    READS("|-i ", W("--"), W("-i"));
    READS("|- ", W("-"));
}

TEST(options_complain_with_the_usage)
{
    READS("i?", W("-ix"));
    CHECK(strcmp(printed, "cmd: unknown option -x\nusage: cmd\n") == 0);
    READS("?", W("-:"));
    READS("?", W("-w"));
    CHECK(strcmp(printed, "cmd: no value for option -w\nusage: cmd\n") == 0);
    READS("?", W("--help"));
    CHECK(strcmp(printed, "cmd: unknown option --help\nusage: cmd\n") == 0);
    READS("i?", W("-i-x"));
    CHECK(strcmp(printed, "cmd: unknown option --\nusage: cmd\n") == 0);
}

TEST(options_read_numbers)
{
    char *argv[] = {(char[]){"cmd"}, (char[]){"-1"}, NULL};
    uint64_t value;

    CHECK(options_number(argv, "count", "7", 1, 9, &value) == 0 && value == 7);
    CHECK(options_number(argv, "count", "0", 1, 9, &value) == STATUS_USAGE);
    CHECK(options_number(argv, "count", "10", 1, 9, &value) == STATUS_USAGE);
    printed[0] = '\0';
    CHECK(options_number(argv, "count", "7x", 1, 9, &value) == STATUS_USAGE);
    CHECK(strcmp(printed, "cmd: bad count \"7x\"\nusage: cmd\n") == 0);
    CHECK(options_seconds(argv, "time", "1.5", &value) == 0 && value == 1500000000);
    CHECK(options_seconds(argv, "time", "soon", &value) == STATUS_USAGE);
    CHECK(options_none(1, argv) == 0);
    CHECK(options_none(2, argv) == STATUS_USAGE);
}
