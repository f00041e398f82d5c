/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parser: see parser.h. A hand-written scanner: parser_next skips to a word, read_word copies it
 * while undoing its quotes. There is no syntax tree, a command is a list of words.
 */
#include "shell/parser.h"

#include "lib/format.h"
#include "lib/string.h"

void parser_init(struct parser *parser, const char *line)
{
    parser->next = line;
    parser->in_word = false;
    parser->argc = 0;
    parser->argv[0] = NULL;
    parser->used = 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_separator(char c)
{
    return c == ';' || c == '\n';
}

/* One byte is always kept free for the word's NUL. */
static bool append(struct parser *parser, char c)
{
    if (parser->used + 1 >= PARSER_TEXT_BYTES)
        return false;
    parser->text[parser->used++] = c;
    return true;
}

static bool append_status(struct parser *parser, int status)
{
    char digits[8];
    size_t length = format(digits, sizeof(digits), "%d", status & 255);
    bool fits = true;

    for (size_t i = 0; i < length; i++)
        fits = fits && append(parser, digits[i]);
    return fits;
}

/* Whether a backslash in front of c takes its meaning away; elsewhere the backslash is kept. */
static bool is_escapable(char c, char quote)
{
    if (quote == '\'' || c == '\0')
        return false;
    return quote == '\0' || c == '"' || c == '\\' || c == '$';
}

/* Copy the word at parser->next; its end is a blank or separator outside quotes, or the NUL. */
static enum parser_result read_word(struct parser *parser, int status)
{
    char quote = '\0';
    bool fits = true;
    const char *p = parser->next;

    for (; *p != '\0'; p++) {
        if (quote == '\0' && (is_blank(*p) || is_separator(*p)))
            break;
        if (*p == '\\' && is_escapable(p[1], quote)) {
            fits = append(parser, *++p);
        } else if (*p == '$' && p[1] == '?' && quote != '\'') {
            fits = append_status(parser, status);
            p++;
        } else if (quote == '\0' && (*p == '\'' || *p == '"')) {
            quote = *p;
        } else if (quote != '\0' && *p == quote) {
            quote = '\0';
        } else {
            fits = append(parser, *p);
        }
        if (!fits)
            return PARSER_TOO_LONG;
    }
    parser->in_word = *p == '\0';
    parser->next = p;
    parser->text[parser->used++] = '\0';
    return quote == '\0' ? PARSER_COMMAND : PARSER_OPEN_QUOTE;
}

/* Skip what stands before a word: blanks and a comment. */
static const char *skip_blanks(const char *p)
{
    while (is_blank(*p))
        p++;
    if (*p == '#') {
        while (*p != '\0' && *p != '\n')
            p++;
    }
    return p;
}

enum parser_result parser_next(struct parser *parser, int status)
{
    enum parser_result result = PARSER_COMMAND;

    parser->argc = 0;
    parser->argv[0] = NULL;
    parser->used = 0;
    parser->in_word = false;
    while (result == PARSER_COMMAND) {
        char *word = parser->text + parser->used;

        parser->next = skip_blanks(parser->next);
        if (*parser->next == '\0')
            return parser->argc > 0 ? PARSER_COMMAND : PARSER_END;
        if (is_separator(*parser->next)) {
            parser->next++;
            if (parser->argc > 0)
                return PARSER_COMMAND;
            continue;
        }
        if (parser->argc >= PARSER_WORDS || parser->used + 1 >= PARSER_TEXT_BYTES)
            return PARSER_TOO_LONG;
        result = read_word(parser, status);
        if (result == PARSER_TOO_LONG)
            return result;
        parser->argv[parser->argc++] = word;
        parser->argv[parser->argc] = NULL;
    }
    return result;
}

const char *parser_check(struct parser *parser, const char *line)
{
    enum parser_result result;

    if (strnlen(line, PARSER_LINE_BYTES + 1) > PARSER_LINE_BYTES)
        return "line too long";
    parser_init(parser, line);
    do
        result = parser_next(parser, 255);
    while (result == PARSER_COMMAND);
    if (result == PARSER_OPEN_QUOTE)
        return "unterminated quote";
    return result == PARSER_TOO_LONG ? "line too long" : NULL;
}
