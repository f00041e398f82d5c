/* SPDX-License-Identifier: BSD-2-Clause */
/* When standard input is ready: poll, select, FIONREAD, reading without waiting, TCFLSH; its lines,
 * then single keys. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

/* Whether it is within MS; poll and select agree. */
static bool is_ready(int ms)
{
    struct pollfd poll_fd = {.fd = 0, .events = POLLIN};
    struct timeval now = {0};
    fd_set set;
    int one = poll(&poll_fd, 1, ms), other;

    FD_ZERO(&set);
    FD_SET(0, &set);
    other = select(1, &set, NULL, NULL, &now);
    if (one != other)
        printf("poll %d select %d\n", one, other);
    return one == 1;
}

static int waiting(void)
{
    int count = -1;

    if (ioctl(0, FIONREAD, &count) != 0)
        printf("FIONREAD: %s\n", strerror(errno));
    return count;
}

static void take(const char *what)
{
    char text[100];
    ssize_t got = read(0, text, sizeof text - 1);

    if (got < 0) {
        printf("%s: %s\n", what, errno == EAGAIN ? "EAGAIN" : strerror(errno));
        return;
    }
    text[got] = '\0';
    text[strcspn(text, "\n")] = '\0';
    printf("%s: %zd '%s'\n", what, got, text);
}

static void keys(void)
{
    struct termios raw;

    tcgetattr(0, &raw);
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(0, TCSANOW, &raw);
    printf("key %d\n", is_ready(0));
    while (!is_ready(-1))
        ;
    printf("keys %d\n", waiting());
    take("key");
    raw.c_cc[VMIN] = 3;
    tcsetattr(0, TCSANOW, &raw);
    printf("three\n");
    while (!is_ready(-1))
        ;
    printf("keys %d\n", waiting());
    tcflush(0, TCIFLUSH);
    printf("flushed %d %d\n", is_ready(0), waiting());
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("begin %d %d\n", is_ready(0), waiting());
    fcntl(0, F_SETFL, O_NONBLOCK);
    take("without waiting");
    printf("half\n");
    while (!is_ready(-1))
        ;
    printf("line %d\n", waiting());
    take("line");
    printf("then %d %d\n", is_ready(0), waiting());
    fcntl(0, F_SETFL, 0);
    if (isatty(0)) {
        keys();
        return 0;
    }
    while (!is_ready(-1))
        ;
    take("last");
    return 0;
}
