/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes from the terminal: lines are edited, and signals taken out, by whoever reads or asks
 * whether there is something to read, under tty.lock.
 */
#include "kernel/time/clock.h"
#include "linux/program/program_private.h"
#include "linux/tty/tty_private.h"

#define FOREVER (WAIT_FOREVER - 1) /* but signals end it */

void tty_forget_line(void)
{
    tty.used = tty.taken = 0;
    tty.finished = tty.literal = false;
}

static void tty_echo(const char *text, size_t length)
{
    if (tty.termios.lflag & ECHO)
        console_write(text, length);
}

static void tty_echo_char(char c)
{
    char text[2] = {'^', (char)(c ^ 0x40)};

    if ((unsigned char)c < ' ' && c != '\n' && c != '\t' && tty.termios.lflag & ECHOCTL)
        tty_echo(text, 2);
    else
        tty_echo(&c, 1);
}

static void tty_erase(void)
{
    bool wide = (unsigned char)tty.line[tty.used - 1] < ' ' && tty.line[tty.used - 1] != '\t';

    tty.used--;
    tty_echo("\b \b\b \b", wide ? 6 : 3);
}

/* False: nothing has come. */
static bool tty_map(char *c)
{
    uint32_t flags = tty.termios.iflag;

    if (flags & ISTRIP)
        *c &= 0x7f;
    if (tty.literal)
        return true;
    if (*c == '\r' && flags & IGNCR)
        return false;
    if (*c == '\r' && flags & ICRNL)
        *c = '\n';
    else if (*c == '\n' && flags & INLCR)
        *c = '\r';
    return true;
}

/* There is always room for what ENDS the line. */
static void tty_append(char c, bool ends)
{
    if (tty.used >= (ends ? LINE : LINE - 1))
        return;
    tty.line[tty.used++] = c;
    if (c == '\n' && tty.termios.lflag & ECHONL)
        console_write(&c, 1);
    else
        tty_echo_char(c);
    tty.finished = ends;
}

static bool tty_ends_line(char c)
{
    const uint8_t *cc = tty.termios.cc;

    if (c == '\n')
        return true;
    return c != '\0' &&
           ((uint8_t)c == cc[VEOL] || ((uint8_t)c == cc[VEOL2] && tty.termios.lflag & IEXTEN));
}

/* C has come, in canonical mode. */
static void tty_edit(char c)
{
    const uint8_t *cc = tty.termios.cc;

    if ((uint8_t)c == cc[VERASE] || c == '\b') {
        if (tty.used > 0)
            tty_erase();
    } else if ((uint8_t)c == cc[VKILL]) {
        while (tty.used > 0)
            tty_erase();
    } else if ((uint8_t)c == cc[VWERASE] && tty.termios.lflag & IEXTEN) {
        while (tty.used > 0 && tty.line[tty.used - 1] == ' ')
            tty_erase();
        while (tty.used > 0 && tty.line[tty.used - 1] != ' ')
            tty_erase();
    } else if ((uint8_t)c == cc[VEOF]) {
        tty.finished = true;
    } else if (tty_says_literal(c)) {
        tty.literal = true;
        if (tty.termios.lflag & ECHOCTL)
            tty_echo("^\b", 2);
    } else {
        tty_append(c, tty_ends_line(c));
    }
}

/* A signal has ended the line that was being edited. */
static void tty_heed_drop(void)
{
    if (tty.dropped)
        tty_forget_line();
    tty.dropped = false;
}

/* Until there is a line, or DEADLINE: whether there is. */
static bool tty_fill_line(uint64_t deadline)
{
    char c;

    while (!tty.finished) {
        if (console_read_until(&c, 1, deadline) == 0)
            return false;
        tty_heed_drop();
        if (!tty_map(&c))
            continue;
        if (tty.literal) {
            tty.literal = false;
            tty_append(c, false);
        } else if (!tty_signal(c)) {
            tty_edit(c);
        }
    }
    return true;
}

static long tty_take(struct uio *uio)
{
    size_t moved = uio_put(uio, tty.line + tty.taken, tty.used - tty.taken);

    tty.taken += moved;
    if (tty.taken == tty.used)
        tty_forget_line();
    return (long)moved;
}

long tty_read_line(struct uio *uio, bool waits)
{
    if (!tty_fill_line(waits ? FOREVER : 0))
        return waits ? -EINTR : -EAGAIN;
    return tty_take(uio);
}

/* Non-canonical: VMIN and VTIME (termios(3)). What was of a line is taken first. */
long tty_read_raw(struct uio *uio, bool waits)
{
    uint8_t least = tty.termios.cc[VMIN], tenths = tty.termios.cc[VTIME];
    uint64_t wait = (uint64_t)tenths * 100000000u;
    long moved = tty.used > tty.taken ? tty_take(uio) : 0;
    char c;

    while (uio->left > 0) {
        bool timed = tenths > 0 && (least == 0 || moved > 0);
        uint64_t deadline = moved >= least && !timed ? 0
                            : timed                  ? clock_after(clock_now(), wait)
                                                     : FOREVER;

        if (!waits || (moved > 0 && moved >= least))
            deadline = 0;
        if (console_read_until(&c, 1, deadline) == 0)
            return moved > 0 || (waits && deadline != FOREVER) ? moved : waits ? -EINTR : -EAGAIN;
        if (!tty_map(&c) || tty_signal(c))
            continue;
        tty_echo_char(c);
        if (uio_put(uio, &c, 1) == 0)
            return moved > 0 ? moved : -EFAULT;
        moved++;
    }
    return moved;
}

bool tty_has_input(void)
{
    uint8_t least = tty.termios.cc[VTIME] == 0 ? tty.termios.cc[VMIN] : 0;

    if (tty.termios.lflag & ICANON)
        return tty_fill_line(0);
    return tty.used - tty.taken + console_input_waiting() >= (least > 0 ? least : 1);
}

void tty_drop_input(void)
{
    char dropped[64];

    tty_forget_line();
    while (console_read_until(dropped, sizeof dropped, 0) > 0)
        ;
}
