/* SPDX-License-Identifier: BSD-2-Clause */
/* The terminal, as a whole screen, and its keys. */
#pragma once

#include <stdbool.h>

/* Keys come one by one and unseen from now on, until the program ends, by a signal too. False and
 * errno: there is no terminal on standard input and output. */
bool screen_begin(void);
/* What is printed next begins at the top of an empty screen. */
void screen_clear(void);
/* A key that comes within SECONDS; 0: none. 'q' as well for a signal that ends the program. */
int screen_key(double seconds);
