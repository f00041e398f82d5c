/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parser: see parser.h. A hand-written scanner: parser_next skips to a word, parser_read_word
 * copies it while undoing its quotes. There is no syntax tree: a pipeline is a list of commands, a
 * command a list of words.
 */
#include "shell/parser.h"

#include "lib/format.h"
#include "lib/string.h"

/* Before a pipeline: nothing is known of it. */
static void parser_clear(struct parser *parser)
{
    parser->in_word = parser->in_target = false;
    parser->source_length = 0;
    parser->stage_count = parser->redirection_count = 0;
    parser->word_count = parser->used = 0;
    parser->argc = 0;
    parser->argv = parser->words;
    parser->words[0] = NULL;
}

void parser_init(struct parser *parser, const char *line)
{
    parser->next = line;
    parser->source = line;
    parser->end = PARSER_THEN;
    parser->message[0] = '\0';
    parser_clear(parser);
}

static bool parser_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool parser_is_separator(char c)
{
    return c == ';' || c == '&' || c == '|' || c == '\n';
}

static bool parser_is_redirection(char c)
{
    return c == '<' || c == '>';
}

/* One byte is always kept free for the word's NUL. */
static bool parser_append(struct parser *parser, char c)
{
    if (parser->used + 1 >= PARSER_TEXT_BYTES)
        return false;
    parser->text[parser->used++] = c;
    return true;
}

static bool parser_append_status(struct parser *parser, int status)
{
    char digits[8];
    size_t length = format(digits, sizeof(digits), "%d", status & 255);
    bool fits = true;

    for (size_t i = 0; i < length; i++)
        fits = fits && parser_append(parser, digits[i]);
    return fits;
}

/* Whether a backslash in front of c takes its meaning away; elsewhere the backslash is kept. */
static bool parser_is_escapable(char c, char quote)
{
    if (quote == '\'' || c == '\0')
        return false;
    return quote == '\0' || c == '"' || c == '\\' || c == '$';
}

/* Copy the word at parser->next; it ends at the NUL, or outside quotes where another begins. */
static enum parser_result parser_read_word(struct parser *parser, int status)
{
    char quote = '\0';
    bool fits = true;
    const char *p = parser->next;

    for (; *p != '\0'; p++) {
        if (quote == '\0' &&
            (parser_is_blank(*p) || parser_is_separator(*p) || parser_is_redirection(*p)))
            break;
        if (*p == '\\' && parser_is_escapable(p[1], quote)) {
            fits = parser_append(parser, *++p);
        } else if (*p == '$' && p[1] == '?' && quote != '\'') {
            fits = parser_append_status(parser, status);
            p++;
        } else if (quote == '\0' && (*p == '\'' || *p == '"')) {
            quote = *p;
        } else if (quote != '\0' && *p == quote) {
            quote = '\0';
        } else {
            fits = parser_append(parser, *p);
        }
        if (!fits)
            return PARSER_TOO_LONG;
    }
    parser->next = p;
    parser->text[parser->used++] = '\0';
    return quote == '\0' ? PARSER_COMMAND : PARSER_OPEN_QUOTE;
}

/* Skip what stands before a word: blanks and a comment. */
static const char *parser_skip_blanks(const char *p)
{
    while (parser_is_blank(*p))
        p++;
    if (*p == '#') {
        while (*p != '\0' && *p != '\n')
            p++;
    }
    return p;
}

/* The token of LENGTH bytes at `next` may not stand there. */
static enum parser_result parser_syntax_error(struct parser *parser, size_t length)
{
    if (*parser->next == '\0' || *parser->next == '\n')
        format(parser->message, sizeof(parser->message), "syntax error at the end of the line");
    else
        format(parser->message, sizeof(parser->message), "syntax error near '%.*s'", (int)length,
               parser->next);
    return PARSER_SYNTAX;
}

static enum parser_result parser_too_many(struct parser *parser, const char *what)
{
    format(parser->message, sizeof(parser->message), "too many %s in a pipeline", what);
    return PARSER_SYNTAX;
}

/* The command whose words are being gathered. */
static struct parser_stage *parser_last_stage(struct parser *parser)
{
    return &parser->stages[parser->stage_count - 1];
}

