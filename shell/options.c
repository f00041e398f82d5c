/* SPDX-License-Identifier: BSD-2-Clause */
/* options: see options.h. Only short options exist, long ones are refused by their whole name;
 * there are no optional values. */
#include "shell/options.h"

#include "lib/number.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/output.h"

static int options_complain(const struct options *options, const char *what, char letter)
{
    shell_complain("%s: %s -%c\n", options->argv[0], what, letter);
    command_usage(options->argv[0]);
    return OPTIONS_BAD;
}

static void options_next_word(struct options *options)
{
    options->index++;
    options->offset = 0;
}

/* The letter at index, offset stands for an option that takes a value: find that. */
static int options_take_value(struct options *options, char letter)
{
    const char *rest = options->argv[options->index] + options->offset;

    options_next_word(options);
    if (*rest == '\0') {
        if (options->index >= options->argc)
            return options_complain(options, "no value for option", letter);
        rest = options->argv[options->index];
        options_next_word(options);
    }
    options->value = rest;
    return letter;
}

int options_next(struct options *options)
{
    const char *word, *known;
    char letter;

    if (options->index == 0)
        options_next_word(options);
    if (options->index >= options->argc)
        return OPTIONS_END;
    word = options->argv[options->index];
    if (options->offset == 0) {
        if (word[0] != '-' || word[1] == '\0')
            return OPTIONS_END;
        if (word[1] == '-' && word[2] == '\0') {
            options_next_word(options);
            return OPTIONS_END;
        }
        options->offset = 1;
    }
    if (options->offset == 1 && word[1] == '-') {
        shell_complain("%s: unknown option %s\n", options->argv[0], word);
        command_usage(options->argv[0]);
        return OPTIONS_BAD;
    }
    letter = word[options->offset++];
    known = letter == ':' ? NULL : strchr(options->letters, letter);
    if (known == NULL)
        return options_complain(options, "unknown option", letter);
    if (known[1] == ':')
        return options_take_value(options, letter);
    if (word[options->offset] == '\0')
        options_next_word(options);
    return letter;
}

static int options_bad_value(char **argv, const char *what, const char *text)
{
    shell_complain("%s: bad %s \"%s\"\n", argv[0], what, text);
    return command_usage(argv[0]);
}

int options_number(char **argv, const char *what, const char *text, uint64_t low, uint64_t high,
                   uint64_t *value)
{
    if (parse_u64(text, 10, value) != 0 || *value < low || *value > high)
        return options_bad_value(argv, what, text);
    return 0;
}

int options_seconds(char **argv, const char *what, const char *text, uint64_t *ns)
{
    if (parse_decimal(text, 9, ns) != 0)
        return options_bad_value(argv, what, text);
    return 0;
}

int options_interval(char **argv, const char *text, uint64_t *ns)
{
    if (parse_decimal(text, 9, ns) != 0 || *ns == 0)
        return options_bad_value(argv, "interval", text);
    return 0;
}

int options_none(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = ""};

    if (options_next(&options) != OPTIONS_END)
        return STATUS_USAGE;
    if (options.index >= argc)
        return 0;
    shell_complain("%s: unexpected argument \"%s\"\n", argv[0], argv[options.index]);
    return command_usage(argv[0]);
}
