/* SPDX-License-Identifier: BSD-2-Clause */
/* What a terminal does for a program. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void on_interrupt(int signal)
{
    (void)signal;
    write(1, "interrupted\n", 12);
}

static void on_change(int signal)
{
    struct winsize size;
    char text[50];

    (void)signal;
    ioctl(0, TIOCGWINSZ, &size);
    write(1, text, (size_t)sprintf(text, "changed %d %d\n", size.ws_row, size.ws_col));
}

static void change(const char *line)
{
    struct winsize size = {0};

    if (sscanf(line, "size %hu %hu", &size.ws_row, &size.ws_col) == 2)
        ioctl(0, TIOCSWINSZ, &size);
}

int main(void)
{
    struct winsize size = {0};
    char line[100];

    signal(SIGINT, on_interrupt);
    signal(SIGWINCH, on_change);
    ioctl(0, TIOCGWINSZ, &size);
    printf("tty %d %d %d\n", isatty(0) && isatty(1), size.ws_row, size.ws_col);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        printf("line '%s'\n", line);
        change(line);
    }
    printf("end of input\n");
    return 0;
}
