/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of shell/parser: words as sh cuts them, and lines at the limits. */
#include "tests/host/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The code under test. */
#include "shell/parser.c"

static struct parser parser;

/* Redirections as `<0 PATH`, `>1 PATH`, `+1 PATH` and `=2 1`. */
static char *put_redirection(char *p, const struct parser_redirection *redirection)
{
    static const char kinds[] = "<>+=";

    p += sprintf(p, " %c%d", kinds[redirection->kind], redirection->descriptor);
    if (redirection->kind == PARSER_SAME)
        return p + sprintf(p, " %d", redirection->from);
    return p + sprintf(p, " %s", redirection->path);
}

static char *put_stage(char *p, const struct parser_stage *stage)
{
    CHECK(stage->argv[stage->argc] == NULL);
    for (int i = 0; i < stage->argc; i++)
        p += sprintf(p, "%s%s", i > 0 ? "|" : "", stage->argv[i]);
    for (unsigned i = 0; i < stage->redirection_count; i++)
        p = put_redirection(p, &stage->redirections[i]);
    return p;
}

/* The commands of a line as text: words between |, commands of a pipeline between ->, pipelines
 * between newlines. */
static const char *parse(const char *line, int status)
{
    static char out[3 * PARSER_TEXT_BYTES];
    char *p = out;
    enum parser_result result;

    *p = '\0';
    parser_init(&parser, line);
    while ((result = parser_next(&parser, status)) == PARSER_COMMAND) {
        for (unsigned i = 0; i < parser.stage_count; i++)
            p = put_stage(stpcpy(p, i > 0 ? " -> " : ""), &parser.stages[i]);
        p = stpcpy(p, (const char *[]){"\n", " &\n", " &&\n", " ||\n"}[parser.end]);
    }
    if (result == PARSER_SYNTAX)
        return parser.message;
    return result == PARSER_END ? out : result == PARSER_OPEN_QUOTE ? "open" : "long";
}

#define PARSES(line, expected) CHECK(strcmp(parse((line), 42), (expected)) == 0)

TEST(parser_splits_words_and_commands)
{
    PARSES("", "");
    PARSES("  \t ", "");
    PARSES("vmstat -i", "vmstat|-i\n");
    PARSES("  a\t b  ;c;; d ;", "a|b\nc\nd\n");
    PARSES("a\nb", "a\nb\n");
    PARSES("a\r\nb\r", "a\nb\n");
    PARSES(";;;", "");
}

TEST(parser_background)
{
    PARSES("sleep 1 & sleep 2& wait", "sleep|1 &\nsleep|2 &\nwait\n");
    PARSES("a&b;c &", "a &\nb\nc &\n");
    PARSES("& a ;& b", "a\nb\n");
    PARSES("a & & b", "a &\nb\n");
    PARSES("echo '&' \"a&b\" \\& c\\&d", "echo|&|a&b|&|c&d\n");
    PARSES("a # b & c", "a\n");
    CHECK(parser_check(&parser, "a & b") == NULL);
}

TEST(parser_lists)
{
    PARSES("a && b || c ; d", "a &&\nb ||\nc\nd\n");
    PARSES("a&&b", "a &&\nb\n");
    PARSES("a &&\n b ||\n\nc", "a &&\nb ||\nc\n");
    PARSES("a &&", "syntax error at the end of the line");
    PARSES("a || # b", "syntax error at the end of the line");
    PARSES("&& a", "syntax error near '&&'");
    PARSES("a && ; b", "syntax error near ';'");
    PARSES("a && & b", "syntax error near '&'");
    PARSES("a || || b", "syntax error near '||'");
    PARSES("a ; || b", "syntax error near '||'");
    CHECK(parser_check(&parser, "a && b || c & d") == NULL);
}

TEST(parser_pipelines)
{
    PARSES("a b|c | d e&", "a|b -> c -> d|e &\n");
    PARSES("a |\n b && c | d", "a -> b &&\nc -> d\n");
    PARSES("echo 'a|b' \\| \"c|\"", "echo|a|b|||c|\n");
    PARSES("| a", "syntax error near '|'");
    PARSES("a | | b", "syntax error near '|'");
    PARSES("a | ; b", "syntax error near ';'");
    PARSES("a |", "syntax error at the end of the line");
    PARSES("a ||| b", "syntax error near '|'");
}

TEST(parser_redirections)
{
    PARSES("a <b >c", "a <0 b >1 c\n");
    PARSES("a>>b c", "a|c +1 b\n");
    PARSES("> x a 2> y", "a >1 x >2 y\n");
    PARSES("a 2>&1 >'x y'", "a =2 1 >1 x y\n");
    PARSES("a 1>&2|b <&0", "a =1 2 -> b =0 0\n");
    PARSES("> x", " >1 x\n");
    PARSES("a x2>y '2'>z", "a|x2|2 >1 y >1 z\n");
    PARSES("a > $?", "a >1 42\n");
    PARSES("a '>' b \\< c", "a|>|b|<|c\n");
    PARSES("a >", "syntax error at the end of the line");
    PARSES("a > > b", "syntax error near '>'");
    PARSES("a > | b", "syntax error near '|'");
    PARSES("a << b", "syntax error near '<'");
    PARSES("a 3> b", "syntax error near '3>'");
    PARSES("a >&x", "syntax error near '>&'");
    PARSES("a >& 1", "syntax error near '>&'");
}

