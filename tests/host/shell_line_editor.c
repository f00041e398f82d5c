/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of shell/line_editor. A model of one terminal row obeys the editor's output; after each
 * byte of input it must show the prompt, the visible part of the line and the cursor in its place.
 */
#include "tests/host/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The code under test. */
#include "shell/completion.c"
#include "shell/line_row.c"
#include "shell/line_search.c"
#include "shell/line_editor.c"

#define PROMPT "$ "

/* What the terminal shows, and where it stands within an escape sequence. */
static struct {
    char row[LINE_ROW_COLUMNS_MAX];
    size_t column;
    char sequence[16];
    size_t sequence_length;
    unsigned bells;
    bool strange; /* something was received that a terminal would not understand */
    char listed[512];
} screen;

static struct history history;
static struct line_editor editor;

static void screen_sequence(void)
{
    unsigned number = 1;
    char final = screen.sequence[screen.sequence_length - 1];

    screen.sequence[screen.sequence_length] = '\0';
    sscanf(screen.sequence, "\033[%u", &number);
    if (final == 'K') {
        memset(screen.row + screen.column, ' ', sizeof(screen.row) - screen.column);
    } else if (final == 'D') {
        screen.strange = screen.strange || number > screen.column;
        screen.column -= number;
    } else if (final == 'J') {
        memset(screen.row, ' ', sizeof(screen.row));
    } else if (final == 'H') {
        screen.column = 0;
    } else {
        screen.strange = true;
    }
    screen.sequence_length = 0;
}

static void screen_byte(char c)
{
    if (screen.sequence_length > 0) {
        screen.sequence[screen.sequence_length++] = c;
        if (c >= '@' && c != '[')
            screen_sequence();
        return;
    }
    switch (c) {
    case '\033':
        screen.sequence[screen.sequence_length++] = c;
        break;
    case '\a':
        screen.bells++;
        break;
    case '\b':
        screen.strange = screen.strange || screen.column == 0;
        screen.column--;
        break;
    case '\r':
        screen.column = 0;
        break;
    case '\n':
        snprintf(screen.listed, sizeof(screen.listed), "%.*s", LINE_ROW_COLUMNS_MAX, screen.row);
        memset(screen.row, ' ', sizeof(screen.row));
        screen.column = 0;
        break;
    default:
        if (c < ' ' || c > '~' || screen.column >= sizeof(screen.row))
            screen.strange = true;
        else
            screen.row[screen.column++] = c;
        break;
    }
}

static void screen_write(void *arg, const char *text, size_t length)
{
    (void)arg;
    while (length-- > 0)
        screen_byte(*text++);
}

static void offer_words(void *arg, const char *line, size_t length, struct completion *completion)
{
    static char word[LINE_ROW_BYTES + 1];
    size_t start = length;

    (void)arg;
    while (start > 0 && line[start - 1] != ' ')
        start--;
    memcpy(word, line + start, length - start);
    word[length - start] = '\0';
    completion->prefix = word;
    completion_add_list(completion,
                        (const char *const[]){"vmstat", "true", "time", "uptime", "timer", NULL});
}

static void check_screen(void)
{
    char expected[LINE_ROW_COLUMNS_MAX];
    const struct line_row *row = &editor.row;
    const char *prompt = row->prompt;
    size_t room = row->columns - 3 - strlen(prompt), shown = row->length - row->first;

    if (row->columns < strlen(prompt) + 3 + 8)
        room = 8; /* of the line at least, however long the prompt is */

    CHECK(row->cursor <= row->length && row->length <= LINE_ROW_BYTES);
    CHECK(row->first <= row->cursor && row->cursor - row->first <= room);
    memset(expected, ' ', sizeof(expected));
    memcpy(expected, prompt, strlen(prompt));
    memcpy(expected + strlen(prompt), row->text + row->first, shown < room ? shown : room);
    CHECK(memcmp(expected, screen.row, sizeof(expected)) == 0);
    CHECK(screen.column == strlen(prompt) + row->cursor - row->first);
    CHECK(!screen.strange && screen.sequence_length == 0);
}

