/* SPDX-License-Identifier: BSD-2-Clause */
/* more: a screen at a time. Where nobody looks (no terminal, or TERM is dumb) it is cat. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "tools.h"

static struct {
    int keys; /* the terminal; -1: nobody looks */
    int rows, columns, used;
    struct termios before;
} screen = {.keys = -1};

/* ^C: the terminal is to be as it was. */
static void screen_interrupted(int number)
{
    tcsetattr(screen.keys, TCSANOW, &screen.before);
    signal(number, SIG_DFL);
    raise(number);
}

static void screen_open(void)
{
    const char *term = getenv("TERM");
    struct winsize size;

    if (!isatty(1) || !term || strcmp(term, "dumb") == 0)
        return;
    screen.keys = open("/dev/tty", O_RDWR);
    if (screen.keys < 0 || tcgetattr(screen.keys, &screen.before) != 0)
        screen.keys = -1;
    else
        signal(SIGINT, screen_interrupted);
    screen.rows = 24;
    screen.columns = 80;
    if (ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_row > 1 && size.ws_col > 0) {
        screen.rows = size.ws_row;
        screen.columns = size.ws_col;
    }
}

/* A key without echo and without a newline; 'q' at the end of input. */
static char screen_key(void)
{
    struct termios raw = screen.before;
    char key;

    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(screen.keys, TCSANOW, &raw);
    if (read(screen.keys, &key, 1) != 1)
        key = 'q';
    tcsetattr(screen.keys, TCSANOW, &screen.before);
    return key;
}

/* Room for ROWS more; false: enough seen. */
static bool screen_room(int rows)
{
    char key;

    if (screen.keys < 0 || screen.used == 0 || screen.used + rows < screen.rows) {
        screen.used += rows;
        return true;
    }
    fputs("--More--", stdout);
    fflush(stdout);
    do
        key = screen_key();
    while (!strchr(" \r\nqQ", key));
    fputs("\r        \r", stdout);
    screen.used = key == ' ' ? rows : screen.rows - 1;
    return key != 'q' && key != 'Q';
}

static int more_file(FILE *file, const char *name, void *argument)
{
    struct line line = {0};
    bool *enough = argument;

    (void)name;
    while (!*enough && line_read(&line, file)) {
        int rows = screen.keys < 0 || line.length == 0
                       ? 1
                       : (int)((line.length - 1) / (size_t)screen.columns) + 1;

        *enough = !screen_room(rows);
        if (!*enough) {
            fwrite(line.text, 1, line.length, stdout);
            if (line.ended)
                putchar('\n');
        }
    }
    free(line.text);
    return 0;
}

int more_main(int argc, char **argv)
{
    bool enough = false;
    int status;

    if (getopt(argc, argv, "") != -1)
        return tool_usage("more [FILE ...]");
    screen_open();
    status = tool_each_file(argc - optind, argv + optind, 1, more_file, &enough);
    return tool_finish(status, 1);
}
