/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_row: see line_row.h. Each change of the text comes with the shortest drawing that shows it:
 * a byte added at the end is a byte written, which also makes a plain echo of what is typed.
 */
#include "shell/line_row.h"

#include "lib/format.h"
#include "lib/string.h"

#define WINDOW_MIN 8

void line_row_put(struct line_row *row, const char *text, size_t length)
{
    if (length > 0)
        row->write(row->arg, text, length);
}

void line_row_bell(struct line_row *row)
{
    line_row_put(row, "\a", 1);
}

/* Bytes of the line that fit on the row; room is left for the cursor behind them, or for ^C. A
 * prompt that leaves hardly any makes the row longer than the terminal's. */
static size_t line_row_window(const struct line_row *row)
{
    size_t taken = strlen(row->prompt) + 3;

    return row->columns > taken + WINDOW_MIN ? row->columns - taken : WINDOW_MIN;
}

static size_t line_row_shown_end(const struct line_row *row)
{
    size_t end = row->first + line_row_window(row);

    return end < row->length ? end : row->length;
}

static void line_row_move_left_on_screen(struct line_row *row, size_t columns)
{
    char sequence[16];

    if (columns == 1) {
        line_row_put(row, "\b", 1);
    } else if (columns > 1) {
        size_t length = format(sequence, sizeof(sequence), "\033[%zuD", columns);

        line_row_put(row, sequence, length);
    }
}

/*
 * The screen cursor stands where byte `from` is shown: draw from there on, then move it. What is
 * right of the line needs to be erased unless the line has only become longer.
 */
static void line_row_draw_rest(struct line_row *row, size_t from, bool erase_right)
{
    size_t end = line_row_shown_end(row);

    line_row_put(row, row->text + from, end - from);
    if (erase_right)
        line_row_put(row, "\033[K", 3);
    line_row_move_left_on_screen(row, end - row->cursor);
}

void line_row_draw(struct line_row *row)
{
    line_row_put(row, "\r", 1);
    line_row_put(row, row->prompt, strlen(row->prompt));
    line_row_draw_rest(row, row->first, true);
}

void line_row_hide(struct line_row *row)
{
    line_row_put(row, "\r\033[K", 4);
}

/* Scroll, by half a window, so that the cursor is in it; true if that had to be. */
static bool line_row_scroll(struct line_row *row)
{
    size_t half = line_row_window(row) / 2;

    if (row->cursor >= row->first && row->cursor - row->first <= line_row_window(row))
        return false;
    row->first = row->cursor > half ? row->cursor - half : 0;
    return true;
}

void line_row_set_prompt(struct line_row *row, const char *prompt)
{
    row->prompt = prompt;
    line_row_scroll(row);
    line_row_draw(row);
}

void line_row_move(struct line_row *row, size_t cursor)
{
    size_t old = row->cursor;

    row->cursor = cursor;
    if (line_row_scroll(row))
        line_row_draw(row);
    else if (cursor < old)
        line_row_move_left_on_screen(row, old - cursor);
    else
        line_row_put(row, row->text + old, cursor - old);
}

void line_row_insert(struct line_row *row, const char *text, size_t count)
{
    size_t at = row->cursor;

    if (count > LINE_ROW_BYTES - row->length) {
        line_row_bell(row);
        return;
    }
    memmove(row->text + at + count, row->text + at, row->length - at);
    memcpy(row->text + at, text, count);
    row->length += count;
    row->cursor += count;
    if (line_row_scroll(row))
        line_row_draw(row);
    else if (row->cursor == row->length)
        line_row_put(row, text, count);
    else
        line_row_draw_rest(row, at, false);
}

/* Take out count bytes at `at`; the cursor is at one end of them. */
static void line_row_erase(struct line_row *row, size_t at, size_t count)
{
    if (count == 0) {
        line_row_bell(row);
        return;
    }
    line_row_move(row, at);
    memmove(row->text + at, row->text + at + count, row->length - at - count);
    row->length -= count;
    line_row_draw_rest(row, at, true);
}

void line_row_kill(struct line_row *row, size_t at, size_t count)
{
    if (count > 0) {
        memcpy(row->killed, row->text + at, count);
        row->killed_length = count;
    }
    line_row_erase(row, at, count);
}

void line_row_replace(struct line_row *row, const char *text, size_t length)
{
    memcpy(row->text, text, length);
    row->length = row->cursor = length;
    row->first = 0;
    line_row_scroll(row);
    line_row_draw(row);
}

size_t line_row_word_left(const struct line_row *row)
{
    size_t at = row->cursor;

    while (at > 0 && row->text[at - 1] == ' ')
        at--;
    while (at > 0 && row->text[at - 1] != ' ')
        at--;
    return at;
}

size_t line_row_word_right(const struct line_row *row)
{
    size_t at = row->cursor;

    while (at < row->length && row->text[at] == ' ')
        at++;
    while (at < row->length && row->text[at] != ' ')
        at++;
    return at;
}

void line_row_yank(struct line_row *row)
{
    if (row->killed_length > 0)
        line_row_insert(row, row->killed, row->killed_length);
    else
        line_row_bell(row);
}

void line_row_step(struct line_row *row, bool right)
{
    if (right ? row->cursor == row->length : row->cursor == 0)
        line_row_bell(row);
    else
        line_row_move(row, right ? row->cursor + 1 : row->cursor - 1);
}

void line_row_erase_right(struct line_row *row)
{
    line_row_erase(row, row->cursor, row->cursor < row->length ? 1 : 0);
}

void line_row_erase_left(struct line_row *row)
{
    if (row->cursor == 0)
        line_row_bell(row);
    else
        line_row_erase(row, row->cursor - 1, 1);
}

void line_row_start(struct line_row *row)
{
    row->length = row->cursor = row->first = 0;
    line_row_put(row, row->prompt, strlen(row->prompt));
}
