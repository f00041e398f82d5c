/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_editor: see line_editor.h. Keys become operations on the row. Every byte value in every
 * state has a meaning or none; none of them can leave the decoder stuck, as any control character
 * ends an escape sequence. Bytes of 128 and more are not text here.
 */
#include "shell/line_editor.h"

#include "lib/format.h"
#include "lib/string.h"

#define CONTROL(letter) ((letter) & 31)
#define ESCAPE_BYTE     27
#define DELETE_BYTE     127

/* Step through the history; the line being typed waits in the stash, below the newest. */
static void line_editor_history_move(struct line_editor *e, bool older)
{
    const char *line;

    if (e->history == NULL || (!older && e->history_back == 0)) {
        line_row_bell(&e->row);
        return;
    }
    line = history_get(e->history, older ? e->history_back + 1 : e->history_back - 1);
    if (older && line == NULL) {
        line_row_bell(&e->row);
        return;
    }
    if (e->history_back == 0) {
        memcpy(e->stash, e->row.text, e->row.length);
        e->stash[e->row.length] = '\0';
    }
    e->history_back += older ? 1 : (size_t)-1;
    if (line == NULL)
        line = e->stash;
    line_row_replace(&e->row, line, strlen(line));
}

/* Ends a search; the line that it found stays. */
static void line_editor_search_end(struct line_editor *e)
{
    e->search.active = false;
    line_row_set_prompt(&e->row, e->search.prompt_before);
}

/* Shows the line that is found now; without one the line stays, and the bell rings. */
static void line_editor_search_show(struct line_editor *e, bool older)
{
    const char *line = line_search_find(&e->search, e->history, older);

    if (line != NULL)
        line_row_replace(&e->row, line, strlen(line));
    else
        line_row_set_prompt(&e->row, e->search.prompt);
    if (line == NULL && e->search.length > 0)
        line_row_bell(&e->row);
}

static void line_editor_search_begin(struct line_editor *e)
{
    if (e->history == NULL) {
        line_row_bell(&e->row);
        return;
    }
    line_search_begin(&e->search, e->row.prompt);
    line_row_set_prompt(&e->row, e->search.prompt);
}

/* While one searches. Whether the key was for the search; any other ends it, and is what it is. */
static bool line_editor_search_key(struct line_editor *e, char byte)
{
    if (byte == CONTROL('R')) {
        line_editor_search_show(e, true);
    } else if (byte == DELETE_BYTE || byte == CONTROL('H')) {
        if (line_search_remove(&e->search))
            line_editor_search_show(e, false);
        else
            line_row_bell(&e->row);
    } else if (byte >= ' ' && byte < DELETE_BYTE) {
        if (line_search_add(&e->search, byte))
            line_editor_search_show(e, false);
        else
            line_row_bell(&e->row);
    } else {
        line_editor_search_end(e);
        return byte == CONTROL('G');
    }
    return true;
}

/* The listing of candidates: columns of equal width, then the line again. */
struct listing {
    struct line_editor *editor;
    size_t width, column;
};

static void line_editor_list_candidate(void *arg, const char *candidate)
{
    struct listing *listing = arg;
    char cell[LINE_ROW_COLUMNS_MAX + COMPLETION_BYTES];
    size_t length;

    if (listing->column > 0 && listing->column + listing->width >= listing->editor->row.columns) {
        line_row_put(&listing->editor->row, "\n", 1);
        listing->column = 0;
    }
    length = format(cell, sizeof(cell), "%-*s", (int)listing->width, candidate);
    line_row_put(&listing->editor->row, cell, length);
    listing->column += listing->width;
}

static void line_editor_list_completions(struct line_editor *e, size_t width)
{
    struct listing listing = {.editor = e, .width = width + 2};
    struct completion completion;

    completion_init(&completion, "");
    completion.show = line_editor_list_candidate;
    completion.arg = &listing;
    line_row_put(&e->row, "\n", 1);
    e->complete(e->arg, e->row.text, e->row.cursor, &completion);
    line_row_put(&e->row, "\n", 1);
    line_row_draw(&e->row);
}

