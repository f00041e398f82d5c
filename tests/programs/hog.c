/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes all it can get: "memory" touches pages until it is ended, "forks" forks until it cannot,
 * and "files" opens until it cannot. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int n = 0, ended = 0;

    if (argc < 2)
        return 1;
    if (strcmp(argv[1], "memory") == 0)
        for (;;) {
            char *more =
                mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (more == MAP_FAILED)
                return 3;
            memset(more, 1, 1 << 20);
        }
    if (strcmp(argv[1], "files") == 0) {
        while (dup(0) >= 0)
            n++;
        printf("files %d\n", n > 100);
        return 0;
    }
    for (;;) {
        pid_t child = fork();

        if (child == 0) {
            pause();
            _exit(0);
        }
        if (child < 0)
            break;
        n++;
    }
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
    while (wait(NULL) > 0)
        ended++;
    printf("forks %d ended %d\n", n > 100, n == ended);
    return 0;
}
