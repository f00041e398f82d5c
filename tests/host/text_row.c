/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of text: what is longer than a row is dropped, or handed over in pieces. */
#include "lib/text_row.h"

#include "tests/host/test.h"

#include <stdio.h>
#include <string.h>

struct gathered {
    size_t used;
    char text[4096];
};

static void gather(void *arg, const char *text, size_t length)
{
    struct gathered *gathered = arg;

    CHECK(gathered->used + length < sizeof gathered->text);
    memcpy(gathered->text + gathered->used, text, length);
    gathered->used += length;
    gathered->text[gathered->used] = '\0';
}

/* NUMBERS of six characters each. */
static void put_numbers(struct text_row *row, char *expected, unsigned numbers)
{
    expected[0] = '\0';
    for (unsigned i = 0; i < numbers; i++) {
        text_row_number(row, 10000 + i, 6);
        snprintf(expected + strlen(expected), 7, "%6u", 10000 + i);
    }
}

TEST(text_row_in_pieces)
{
    static char expected[4096];

    for (unsigned numbers = 80; numbers < 180; numbers++) { /* 480 characters to 1,074 */
        struct gathered gathered = {.used = 0};
        struct text_row row = {.put = gather, .arg = &gathered};

        put_numbers(&row, expected, numbers);
        text_row_end(&row, gather, &gathered);
        CHECK(gathered.used == 6 * numbers + 1);
        CHECK(strncmp(gathered.text, expected, 6 * numbers) == 0);
        CHECK(gathered.text[6 * numbers] == '\n');
        CHECK(row.used == 0);
    }
}

TEST(text_row_drops)
{
    static char expected[4096];
    struct gathered gathered = {.used = 0};
    struct text_row row = {.used = 0};

    put_numbers(&row, expected, 100);
    CHECK(strlen(row.text) == TEXT_ROW_MAX - 2);
    text_row_end(&row, gather, &gathered);
    CHECK(gathered.used == TEXT_ROW_MAX - 1);
    CHECK(strncmp(gathered.text, expected, TEXT_ROW_MAX - 2) == 0);
    CHECK(gathered.text[TEXT_ROW_MAX - 2] == '\n');
}

TEST(text_row_part)
{
    struct text_row row = {.used = 0};

    text_row_part(&row, "abcdef", 3);
    text_row_right(&row, "xyz", 5, 2);
    CHECK(strcmp(row.text, "abc   xy") == 0);
}
