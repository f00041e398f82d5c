/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the terminal share. */
#pragma once

#include "abi/common.h"
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "kernel/console/console.h"

#define LINE      4096u
#define ICRNL     0x100u
#define ISTRIP    0x20u
#define INLCR     0x40u
#define IGNCR     0x80u
#define IXON      0x400u
#define OPOST     1u
#define ONLCR     4u
#define ISIG      1u
#define ICANON    2u
#define ECHO      8u
#define ECHOE     0x10u
#define ECHOK     0x20u
#define ECHONL    0x40u
#define ECHOCTL   0x200u
#define ECHOKE    0x800u
#define TCIFLUSH  0u
#define TCOFLUSH  1u
#define TCIOFLUSH 2u

extern struct tty {
    struct console_owner owner; /* first */
    kmutex_t lock;              /* one reader at a time; of the rest but for session and group */
    bool ready;
    struct abi_termios termios;
    uint16_t xpixel, ypixel;      /* rows and columns are the console's */
    uint32_t session, group;      /* program_lock */
    struct console_owner *told;   /* of what ends the group, too; or NULL; program_lock */
    struct console_owner *before; /* whose the console was */
    bool taken_over;              /* it was somebody's */
    char line[LINE];
    size_t used, taken; /* of a line; taken only once it is finished */
    bool finished;
    bool literal;          /* the next one of the line is a character, whatever it is */
    bool spared;           /* the next one that comes is no signal: for who takes them at once */
    bool interrupted;      /* ^C came for who has it; program_lock */
    volatile bool dropped; /* by a signal; its reader forgets the line */
    struct poll_source source;
} tty;

/* tty_line.c, all with tty.lock. WAITS: else -EAGAIN where there is nothing. */
long tty_read_line(struct uio *uio, bool waits);
long tty_read_raw(struct uio *uio, bool waits);
/* Whether a read would not wait; a line is edited as far as it has come. */
bool tty_has_input(void);
/* What was typed ahead, too. */
void tty_drop_input(void);
/* Or with nobody left to read. */
void tty_forget_line(void);

/* Whether C stands for a signal, which is sent to the foreground; any context that may take
 * spinlocks. */
bool tty_signal(char c);
/* Whether C says that what comes next is a character of the line, whatever it is. */
bool tty_says_literal(char c);
/* ^C is the terminal's, or nobody's, as its settings are. */
void tty_own(void);
/* SIGTTIN for who reads, SIGTTOU for who changes something, and is not in the foreground: 0, -EIO
 * (nobody would continue it, or it does not hear), -RESTART_CALL. */
int tty_foreground(int signal);
/* Whether it is the running program's controlling terminal. */
bool tty_is_ours(void);
/* struct file_ops'. */
long tty_control(struct file *file, uint32_t command, uintptr_t argument, bool user);
