/* SPDX-License-Identifier: BSD-2-Clause */
/* See screen.h. */
#include "user/perfex/screen.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define CLEAR       "\033[H\033[J"
#define MOST_TENTHS 255 /* that fit into c_cc */

static struct termios screen_before;
static volatile sig_atomic_t screen_ends;

static void screen_end(void)
{
    tcsetattr(STDIN_FILENO, TCSANOW, &screen_before);
}

static void screen_signal(int number)
{
    (void)number;
    screen_ends = true;
}

static void screen_catch(void)
{
    const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = screen_signal};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

/* A read waits for a key for so many tenths of a second: poll(2) does not know of keys here. */
static bool screen_wait(int tenths)
{
    struct termios keys = screen_before;

    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    keys.c_cc[VMIN] = 0;
    keys.c_cc[VTIME] = (cc_t)tenths;
    return tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0;
}

bool screen_begin(void)
{
    if (!isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &screen_before) != 0)
        return false;
    screen_catch();
    atexit(screen_end);
    return screen_wait(0);
}

void screen_clear(void)
{
    fputs(CLEAR, stdout);
}

static void screen_sleep(double seconds)
{
    struct timespec time = {.tv_nsec = (long)(seconds * 1e9)};

    nanosleep(&time, NULL);
}

int screen_key(double seconds)
{
    int tenths = seconds < MOST_TENTHS / 10 ? (int)(seconds * 10) : MOST_TENTHS;
    unsigned char key = 0;
    ssize_t count;

    if (tenths == 0 && seconds > 0)
        screen_sleep(seconds);
    screen_wait(tenths);
    count = read(STDIN_FILENO, &key, 1);
    if (screen_ends || (count < 0 && errno != EINTR))
        return 'q';
    return count == 1 ? key : 0;
}
