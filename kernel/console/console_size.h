/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How large the terminal on the console is: the one place for it. A serial line does not say, so it
 * is 24 rows by 80 columns until somebody knows better: whoever starts the machine (the boot word
 * `terminal`), whoever sets it (`stty`, TIOCSWINSZ), or the terminal itself, when it is asked.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CONSOLE_ROWS    24
#define CONSOLE_COLUMNS 80

struct console_size {
    uint16_t rows, columns;
};

/* As it was set last: a program may have set anything. Any context. */
struct console_size console_size_get(void);
/* Whether it is another one than before. Any context. */
bool console_size_set(struct console_size size);

/*
 * Asks the terminal, and waits for its answer until PATIENCE ns have passed or the caller is
 * interrupted: whether it has answered. The answer is taken out of the input; what is typed stays
 * there. Thread context; where somebody reads the console, and no script runs.
 */
bool console_size_ask(uint64_t patience);
/* Whether it has answered the last question. */
bool console_size_answers(void);