static bool parser_stage_is_empty(const struct parser *parser)
{
    const struct parser_stage *stage;

    if (parser->stage_count == 0)
        return true;
    stage = &parser->stages[parser->stage_count - 1];
    return stage->argc == 0 && stage->redirection_count == 0;
}

static bool parser_begin_stage(struct parser *parser)
{
    struct parser_stage *stage = &parser->stages[parser->stage_count];

    if (parser->stage_count == PARSER_STAGES)
        return false;
    if (parser->stage_count++ > 0)
        parser->word_count++; /* the NULL that ends the last one's */
    stage->argc = parser->argc = 0;
    stage->argv = parser->argv = parser->words + parser->word_count;
    stage->redirections = parser->redirections + parser->redirection_count;
    stage->redirection_count = 0;
    parser->argv[0] = NULL;
    return true;
}

/* Step over the operator at parser->next. PARSER_END says that the pipeline goes on, or has not
 * begun. */
static enum parser_result parser_read_operator(struct parser *parser)
{
    char c = *parser->next;
    bool twice = (c == '&' || c == '|') && parser->next[1] == c;
    bool empty = parser_stage_is_empty(parser), wanted = parser->wanted || parser->stage_count > 1;

    if (empty && (c == '|' || twice || (wanted && c != '\n')))
        return parser_syntax_error(parser, twice ? 2 : 1);
    parser->next += twice ? 2 : 1;
    if (empty)
        return PARSER_END;
    if (c == '|' && !twice)
        return parser_begin_stage(parser) ? PARSER_END : parser_too_many(parser, "commands");
    parser->end = c == '|'   ? PARSER_OR
                  : twice    ? PARSER_AND
                  : c == '&' ? PARSER_BACKGROUND
                             : PARSER_THEN;
    return PARSER_COMMAND;
}

/* What stands at the end of the line, or of the pipeline's last command there. */
static enum parser_result parser_end_line(struct parser *parser)
{
    if (!parser_stage_is_empty(parser)) {
        parser->end = PARSER_THEN;
        return PARSER_COMMAND;
    }
    return parser->wanted || parser->stage_count > 1 ? parser_syntax_error(parser, 1) : PARSER_END;
}

/* The word at parser->next into the text; *WORD is where. */
static enum parser_result parser_take_word(struct parser *parser, int status, char **word)
{
    *word = parser->text + parser->used;
    return parser->used + 1 >= PARSER_TEXT_BYTES ? PARSER_TOO_LONG
                                                 : parser_read_word(parser, status);
}

/* Add the word at parser->next to the command. */
static enum parser_result parser_add_word(struct parser *parser, int status)
{
    enum parser_result result;
    char *word;

    if (parser->word_count >= PARSER_WORDS + PARSER_STAGES - 1)
        return PARSER_TOO_LONG;
    result = parser_take_word(parser, status, &word);
    if (result == PARSER_TOO_LONG)
        return result;
    parser->in_word = *parser->next == '\0';
    parser->argv[parser->argc++] = word;
    parser->argv[parser->argc] = NULL;
    parser->word_count++;
    parser_last_stage(parser)->argc = parser->argc;
    return result;
}

/* Whether a redirection begins there: `<` and `>`, or a digit before one. */
static bool parser_at_redirection(const char *p)
{
    return parser_is_redirection(*p) || (*p >= '0' && *p <= '9' && parser_is_redirection(p[1]));
}

static bool parser_is_descriptor(char c)
{
    return c >= '0' && c <= '2';
}

/* The kind of the redirection whose operator is at *P, which is stepped over; false: none. */
static bool parser_read_kind(const char **p, struct parser_redirection *redirection)
{
    bool input = **p == '<', append = !input && (*p)[1] == '>';

    redirection->kind = (uint8_t)(input ? PARSER_INPUT : append ? PARSER_APPEND : PARSER_OUTPUT);
    *p += append ? 2 : 1;
    if (**p != '&' || append)
        return true;
    redirection->kind = PARSER_SAME;
    redirection->from = (uint8_t)((*p)[1] - '0');
    if (!parser_is_descriptor((*p)[1]))
        return false;
    *p += 2;
    return **p == '\0' || parser_is_blank(**p) || parser_is_separator(**p) ||
           parser_is_redirection(**p);
}

