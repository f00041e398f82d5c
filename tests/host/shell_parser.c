/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of shell/parser: words as sh cuts them, and lines at the limits. */
#include "tests/host/test.h"

#include <stdlib.h>
#include <string.h>

/* The code under test. */
#include "shell/parser.c"

static struct parser parser;

/* The commands of a line as text: words between |, commands between newlines. */
static const char *parse(const char *line, int status)
{
    static char out[3 * PARSER_TEXT_BYTES];
    char *p = out;
    enum parser_result result;

    parser_init(&parser, line);
    while ((result = parser_next(&parser, status)) == PARSER_COMMAND) {
        for (int i = 0; i < parser.argc; i++)
            p += strlen(strcat(strcpy(p, i > 0 ? "|" : ""), parser.argv[i]));
        if (parser.background)
            p = stpcpy(p, " &");
        CHECK(parser.argv[parser.argc] == NULL);
        p = stpcpy(p, "\n");
    }
    *p = '\0';
    if (result == PARSER_AND)
        return "and";
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
    PARSES("a && b", "and");
    PARSES("a &&", "and");
    CHECK(parser_check(&parser, "a & b") == NULL);
    CHECK(strncmp(parser_check(&parser, "a && b"), "&&", 2) == 0);
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
    static const char alphabet[] = "ab \t;&'\"\\$?#\n\x80";
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
            CHECK(++commands <= length && parser.argc > 0);
        CHECK(result == PARSER_END || result == PARSER_OPEN_QUOTE || result == PARSER_AND);
    }
}
