/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the terminal share. */
#pragma once

#include "abi/common.h"
#include "fs/file.h"
#include "kernel/console/console.h"

#define LINE 4096u

extern struct tty {
    struct console_owner owner; /* first */
    kmutex_t lock;              /* one reader at a time; of the rest but for session and group */
    bool ready;
    struct abi_termios termios;
    struct abi_winsize size;
    uint32_t session, group;      /* program_lock */
    struct console_owner *told;   /* of what ends the group, too; or NULL; program_lock */
    struct console_owner *before; /* whose the console was */
    bool taken_over;              /* it was somebody's */
    char line[LINE];
    size_t used, taken;   /* of a finished line */
    bool finished, ended; /* ended: by ^D, without newline */
} tty;

/* ^C is the terminal's, or nobody's, as its settings are. */
void tty_own(void);
/* struct file_ops'. */
long tty_control(struct file *file, uint32_t command, uintptr_t argument, bool user);