static void begin_with(size_t columns)
{
    memset(&screen, 0, sizeof(screen));
    memset(screen.row, ' ', sizeof(screen.row));
    memset(&history, 0, sizeof(history));
    memset(&editor, 0, sizeof(editor));
    editor.complete = offer_words;
    editor.history = &history;
    editor.row.prompt = PROMPT;
    editor.row.write = screen_write;
    editor.row.columns = columns;
    line_editor_start(&editor);
}

static void begin(void)
{
    begin_with(LINE_ROW_COLUMNS);
}

/* Type keys; the first finished line, or NULL when there is none. Checks the screen at every byte.
 */
static const char *type(const char *keys)
{
    static char line[LINE_ROW_BYTES + 1];
    const char *finished = NULL;

    for (; *keys != '\0'; keys++) {
        if (line_editor_feed(&editor, *keys) == LINE_MORE) {
            check_screen();
            continue;
        }
        strcpy(line, editor.row.text);
        finished = line;
        line_editor_start(&editor);
        check_screen();
    }
    return finished;
}

#define TYPES(keys, expected) CHECK(strcmp(type(keys), (expected)) == 0)

TEST(line_editor_edits_in_the_middle)
{
    begin();
    TYPES("plain\r", "plain");
    TYPES("\nx\n", "x");
    TYPES("acd\033[D\033[Db\r", "abcd");
    TYPES("bc\001a\005d\r", "abcd");
    TYPES("abxc\002\177\r", "abc");
    TYPES("abxc\002\010\r", "abc");
    TYPES("axbc\001\006\004\r", "abc");
    TYPES("axbc\033[H\033[C\033[3~\r", "abc");
    TYPES("bc\033OHa\033OFd\r", "abcd");
    TYPES("bc\033[1~a\033[4~d\r", "abcd");
    TYPES("one two three\027\0272\r", "one 2");
    TYPES("one two\033b\033bzero \r", "zero one two");
    TYPES("one two\033[1;5D-\033[1;5C-\r", "one -two-");
    TYPES("one two\001\033d\r", " two");
    TYPES("lost\025kept\r", "kept");
    TYPES("one two three\033\177\033\0102\r", "one 2");
    TYPES("kept lost\033b\013\r", "kept ");
    TYPES("cut \025paste \031\r", "paste cut ");
    TYPES("redraw\014\r", "redraw");
}

TEST(line_editor_cancels_a_line)
{
    begin();
    type("gone");
    CHECK(line_editor_feed(&editor, 3) == LINE_CANCELLED);
    CHECK(editor.row.text[0] == '\0');
    line_editor_start(&editor);
    TYPES("kept\r", "kept");
    CHECK(history_get(&history, 2) == NULL);
}

TEST(line_editor_walks_through_the_history)
{
    begin();
    type("first\rsecond\r");
    TYPES("\033[A\r", "second");
    TYPES("\033[A\033[A\r", "first");
    TYPES("typed\033[A\033[A\033[B\033[B!\r", "typed!");
    TYPES("\020\020\020\016x\r", "firstx");
    screen.bells = 0;
    type("\016");
    CHECK(screen.bells == 1);
}

TEST(line_editor_completes)
{
    begin();
    TYPES("vm\t-i\r", "vmstat -i");
    TYPES("t\t\r", "t");
    TYPES("ti\t\r", "time");
    TYPES("x u\t\r", "x uptime ");
    screen.bells = 0;
    type("zz\t\025t\t");
    CHECK(screen.bells == 2);
    type("\t");
    CHECK(strncmp(screen.listed, "true   time   timer ", 20) == 0);
    TYPES("r\t\r", "true ");
}

