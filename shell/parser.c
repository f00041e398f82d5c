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
    parser->background = false;
    parser->source = line;
    parser->source_length = 0;
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
    return c == ';' || c == '&' || c == '\n';
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

/* Step over the separator at parser->next. PARSER_END says that no command stood before it. */
static enum parser_result end_command(struct parser *parser)
{
    char separator = *parser->next++;

    if (separator == '&' && *parser->next == '&')
        return PARSER_AND;
    parser->background = separator == '&';
    return parser->argc > 0 ? PARSER_COMMAND : PARSER_END;
}

/* Add the word at parser->next to the command. */
static enum parser_result add_word(struct parser *parser, int status)
{
    char *word = parser->text + parser->used;
    enum parser_result result;

    if (parser->argc >= PARSER_WORDS || parser->used + 1 >= PARSER_TEXT_BYTES)
        return PARSER_TOO_LONG;
    if (parser->argc == 0)
        parser->source = parser->next;
    result = read_word(parser, status);
    if (result == PARSER_TOO_LONG)
        return result;
    parser->source_length = (size_t)(parser->next - parser->source);
    parser->argv[parser->argc++] = word;
    parser->argv[parser->argc] = NULL;
    return result;
}

enum parser_result parser_next(struct parser *parser, int status)
{
    enum parser_result result;

    parser->argc = 0;
    parser->argv[0] = NULL;
    parser->used = 0;
    parser->in_word = false;
    parser->background = false;
    for (;;) {
        parser->next = skip_blanks(parser->next);
        if (*parser->next == '\0')
            return parser->argc > 0 ? PARSER_COMMAND : PARSER_END;
        if (is_separator(*parser->next)) {
            result = end_command(parser);
            if (result != PARSER_END)
                return result;
            parser->background = false;
        } else {
            result = add_word(parser, status);
            if (result != PARSER_COMMAND)
                return result;
        }
    }
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
    if (result == PARSER_AND)
        return "&& is not known here; & runs a command in the background";
    return result == PARSER_TOO_LONG ? "line too long" : NULL;
}
