/* SPDX-License-Identifier: BSD-2-Clause */
/* The size of the terminal, and the question for it: see console_size.h. */
#include "kernel/console/console_size.h"
#include "kernel/base/boot_word.h"
#include "kernel/base/log.h"
#include "kernel/console/console.h"
#include "kernel/time/clock.h"
#include "lib/number.h"
#include "lib/string.h"

BOOT_WORD(terminal, "terminal", "ROWS,COLUMNS", "how large the terminal on the serial line is");

/* The cursor is put where no terminal has room and stops at the last place; where that is, the
 * terminal tells (ECMA-48's DSR, answered by CPR). Saved and restored around it, as VT100 does. */
static const char question[] = "\0337\033[999;999H\033[6n\0338";

static uint32_t size; /* rows in the upper half; 0: nobody has said anything */
static bool answers;

/* ESC [ ROWS ; COLUMNS R, as far as it has come. */
struct report {
    struct console_answer answer; /* first */
    unsigned numbers;             /* begun */
    uint32_t number[2];
};

static uint32_t console_size_both(struct console_size from)
{
    return (uint32_t)from.rows << 16 | from.columns;
}

static bool console_size_parse_size(const char *rows_text, uint64_t *rows, const char *columns_text,
                                    uint64_t *columns)
{
    return parse_u64(rows_text, 10, rows) == 0 && parse_u64(columns_text, 10, columns) == 0 &&
           *rows > 0 && *rows <= UINT16_MAX && *columns > 0 && *columns <= UINT16_MAX;
}

/* The boot word's; of another form than numbers, boot_words_check has refused it. */
static struct console_size console_size_first(void)
{
    const char *value = boot_word_value("terminal");
    const char *comma = value ? strchr(value, ',') : NULL;
    uint64_t rows, columns;
    char text[24];

    if (comma) {
        strlcpy(text, value, sizeof text);
        if ((size_t)(comma - value) < sizeof text)
            text[comma - value] = '\0';
        if (console_size_parse_size(text, &rows, comma + 1, &columns))
            return (struct console_size){(uint16_t)rows, (uint16_t)columns};
        log_printf("console: no terminal has a size of %s", value);
    }
    return (struct console_size){CONSOLE_ROWS, CONSOLE_COLUMNS};
}

struct console_size console_size_get(void)
{
    uint32_t now = __atomic_load_n(&size, __ATOMIC_RELAXED);

    if (now == 0) { /* the first prompt asks, before anybody could set it */
        now = console_size_both(console_size_first());
        __atomic_store_n(&size, now, __ATOMIC_RELAXED);
    }
    return (struct console_size){(uint16_t)(now >> 16), (uint16_t)now};
}

bool console_size_set(struct console_size new_size)
{
    uint32_t before = console_size_both(console_size_get());

    __atomic_store_n(&size, console_size_both(new_size), __ATOMIC_RELAXED);
    return before != console_size_both(new_size);
}

/* One more byte. A row of 1 is F3 with a key like Shift held, in the same words. */
static bool console_size_report_byte(struct console_answer *answer, char byte)
{
    struct report *report = (struct report *)answer;

    if (byte == '\033') {
        *report = (struct report){.answer = {.byte = console_size_report_byte, .length = 1}};
        return false;
    }
    if (answer->length++ == 0) {
        answer->length = 0;
        return false;
    }
    if (answer->length == 2 && byte == '[') {
        report->numbers = 1;
    } else if (answer->length > 2 && byte >= '0' && byte <= '9' &&
               report->number[report->numbers - 1] < 1000) {
        uint32_t *number = &report->number[report->numbers - 1];

        *number = *number * 10 + (uint32_t)(byte - '0');
    } else if (byte == ';' && report->numbers == 1 && report->number[0] > 0) {
        report->numbers = 2;
    } else {
        bool whole =
            byte == 'R' && report->numbers == 2 && report->number[1] > 0 && report->number[0] > 1;

        if (!whole)
            *report = (struct report){.answer = {.byte = console_size_report_byte}};
        return whole;
    }
    return false;
}

bool console_size_ask(uint64_t patience)
{
    struct report report = {.answer = {.byte = console_size_report_byte}};

    console_ask(question, sizeof question - 1, &report.answer, clock_after(clock_now(), patience));
    answers = report.answer.whole;
    if (answers)
        console_size_set(
            (struct console_size){(uint16_t)report.number[0], (uint16_t)report.number[1]});
    return answers;
}

bool console_size_answers(void)
{
    return answers;
}