TEST(line_editor_rings_at_the_limit)
{
    begin();
    for (int i = 0; i < LINE_ROW_BYTES; i++)
        type("x");
    CHECK(screen.bells == 0);
    type("y");
    CHECK(screen.bells == 1);
    CHECK(*type("\r") == '\0'); /* refused: not cut, not run, not remembered */
    CHECK(strncmp(screen.listed, "shell: line too long: nothing of it was run", 43) == 0);
    CHECK(history_get(&history, 1) == NULL);
    for (int i = 0; i < LINE_ROW_BYTES; i++)
        type("x");
    type("y\177"); /* and now it is what one sees */
    CHECK(strlen(type("z\r")) == LINE_ROW_BYTES);
    CHECK(strlen(type("\033[A\001\005\002\002\r")) == LINE_ROW_BYTES);
}

TEST(line_editor_searches_the_history)
{
    begin();
    type("vmstat -i\rkstat -p\rvmstat -s\recho\r");
    TYPES("\022vm\r", "vmstat -s");
    TYPES("\022vm\022\022\r", "vmstat -i"); /* twice: there is the one just typed, too */
    TYPES("\022stat -p\005 -m cpu\r", "kstat -p -m cpu");
    TYPES("\022vmx\177stat -i\r", "vmstat -i");
    TYPES("\022kst\033[D!\r", "kstat -p -m cp!u");
    TYPES("typed\022\007 more\r", "typed more");
    type("\022vm");
    CHECK(line_editor_feed(&editor, 3) == LINE_CANCELLED);
    line_editor_start(&editor);
    check_screen();
    screen.bells = 0;
    type("\022nowhere\177\177\177\177\177\177\177\177");
    CHECK(screen.bells == 7 + 6 + 1); /* no line has an n; then nothing is left to erase */
    TYPES("\007kept\r", "kept");
}

TEST(line_editor_refuses_other_characters_aloud)
{
    begin();
    screen.bells = 0;
    TYPES("a\303\244b\342\202\254c\360\237\230\200d\r", "abcd");
    CHECK(screen.bells == 3); /* one for each character */
}

TEST(line_editor_ignores_what_is_no_key)
{
    begin();
    TYPES("a\033[99;99;99Zb\033[?25hc\033Oqd\033\033[[e\200\303\244f\r", "abcdef");
    TYPES("x\033[12\ry\r", "y");
    TYPES("x\033\ry\r", "y");
}

/* COUNT bytes at random; the second half mostly keys, so that lines grow and are edited. */
static void garbage(size_t count)
{
    static const char keys[] = "abc   \t\001\002\005\006\010\013\016\020\025\027\031\033[A\033[D";
    unsigned seed = 20000531;

    for (size_t i = 0; i < count; i++) {
        unsigned r = (unsigned)rand_r(&seed);
        char byte = (char)(r >> 8);

        if (i >= count / 2 && r % 16 != 0)
            byte = keys[(r >> 8) % (sizeof(keys) - 1)];
        if (i >= count / 4 * 3 && r % 8 != 0)
            byte = 'x';
        if (line_editor_feed(&editor, byte) != LINE_MORE)
            line_editor_start(&editor);
        check_screen();
    }
    type("\r");
    TYPES("echo ok\r", "echo ok");
}

TEST(line_editor_survives_a_mebibyte_of_garbage)
{
    begin();
    garbage(1048576);
}

/* A line scrolls at the edge of the terminal that there is, and candidates are listed within it. */
TEST(line_editor_knows_the_width)
{
    static const size_t widths[] = {LINE_ROW_COLUMNS_MIN, 50, 81, 132, LINE_ROW_COLUMNS_MAX};

    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        begin_with(widths[i]);
        while (editor.row.first == 0 && editor.row.length < LINE_ROW_BYTES)
            type("x");
        CHECK(editor.row.length == widths[i] - 3 - strlen(PROMPT) + 1);
        type("\r");
        type("t\t\t");
        CHECK(strncmp(screen.listed, "true   time   timer ", 20) == 0);
        type("\025");
        garbage(131072);
    }
}
