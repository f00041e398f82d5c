/* SPDX-License-Identifier: BSD-2-Clause */
/* What a terminal's settings are for who is in its background; standard input has to be one, and
 * this program in its foreground. The same on Linux and Quipu. */
#include "conform.h"

#include <sys/ioctl.h>
#include <termios.h>

static struct termios settings;

/* STATEMENTS in a child that is alone in a group of its own, which is not in the foreground; and
 * how it ends, or what has stopped it. */
#define BACKGROUND(...)                                                                            \
    do {                                                                                           \
        int status_ = 0;                                                                           \
        pid_t child_ = fork();                                                                     \
        if (child_ == 0) {                                                                         \
            setpgid(0, 0);                                                                         \
            __VA_ARGS__;                                                                           \
            _exit(0);                                                                              \
        }                                                                                          \
        waitpid(child_, &status_, WUNTRACED);                                                      \
        SAY("  stopped by %s, exits %d\n",                                                         \
            WIFSTOPPED(status_) ? sigabbrev_np(WSTOPSIG(status_)) : "-",                           \
            WIFEXITED(status_) ? WEXITSTATUS(status_) : -1);                                       \
        if (WIFSTOPPED(status_)) {                                                                 \
            kill(child_, SIGKILL);                                                                 \
            waitpid(child_, &status_, 0);                                                          \
        }                                                                                          \
    } while (0)

static void block(int signal)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

/* The child's parent is gone, and with it the last who could continue its group. */
static void orphan(void)
{
    int ends[2];
    char byte;

    if (pipe(ends) != 0)
        exit(99);
    if (fork() == 0) {
        setpgid(0, 0);
        if (fork() == 0) {
            close(ends[0]);
            for (int i = 0; getppid() != 1 && i < 500; i++)
                usleep(10000);
            TEST(tcsetattr(0, TCSANOW, &settings));
            TEST(tcsetpgrp(0, getpgrp()));
            TEST(read(0, &byte, 1));
            _exit(0);
        }
        _exit(0);
    }
    wait(NULL);
    close(ends[1]);
    (void)!read(ends[0], &byte, 1); /* until the orphan has ended */
    close(ends[0]);
}

/* The number of its terminal, 0: it has none. */
static int terminal_in_proc(void)
{
    FILE *stat = fopen("/proc/self/stat", "r");
    int number = -1;

    if (!stat || fscanf(stat, "%*d %*s %*c %*d %*d %*d %d", &number) != 1)
        return -1;
    fclose(stat);
    return number;
}

/* The terminal is still there, and is not its own. */
static void without_terminal(void)
{
    TEST(tcgetpgrp(0));
    TEST(tcsetpgrp(0, getpgrp()));
    TEST(ioctl(0, TIOCNOTTY));
    TEST(open("/dev/tty", O_RDWR));
    TEST(isatty(0));
    TEST(terminal_in_proc() == 0);
}

static void leaves_alone(void)
{
    TEST(ioctl(0, TIOCNOTTY));
    without_terminal();
    CHILD(without_terminal(); TEST(setsid() > 0); TEST(open("/dev/tty", O_RDWR)));
    TEST(tcsetattr(0, TCSANOW, &settings));
    TEST(tcflush(0, TCIFLUSH));
}

/* Who left the terminal may have one again as a leader, and the other session has none then. */
static void takes_it(void)
{
    TEST(ioctl(0, TIOCSCTTY, 1));
    TEST(ioctl(0, TIOCNOTTY));
    TEST(open("/dev/tty", O_RDWR));
    TEST(setsid() > 0);
    TEST(ioctl(0, TIOCSCTTY, 0));
    TEST(open("/dev/tty", O_RDWR));
    TEST(ioctl(0, TIOCSCTTY, 1));
    TEST(ioctl(0, TIOCSCTTY, 0));
    TEST(tcgetpgrp(0) == getpgrp());
    TEST(tcgetsid(0) == getpid());
    TEST(terminal_in_proc() > 0);
    WORKS(open("/dev/tty", O_RDWR));
}

int main(void)
{
    int pid = getpid();

    TEST(tcgetattr(0, &settings));
    TEST(tcgetpgrp(0) == getpgrp());
    TEST(tcsetattr(0, TCSADRAIN, &settings));
    BACKGROUND(TEST(tcgetattr(0, &settings)));
    BACKGROUND(TEST(tcgetpgrp(0) == getpgrp()));
    BACKGROUND(TEST(tcsetattr(0, TCSANOW, &settings)));
    BACKGROUND(TEST(tcsetattr(0, TCSAFLUSH, &settings)));
    BACKGROUND(TEST(tcflush(0, TCIFLUSH)));
    BACKGROUND(TEST(tcsetpgrp(0, getpgrp())));
    BACKGROUND(signal(SIGTTOU, SIG_IGN); TEST(tcsetattr(0, TCSANOW, &settings)));
    BACKGROUND(block(SIGTTOU); TEST(tcsetattr(0, TCSANOW, &settings)));
    BACKGROUND(signal(SIGTTOU, SIG_IGN); TEST(tcsetpgrp(0, getpgrp())));
    signal(SIGTTOU, SIG_IGN);
    TEST(tcsetpgrp(0, getpgrp()));
    signal(SIGTTOU, SIG_DFL);
    BACKGROUND(TEST(read(0, &pid, 1)));
    BACKGROUND(signal(SIGTTIN, SIG_IGN); TEST(read(0, &pid, 1)));
    BACKGROUND(block(SIGTTIN); TEST(read(0, &pid, 1)));
    orphan();
    CHILD(TEST(setsid() > 0); TEST(tcgetpgrp(0)); TEST(ioctl(0, TIOCNOTTY));
          TEST(tcsetpgrp(0, getpgrp())); TEST(open("/dev/tty", O_RDWR)));
    TEST(terminal_in_proc() > 0);
    CHILD(leaves_alone());
    TEST(terminal_in_proc() > 0);
    BACKGROUND(TEST(ioctl(0, TIOCNOTTY)); TEST(tcsetattr(0, TCSANOW, &settings)));
    TEST(tcgetpgrp(0) == getpgrp());
    if (getuid() == 0)
        CHILD(takes_it());
    TEST(write(1, "end\n", 4));
    return 0;
}
