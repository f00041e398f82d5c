/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of sh: quotes, $NAME, $(command), fields, file names. */
#include "sh.h"
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A field as a pattern of glob(3): what was quoted has a backslash. */
struct field {
    char *text;
    size_t length, room;
    bool begun, pattern; /* there is one, be it empty; it has a * that was not quoted */
};

static char *sh_word_more(char *text, size_t room)
{
    char *more = realloc(text, room);

    if (!more)
        _exit(127);
    return more;
}

static void field_add(struct field *field, char c, bool quoted)
{
    if (field->length + 3 > field->room) {
        field->room = field->room * 2 + 64;
        field->text = sh_word_more(field->text, field->room);
    }
    if (strchr("*?[]\\", c)) {
        if (quoted)
            field->text[field->length++] = '\\';
        else if (c != ']' && c != '\\')
            field->pattern = true;
    }
    field->text[field->length++] = c;
    field->text[field->length] = '\0';
    field->begun = true;
}

static char *field_plain(const struct field *field)
{
    char *text = malloc(field->length + 1), *to = text;

    if (!text)
        _exit(127);
    for (const char *from = field->text; field->length > 0 && *from; from++) {
        if (*from == '\\' && from[1])
            from++;
        *to++ = *from;
    }
    *to = '\0';
    return text;
}

void sh_words_add(struct sh_words *words, char *word)
{
    if (words->count + 2 > words->room) {
        words->room = words->room * 2 + 8;
        words->word = realloc(words->word, words->room * sizeof *words->word);
        if (!words->word || !word)
            _exit(127);
    }
    words->word[words->count++] = word;
    words->word[words->count] = NULL;
}

void sh_words_free(struct sh_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->word[i]);
    free(words->word);
    *words = (struct sh_words){.count = 0};
}