static void line_editor_complete(struct line_editor *e, bool again)
{
    struct completion completion;
    size_t typed;

    if (e->complete == NULL) {
        line_row_bell(&e->row);
        return;
    }
    completion_init(&completion, "");
    e->complete(e->arg, e->row.text, e->row.cursor, &completion);
    if (completion.count == 0) {
        line_row_bell(&e->row);
        return;
    }
    typed = strlen(completion.prefix);
    if (completion.common_length > typed)
        line_row_insert(&e->row, completion.common + typed, completion.common_length - typed);
    else if (completion.count > 1 && again)
        line_editor_list_completions(e, completion.longest);
    else if (completion.count > 1)
        line_row_bell(&e->row);
    if (completion.count == 1)
        line_row_insert(&e->row, " ", 1);
}

static enum line_result line_editor_finish(struct line_editor *e, enum line_result result)
{
    line_row_move(&e->row, e->row.length);
    line_row_put(&e->row, result == LINE_DONE ? "\n" : "^C\n", result == LINE_DONE ? 1 : 3);
    if (e->too_long && result == LINE_DONE) {
        static const char complaint[] = "shell: line too long: nothing of it was run\n";

        line_row_put(&e->row, complaint, sizeof(complaint) - 1);
        result = LINE_REFUSED;
    }
    if (result != LINE_DONE)
        e->row.length = 0;
    e->row.text[e->row.length] = '\0';
    if (e->history != NULL)
        history_add(e->history, e->row.text, e->row.length);
    return result;
}

static void line_editor_kill_word_left(struct line_editor *e)
{
    size_t begin = line_row_word_left(&e->row);

    line_row_kill(&e->row, begin, e->row.cursor - begin);
}

static void line_editor_control_key(struct line_editor *e, char byte, bool after_tab)
{
    switch (byte) {
    case CONTROL('A'):
        line_row_move(&e->row, 0);
        break;
    case CONTROL('B'):
        line_row_step(&e->row, false);
        break;
    case CONTROL('D'):
        line_row_erase_right(&e->row);
        break;
    case CONTROL('E'):
        line_row_move(&e->row, e->row.length);
        break;
    case CONTROL('F'):
        line_row_step(&e->row, true);
        break;
    case CONTROL('H'):
    case DELETE_BYTE:
        line_row_erase_left(&e->row);
        break;
    case '\t':
        e->after_tab = true;
        line_editor_complete(e, after_tab);
        break;
    case CONTROL('K'):
        line_row_kill(&e->row, e->row.cursor, e->row.length - e->row.cursor);
        break;
    case CONTROL('L'):
        line_row_put(&e->row, "\033[H\033[2J", 7);
        line_row_draw(&e->row);
        break;
    case CONTROL('N'):
        line_editor_history_move(e, false);
        break;
    case CONTROL('P'):
        line_editor_history_move(e, true);
        break;
    case CONTROL('R'):
        line_editor_search_begin(e);
        break;
    case CONTROL('U'):
        line_row_kill(&e->row, 0, e->row.cursor);
        break;
    case CONTROL('W'):
        line_editor_kill_word_left(e);
        break;
    case CONTROL('Y'):
        line_row_yank(&e->row);
        break;
    case ESCAPE_BYTE:
        e->escape = ESCAPE_START;
        break;
    default:
        break;
    }
}

/* The letter that ends ESC [ or ESC O. */
static void line_editor_cursor_key(struct line_editor *e, char letter)
{
    switch (letter) {
    case 'A':
        line_editor_history_move(e, true);
        break;
    case 'B':
        line_editor_history_move(e, false);
        break;
    case 'C':
        if (e->more_parameters)
            line_row_move(&e->row, line_row_word_right(&e->row)); /* with Control or Alt held */
        else
            line_row_step(&e->row, true);
        break;
    case 'D':
        if (e->more_parameters)
            line_row_move(&e->row, line_row_word_left(&e->row));
        else
            line_row_step(&e->row, false);
        break;
    case 'H':
        line_row_move(&e->row, 0);
        break;
    case 'F':
        line_row_move(&e->row, e->row.length);
        break;
    case '~':
        if (e->parameter == 1 || e->parameter == 7)
            line_row_move(&e->row, 0);
        else if (e->parameter == 4 || e->parameter == 8)
            line_row_move(&e->row, e->row.length);
        else if (e->parameter == 3)
            line_row_erase_right(&e->row);
        break;
    default:
        break;
    }
}