/* What `jobs` shows of a list, and what a job runs. */
TEST(parser_steps_over_lists)
{
    struct parser_list list;

    parser_init(&parser, "  a 1 && b |c >'x' & # d\n; 'e f' g");
    CHECK(parser_next_list(&parser, &list) == PARSER_COMMAND && list.background);
    CHECK(list.length == 16 && memcmp(list.source, "a 1 && b |c >'x'", 16) == 0);
    CHECK(strcmp(list.name, "a") == 0);
    CHECK(parser_next_list(&parser, &list) == PARSER_COMMAND && !list.background);
    CHECK(strcmp(list.name, "e f") == 0 && list.length == 7);
    CHECK(parser_next_list(&parser, &list) == PARSER_END);
}

/* 64 commands, and 64 redirections, and no more. */
TEST(parser_limits_of_a_pipeline)
{
    char line[4 * PARSER_STAGES + 8] = "a", *p = line + 1;

    for (int i = 1; i < PARSER_STAGES; i++)
        p = stpcpy(p, "|a");
    CHECK(parser_check(&parser, line) == NULL);
    strcpy(p, "|a");
    CHECK(strcmp(parser_check(&parser, line), "too many commands in a pipeline") == 0);
    p = line;
    for (int i = 0; i < PARSER_REDIRECTIONS; i++)
        p = stpcpy(p, "<a ");
    CHECK(parser_check(&parser, line) == NULL);
    strcpy(p, "<a");
    CHECK(strcmp(parser_check(&parser, line), "too many redirections in a pipeline") == 0);
}

/* The text of each command, as `jobs` shows it: quotes kept, what is around it not. */
TEST(parser_tells_the_source)
{
    parser_init(&parser, " ;  echo  'a & b' $? \t& x#y&");
    CHECK(parser_next(&parser, 7) == PARSER_COMMAND);
    CHECK(parser.source_length == 16 && memcmp(parser.source, "echo  'a & b' $? ", 16) == 0);
    CHECK(parser_next(&parser, 7) == PARSER_COMMAND);
    CHECK(parser.source_length == 3 && memcmp(parser.source, "x#y", 3) == 0);
    CHECK(parser_next(&parser, 7) == PARSER_END);
}

TEST(parser_quotes)
{
    PARSES("echo 'a  b;c#d' \"e 'f' g\"", "echo|a  b;c#d|e 'f' g\n");
    PARSES("a'b'\"c\"d ''", "abcd|\n");
    PARSES("a\\ b \\; \\' \\\\ \\n", "a b|;|'|\\|n\n");
    PARSES("\"a\\\"b\\\\c\\$?d\\e\"", "a\"b\\c$?d\\e\n");
    PARSES("'a\\'", "a\\\n");
    PARSES("end\\", "end\\\n");
    PARSES("'open", "open");
    PARSES("a \"open\\\"", "open");
}

TEST(parser_comments_and_status)
{
    PARSES("a #b; c", "a\n");
    PARSES("a#b;# c\nd", "a#b\nd\n");
    PARSES("echo $? x$?y \"$?\" '$?' \\$? $x $", "echo|42|x42y|42|$?|$?|$x|$\n");
}

TEST(parser_takes_lines_up_to_the_limit)
{
    char *line = malloc(PARSER_LINE_BYTES + 2);

    memset(line, 'x', PARSER_LINE_BYTES);
    line[PARSER_LINE_BYTES] = '\0';
    CHECK(parser_check(&parser, line) == NULL);
    for (size_t i = 0; i < PARSER_LINE_BYTES; i += 2)
        line[i] = ' ';
    CHECK(parser_check(&parser, line) == NULL);
    parser_init(&parser, line);
    CHECK(parser_next(&parser, 0) == PARSER_COMMAND);
    CHECK(parser.argc == PARSER_LINE_BYTES / 2);
    for (size_t i = 0; i < PARSER_LINE_BYTES; i++)
        line[i] = "$?"[i & 1];
    CHECK(parser_check(&parser, line) == NULL);
    strcpy(line + PARSER_LINE_BYTES, "x");
    CHECK(strcmp(parser_check(&parser, line), "line too long") == 0);
    CHECK(strcmp(parser_check(&parser, "true; echo 'x"), "unterminated quote") == 0);
    free(line);
}

TEST(parser_survives_random_lines)
{
    static const char alphabet[] = "ab2 \t;&|<>'\"\\$?#\n\x80";
    char line[PARSER_LINE_BYTES + 1];
    unsigned seed = 1;

    for (unsigned round = 0; round < 2000; round++) {
        size_t length = (size_t)rand_r(&seed) % (round % 20 == 0 ? sizeof(line) : 40);
        enum parser_result result;
        size_t commands = 0;

        for (size_t i = 0; i < length; i++)
            line[i] = alphabet[(size_t)rand_r(&seed) % (sizeof(alphabet) - 1)];
        line[length] = '\0';
        parser_init(&parser, line);
        while ((result = parser_next(&parser, 255)) == PARSER_COMMAND)
            CHECK(++commands <= length && parser.stage_count > 0);
        CHECK(result == PARSER_END || result == PARSER_OPEN_QUOTE || result == PARSER_SYNTAX);
    }
}