static void field_end(struct field *field, struct sh_words *words)
{
    glob_t found;

    if (field->begun && field->pattern && glob(field->text, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            sh_words_add(words, strdup(found.gl_pathv[i]));
        globfree(&found);
    } else if (field->begun) {
        sh_words_add(words, field_plain(field));
    }
    field->length = 0;
    field->begun = field->pattern = false;
}

/* A value: where it is not quoted its blanks end fields. WORDS may be NULL: there is one field. */
static void field_value(struct field *field, const char *value, bool quoted, struct sh_words *words)
{
    for (; value && *value; value++)
        if (!quoted && words && strchr(" \t\n", *value))
            field_end(field, words);
        else
            field_add(field, *value, quoted);
}

/* Behind the parenthesis that ends what TEXT begins. */
static const char *sh_word_nested(const char *text)
{
    for (int depth = 1; *text && depth > 0; text++) {
        if (*text == '(')
            depth++;
        else if (*text == ')')
            depth--;
        else if (*text == '\\' && text[1])
            text++;
        else if (*text == '\'' && strchr(text + 1, '\''))
            text = strchr(text + 1, '\'');
    }
    return text;
}

const char *sh_word_end(const char *text)
{
    char quote = '\0';

    for (; *text && (quote || !strchr(" \t\n;&|()<>", *text)); text++) {
        if (*text == '\\' && quote != '\'' && text[1])
            text++;
        else if (*text == '$' && text[1] == '(' && quote != '\'')
            text = sh_word_nested(text + 2) - 1;
        else if (quote ? *text == quote : strchr("'\"`", *text) != NULL)
            quote = quote ? '\0' : *text;
    }
    return text;
}

/* What the command prints, without the newlines at its end. */
static char *sh_word_output(const char *command, size_t length)
{
    size_t used = 0, room = 256;
    char *text = malloc(room), *copy = strndup(command, length);
    int ends[2], child;
    ssize_t got;

    if (!text || !copy || pipe(ends) != 0)
        _exit(127);
    child = sh_fork();
    if (child == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        sh_run_text(copy);
        fflush(stdout);
        _exit(sh.status);
    }
    close(ends[1]);
    while ((got = read(ends[0], text + used, room - used - 1)) > 0) {
        used += (size_t)got;
        if (room - used < 128)
            text = sh_word_more(text, room *= 2);
    }
    close(ends[0]);
    free(copy);
    sh.status = sh_wait(child);
    while (used > 0 && text[used - 1] == '\n')
        used--;
    text[used] = '\0';
    return text;
}

/* The variable or parameter NAME; NUMBER has room for one that is computed. NULL: not set. */
static const char *sh_word_variable(const char *name, char number[16])
{
    int value = *name == '?'   ? sh.status
                : *name == '$' ? (int)getpid()
                : *name == '#' ? sh.argc - 1
                               : sh.last_child;

    if (strchr("?$#!", *name)) {
        snprintf(number, 16, "%d", value);
        return number;
    }
    if (isdigit((unsigned char)*name))
        return atoi(name) < sh.argc ? sh.argv[atoi(name)] : NULL;
    return getenv(name);
}

/* All parameters: "$@" has a field for each. */
static void field_parameters(struct field *field, bool quoted, bool apart, struct sh_words *words)
{
    for (int i = 1; i < sh.argc; i++) {
        field_value(field, sh.argv[i], quoted, words);
        if (i + 1 < sh.argc && apart && words)
            field_end(field, words);
        else if (i + 1 < sh.argc)
            field_value(field, " ", quoted, words);
    }
}

/* From a dollar on: where it ends. */
static const char *field_dollar(struct field *field, const char *at, bool quoted,
                                struct sh_words *words)
{
    char name[64], number[16];
    bool braces = *++at == '{';
    const char *value;
    size_t length = 0;

    if (*at == '(') {
        const char *end = sh_word_nested(at + 1);
        char *output = sh_word_output(at + 1, (size_t)(end - at) - 2);

        field_value(field, output, quoted, words);
        free(output);
        return end;
    }
    at += braces;
    if (*at == '@' || *at == '*') {
        field_parameters(field, quoted, *at == '@' || !quoted, words);
        return at + 1 + braces;
    }
    if (*at && (strchr("?$#!", *at) || isdigit((unsigned char)*at)))
        name[length++] = *at++;
    else
        while ((isalnum((unsigned char)*at) || *at == '_') && length < sizeof name - 1)
            name[length++] = *at++;
    name[length] = '\0';
    if (length == 0)
        field_add(field, '$', true);
    else if ((value = sh_word_variable(name, number)) || (braces && at[0] == ':' && at[1] == '-'))
        field_value(field, value && *value ? value : "", quoted, words);
    if (braces && at[0] == ':' && at[1] == '-') {
        char *other = strndup(at + 2, strcspn(at + 2, "}"));

        value = sh_word_variable(name, number);
        if (!value || !*value)
            field_value(field, other, quoted, words);
        free(other);
    }
    return braces ? at + strcspn(at, "}") + 1 : at;
}

static void field_fill(struct field *field, const char *at, const char *end, struct sh_words *words)
{
    char quote = '\0';

    while (at < end) {
        char c = *at;

        if (c == '\'' && quote != '"') {
            quote = quote ? '\0' : c;
            field->begun = true;
        } else if (c == '"' && quote != '\'') {
            quote = quote ? '\0' : c;
            field->begun = true;
        } else if (c == '\\' && quote != '\'' && (!quote || strchr("$`\"\\\n", at[1]))) {
            if (*++at != '\n')
                field_add(field, *at, true);
        } else if (c == '$' && quote != '\'') {
            at = field_dollar(field, at, quote != '\0', words);
            continue;
        } else if (c == '`' && quote != '\'' && strchr(at + 1, '`')) {
            const char *last = strchr(at + 1, '`');
            char *output = sh_word_output(at + 1, (size_t)(last - at) - 1);

            field_value(field, output, quote != '\0', words);
            free(output);
            at = last;
        } else {
            field_add(field, c, quote != '\0');
        }
        at++;
    }
}

void sh_word_expand(const char *text, size_t length, struct sh_words *words)
{
    struct field field = {.text = NULL};

    field_fill(&field, text, text + length, words);
    field_end(&field, words);
    free(field.text);
}

char *sh_word_text(const char *text, size_t length)
{
    struct field field = {.text = NULL};
    char *plain;

    field_fill(&field, text, text + length, NULL);
    plain = field_plain(&field);
    free(field.text);
    return plain;
}
