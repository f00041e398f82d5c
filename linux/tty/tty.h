/* SPDX-License-Identifier: BSD-2-Clause */
/* The console as a terminal for programs: termios(3). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct console_owner;
struct file;
struct uio;

/* A file of it, with a reference; NULL: out of memory. */
struct file *tty_console_open(uint32_t flags);
/* SESSION has it as its controlling terminal, GROUP is in the foreground. */
void tty_console_take(uint32_t session, uint32_t group);
/* The group in the foreground of the terminal that is SESSION's, 0 where it has none. */
uint32_t tty_foreground_of(uint32_t session);
/* Who had the console has it again. Whether a ^C came for those in the foreground meanwhile. */
bool tty_console_give_back(void);
/* TOLD is told, too, when ^C or ^\ ends what is in the foreground; in interrupts. NULL: nobody. */
void tty_tell(struct console_owner *told);
/* Registers /dev/console, /dev/tty and the second line. Once. */
void tty_register(void);
/* To the console, whoever asks: a file's write. */
long tty_write_plain(struct file *file, struct uio *uio, uint64_t *offset);
