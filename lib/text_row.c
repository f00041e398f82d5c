/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of tables: see text_row.h. */
#include "lib/text_row.h"

#include "lib/fraction.h"
#include "lib/string.h"

static void text_row_put_char(struct text_row *row, char c)
{
    if (row->used == TEXT_ROW_MAX - 2 && row->put) {
        row->put(row->arg, row->text, row->used);
        row->used = 0;
    }
    if (row->used < TEXT_ROW_MAX - 2) {
        row->text[row->used++] = c;
        row->text[row->used] = '\0';
    }
}

void text_row_part(struct text_row *row, const char *text, size_t length)
{
    while (length-- > 0)
        text_row_put_char(row, *text++);
}

void text_row_blanks(struct text_row *row, size_t count)
{
    while (count-- > 0)
        text_row_put_char(row, ' ');
}

void text_row_text(struct text_row *row, const char *text)
{
    text_row_part(row, text, strnlen(text, TEXT_ROW_MAX));
}

void text_row_left(struct text_row *row, const char *text, size_t width, size_t max)
{
    size_t length = strnlen(text, max);

    text_row_part(row, text, length);
    text_row_blanks(row, length < width ? width - length : 0);
}

void text_row_right(struct text_row *row, const char *text, size_t width, size_t max)
{
    size_t length = strnlen(text, max);

    text_row_blanks(row, length < width ? width - length : 0);
    text_row_part(row, text, length);
}

/* Writes VALUE with at least DIGITS digits to the end of TEXT; returns where it begins. */
static size_t text_row_digits_before(char *text, size_t at, uint64_t value, unsigned digits)
{
    while (value > 0 || digits > 0) {
        text[--at] = (char)('0' + value % 10);
        value /= 10;
        digits -= digits > 0;
    }
    return at;
}

void text_row_number(struct text_row *row, uint64_t value, size_t width)
{
    text_row_fixed(row, value, 0, width);
}

void text_row_fixed(struct text_row *row, uint64_t value, unsigned decimals, size_t width)
{
    uint64_t one = fraction_power(decimals);
    char text[40];
    size_t at = sizeof text;

    text[--at] = '\0';
    if (decimals > 0) {
        at = text_row_digits_before(text, at, value % one, decimals);
        text[--at] = '.';
    }
    at = text_row_digits_before(text, at, value / one, 1);
    text_row_right(row, text + at, width, sizeof text);
}

void text_row_end(struct text_row *row, text_put *put, void *arg)
{
    row->text[row->used++] = '\n';
    put(arg, row->text, row->used);
    row->used = 0;
    row->text[0] = '\0';
}
