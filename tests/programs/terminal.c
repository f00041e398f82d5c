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

int main(void)
{
    struct winsize size = {0};
    char line[100];

    signal(SIGINT, on_interrupt);
    ioctl(0, TIOCGWINSZ, &size);
    printf("tty %d %d %d\n", isatty(0) && isatty(1), size.ws_row, size.ws_col);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        printf("line '%s'\n", line);
    }
    printf("end of input\n");
    return 0;
}
