/* SPDX-License-Identifier: BSD-2-Clause */
/* Standard input, output and error of `./quipu exec`, which are no terminal: the console for
 * output; the second line for errors, and, in frames, for input. */
#pragma once

#include <stdbool.h>

struct file;

/* FILES[0] to [2], with a reference each; false: no second line, or no memory. */
bool second_line_files(struct file *files[3]);
