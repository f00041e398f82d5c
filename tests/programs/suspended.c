/* SPDX-License-Identifier: BSD-2-Clause */
/* A shell's jobs: a child in the foreground that reads nothing is stopped by ^Z, goes on, and is
 * ended by ^\. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(pid_t child)
{
    int status;

    if (waitpid(child, &status, WUNTRACED | WCONTINUED) != child)
        printf("nobody\n");
    else if (WIFSTOPPED(status))
        printf("stopped: %s\n", strsignal(WSTOPSIG(status)));
    else if (WIFCONTINUED(status))
        printf("continued\n");
    else if (WIFSIGNALED(status))
        printf("ended: %s\n", strsignal(WTERMSIG(status)));
}

int main(void)
{
    pid_t child;

    setvbuf(stdout, NULL, _IONBF, 0);
    signal(SIGTTOU, SIG_IGN);
    child = fork();
    if (child == 0) {
        setpgid(0, 0);
        tcsetpgrp(0, getpid());
        write(1, "waits\n", 6);
        for (;;)
            pause();
    }
    tell(child);
    tcsetpgrp(0, getpgrp());
    printf("ours: %d\n", tcgetpgrp(0) == getpgrp());
    tcsetpgrp(0, child);
    kill(child, SIGCONT);
    tell(child);
    tell(child);
    return 0;
}
