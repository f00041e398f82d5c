/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text_row: a line of a table, put together column by column. Zeroed, it is an empty one. What does
 * not fit is dropped, unless the row was told by PUT where to hand over what is full; the text
 * always ends with a NUL.
 */
#ifndef LIB_TEXT_ROW_H
#define LIB_TEXT_ROW_H

#include <stddef.h>
#include <stdint.h>

#define TEXT_ROW_MAX 512

/* Receives finished text piece by piece. */
typedef void text_put(void *arg, const char *text, size_t length);

struct text_row {
    size_t used;
    text_put *put; /* or NULL */
    void *arg;
    char text[TEXT_ROW_MAX];
};

void text_row_text(struct text_row *row, const char *text);
/* At most MAX characters of TEXT, padded to WIDTH on the other side. */
void text_row_left(struct text_row *row, const char *text, size_t width, size_t max);
void text_row_right(struct text_row *row, const char *text, size_t width, size_t max);
/* All of it: LENGTH characters. */
void text_row_part(struct text_row *row, const char *text, size_t length);
void text_row_blanks(struct text_row *row, size_t count);
void text_row_number(struct text_row *row, uint64_t value, size_t width);
/* VALUE is in units of 10^-decimals. */
void text_row_fixed(struct text_row *row, uint64_t value, unsigned decimals, size_t width);

/* Ends the line, hands it over, and empties the row. */
void text_row_end(struct text_row *row, text_put *put, void *arg);

#endif
