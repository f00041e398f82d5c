/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program reads of the same keys as its terminal's settings change. The test sends a step's
 * keys when its name has been printed. The same on Linux and Quipu. */
#include "conform.h"

#include <sys/ioctl.h>
#include <termios.h>

static struct termios first;

/* One read, byte by byte. */
static void take(size_t most)
{
    unsigned char text[64];
    ssize_t n = read(0, text, most);

    SAY("read %zd", n);
    for (ssize_t i = 0; i < n; i++)
        SAY(" %02x", text[i]);
    SAY("\n");
}

static struct termios with(tcflag_t input, tcflag_t no_input, tcflag_t local, tcflag_t no_local)
{
    struct termios t = first;

    t.c_iflag = (t.c_iflag | input) & ~no_input;
    t.c_lflag = (t.c_lflag | local) & ~no_local;
    return t;
}

static void step(const char *name, const struct termios *t)
{
    tcsetattr(0, TCSANOW, t);
    SAY("step %s\n", name);
}

/* Until so many keys are there to be read. */
static void await(int keys)
{
    for (int waiting = 0; waiting < keys; ioctl(0, FIONREAD, &waiting))
        usleep(10000);
}

static void by_line(void)
{
    struct termios t = with(0, 0, 0, ECHO);

    step("line", &t);
    take(64);
    step("pieces", &t);
    take(3);
    take(64);
    step("empty", &t);
    take(64);
    step("end", &t); /* VEOF in a line ends a read of it, and at its begin the input */
    take(64);
    take(64);
    take(64);
    step("word", &t);
    take(64);
    step("next", &t); /* VLNEXT */
    take(64);
    t.c_cc[VEOL] = '.';
    step("eol", &t);
    take(64);
    take(64);
    t.c_cc[VEOL2] = ':';
    step("eol2", &t);
    take(64);
    take(64);
    t = with(0, ICRNL, 0, ECHO);
    step("cr", &t);
    take(64);
    t = with(IGNCR, 0, 0, ECHO);
    step("igncr", &t);
    take(64);
    t = with(ISTRIP, 0, 0, ECHO);
    step("strip", &t);
    take(64);
    t = with(0, 0, 0, ECHO | IEXTEN);
    step("plain", &t);
    take(64);
    t = with(0, 0, 0, ECHO | ISIG);
    step("nosig", &t);
    take(64);
    t = with(0, 0, 0, ECHO);
    t.c_cc[VERASE] = '#';
    t.c_cc[VKILL] = '@';
    step("erase", &t);
    take(64);
    t = first;
    step("echo", &t);
    take(64);
    step("kill", &t);
    take(64);
    step("echoed", &t); /* VLNEXT, and a control character that is erased */
    take(64);
    t = with(0, 0, ECHONL, 0);
    step("both", &t);
    take(64);
    t = with(0, 0, ECHONL, ECHO);
    step("echonl", &t);
    take(64);
    t = with(0, 0, 0, ECHO);
    step("newline", &t); /* one that does not end the line */
    take(64);
    t.c_cc[VINTR] = '!';
    signal(SIGINT, SIG_IGN);
    step("intr", &t);
    take(64);
    signal(SIGINT, SIG_DFL);
}

/* Far more than a line holds, without an end: all that is kept is there, and nothing beside it. */
static void too_long(void)
{
    static char text[10000];
    struct termios t = with(0, 0, 0, ECHO);
    ssize_t n;

    step("long", &t);
    n = read(0, text, sizeof text);
    SAY("read %zd %02x %02x\n", n, (unsigned char)text[0], (unsigned char)text[n - 1]);
}

static void by_key(void)
{
    struct termios t = with(0, 0, 0, ECHO | ICANON);
    int waiting = -1;

    t.c_cc[VMIN] = 1;
    t.c_cc[VTIME] = 0;
    step("one", &t);
    take(1);
    step("three", &t);
    t.c_cc[VMIN] = 3;
    tcsetattr(0, TCSANOW, &t);
    take(64);
    t.c_cc[VMIN] = 0;
    step("none", &t);
    await(2);
    take(64);
    take(64);
    step("count", &t);
    await(5);
    ioctl(0, FIONREAD, &waiting);
    SAY("waiting %d\n", waiting);
    take(64);
    t.c_cc[VTIME] = 2;
    tcflush(0, TCIFLUSH);
    tcsetattr(0, TCSANOW, &t);
    take(64); /* nothing, in a fifth of a second */
    t.c_cc[VMIN] = 5;
    t.c_cc[VTIME] = 30;
    step("between", &t); /* what has come by three seconds after the last */
    take(64);
    t.c_cc[VMIN] = 2;
    step("enough", &t);
    take(2);
    take(1);
    t.c_cc[VMIN] = 1;
    t.c_cc[VTIME] = 0;
    step("raw", &t);
    await(4);
    take(64);
    cfmakeraw(&t);
    t.c_oflag = first.c_oflag; /* for what is said */
    step("cfmakeraw", &t);
    await(9);
    take(64);
    t = with(INLCR, ICRNL, 0, ECHO | ICANON);
    step("nlcr", &t);
    await(3);
    take(64);
}

int main(void)
{
    if (tcgetattr(0, &first) != 0)
        return 1;
    first.c_oflag |= OPOST | ONLCR;
    first.c_lflag |= ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN;
    by_line();
    too_long();
    by_key();
    tcsetattr(0, TCSANOW, &first);
    SAY("end\n");
    return 0;
}