/* Add the redirection at parser->next to the command. */
static enum parser_result parser_add_redirection(struct parser *parser, int status)
{
    struct parser_redirection *redirection = &parser->redirections[parser->redirection_count];
    bool told = !parser_is_redirection(*parser->next);
    const char *p = parser->next + told;
    enum parser_result result = PARSER_COMMAND;

    if (parser->redirection_count == PARSER_REDIRECTIONS)
        return parser_too_many(parser, "redirections");
    if (told && !parser_is_descriptor(*parser->next))
        return parser_syntax_error(parser, 2);
    redirection->descriptor = (uint8_t)(told ? *parser->next - '0' : *p == '>');
    if (!parser_read_kind(&p, redirection))
        return parser_syntax_error(parser, (size_t)(p - parser->next) + 1);
    parser->next = p;
    if (redirection->kind != PARSER_SAME) {
        parser->next = parser_skip_blanks(p);
        if (*parser->next == '\0' || parser_is_separator(*parser->next) ||
            parser_is_redirection(*parser->next))
            return parser_syntax_error(parser, 1);
        result = parser_take_word(parser, status, &redirection->path);
        parser->in_target = *parser->next == '\0';
    }
    parser->redirection_count++;
    parser_last_stage(parser)->redirection_count++;
    return result;
}

/* A word or a redirection of the last command. */
static enum parser_result parser_add_piece(struct parser *parser, int status)
{
    enum parser_result result;

    if (parser_stage_is_empty(parser) && parser->stage_count <= 1)
        parser->source = parser->next;
    if (parser->stage_count == 0)
        (void)parser_begin_stage(parser);
    result = parser_at_redirection(parser->next) ? parser_add_redirection(parser, status)
                                                 : parser_add_word(parser, status);
    parser->source_length = (size_t)(parser->next - parser->source);
    return result;
}

enum parser_result parser_next(struct parser *parser, int status)
{
    enum parser_result result;

    parser->wanted = parser->end == PARSER_AND || parser->end == PARSER_OR;
    parser_clear(parser);
    for (;;) {
        parser->next = parser_skip_blanks(parser->next);
        if (*parser->next == '\0')
            return parser_end_line(parser);
        if (parser_is_separator(*parser->next)) {
            result = parser_read_operator(parser);
            if (result != PARSER_END)
                return result;
        } else {
            result = parser_add_piece(parser, status);
            if (result != PARSER_COMMAND)
                return result;
        }
    }
}

enum parser_result parser_next_list(struct parser *parser, struct parser_list *list)
{
    enum parser_result result = parser_next(parser, 255);

    if (result != PARSER_COMMAND)
        return result;
    list->source = parser->source;
    format(list->name, sizeof(list->name), "%s",
           parser->stages[0].argc > 0 ? parser->stages[0].argv[0] : "shell");
    while (result == PARSER_COMMAND && (parser->end == PARSER_AND || parser->end == PARSER_OR))
        result = parser_next(parser, 255);
    list->length = (size_t)(parser->source - list->source) + parser->source_length;
    list->background = parser->end == PARSER_BACKGROUND;
    return result;
}

/* Whether one of the lines, a script has several, is longer than may be. */
static bool parser_has_long_line(const char *lines)
{
    const char *end;

    for (; (end = strchr(lines, '\n')) != NULL; lines = end + 1)
        if (end - lines > PARSER_LINE_BYTES)
            return true;
    return strlen(lines) > PARSER_LINE_BYTES;
}

const char *parser_check(struct parser *parser, const char *line)
{
    enum parser_result result;

    if (parser_has_long_line(line))
        return "line too long";
    parser_init(parser, line);
    do
        result = parser_next(parser, 255);
    while (result == PARSER_COMMAND);
    if (result == PARSER_OPEN_QUOTE)
        return "unterminated quote";
    if (result == PARSER_SYNTAX)
        return parser->message;
    return result == PARSER_TOO_LONG ? "line too long" : NULL;
}