/* ESC and a letter: Alt and that letter. */
static void line_editor_meta_key(struct line_editor *e, char letter)
{
    if (letter == 'b')
        line_row_move(&e->row, line_row_word_left(&e->row));
    else if (letter == 'f')
        line_row_move(&e->row, line_row_word_right(&e->row));
    else if (letter == 'd')
        line_row_kill(&e->row, e->row.cursor, line_row_word_right(&e->row) - e->row.cursor);
}

/* A printable byte inside an escape sequence. */
static void line_editor_escape_byte(struct line_editor *e, char byte)
{
    if (e->escape == ESCAPE_START && (byte == '[' || byte == 'O')) {
        e->escape = byte == '[' ? ESCAPE_CSI : ESCAPE_SS3;
        e->parameter = 0;
        e->more_parameters = false;
    } else if (e->escape == ESCAPE_START) {
        e->escape = ESCAPE_NONE;
        line_editor_meta_key(e, byte);
    } else if (e->escape == ESCAPE_CSI && byte < '@') {
        if (byte == ';')
            e->more_parameters = true;
        else if (byte >= '0' && byte <= '9' && !e->more_parameters && e->parameter < 1000)
            e->parameter = e->parameter * 10 + (unsigned)(byte - '0');
    } else {
        e->escape = ESCAPE_NONE;
        line_editor_cursor_key(e, byte);
    }
}

/* A printable byte that is no part of a sequence. */
static void line_editor_text_byte(struct line_editor *e, char byte)
{
    e->too_long = e->too_long || e->row.length == LINE_ROW_BYTES;
    line_row_insert(&e->row, &byte, 1);
}

/* A byte of 128 or more: UTF-8's first one of a character rings the bell for all of it. */
static void line_editor_strange_byte(struct line_editor *e, char byte)
{
    e->escape = ESCAPE_NONE;
    if (((unsigned char)byte & 0xc0) == 0xc0)
        line_row_bell(&e->row);
}

void line_editor_start(struct line_editor *e)
{
    e->escape = ESCAPE_NONE;
    e->after_tab = e->too_long = false;
    e->history_back = 0;
    line_row_start(&e->row);
}

/* A control character, which ends whatever sequence there was. */
static enum line_result line_editor_control_byte(struct line_editor *e, char byte, bool after_tab)
{
    bool meta = e->escape == ESCAPE_START;

    e->escape = ESCAPE_NONE;
    if (byte == '\r' || byte == '\n')
        return line_editor_finish(e, LINE_DONE);
    if (byte == CONTROL('C'))
        return line_editor_finish(e, LINE_CANCELLED);
    if (meta && (byte == DELETE_BYTE || byte == CONTROL('H')))
        line_editor_kill_word_left(e);
    else
        line_editor_control_key(e, byte, after_tab);
    e->too_long = e->too_long && e->row.length == LINE_ROW_BYTES;
    return LINE_MORE;
}

enum line_result line_editor_feed(struct line_editor *e, char byte)
{
    bool after_return = e->after_return, after_tab = e->after_tab;

    e->after_return = byte == '\r';
    if (after_return && byte == '\n')
        return LINE_MORE;
    e->after_tab = false;
    if ((unsigned char)byte >= 128)
        line_editor_strange_byte(e, byte);
    else if (e->search.active && line_editor_search_key(e, byte))
        return LINE_MORE;
    else if (byte < ' ' || byte == DELETE_BYTE)
        return line_editor_control_byte(e, byte, after_tab);
    else if (e->escape != ESCAPE_NONE)
        line_editor_escape_byte(e, byte);
    else
        line_editor_text_byte(e, byte);
    return LINE_MORE;
}
