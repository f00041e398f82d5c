/* SPDX-License-Identifier: BSD-2-Clause */
/* The room for output: see screen.h. */
#include "shell/screen.h"
#include <stdbool.h>
#include "kernel/console/console_size.h"
#include "kernel/console/script.h"
#include "shell/output.h"

#define PATIENCE_NS 5000000000ull
#define DOUBT_NS    500000000ull

static bool screen_on_terminal(void)
{
    return script_get() == NULL && shell_output() == NULL;
}

static unsigned screen_within(unsigned value, unsigned least, unsigned most)
{
    return value < least ? least : value > most ? most : value;
}

unsigned screen_rows(void)
{
    unsigned rows = screen_on_terminal() ? console_size_get().rows : CONSOLE_ROWS;

    return screen_within(rows != 0 ? rows : CONSOLE_ROWS, SCREEN_ROWS_MIN, SCREEN_ROWS_MAX);
}

unsigned screen_columns(void)
{
    unsigned columns = screen_on_terminal() ? console_size_get().columns : CONSOLE_COLUMNS;

    return screen_within(columns != 0 ? columns : CONSOLE_COLUMNS, SCREEN_COLUMNS_MIN,
                         SCREEN_COLUMNS_MAX);
}

void screen_ask(void)
{
    console_size_ask(console_size_answers() ? PATIENCE_NS : DOUBT_NS);
}
