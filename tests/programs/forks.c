/* SPDX-License-Identifier: BSD-2-Clause */
/* 200 children that each execute this program again; each ends with a status of its own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 200

int main(int argc, char **argv)
{
    int status, sum = 0, wrong = 0;
    pid_t pids[CHILDREN];

    if (argc > 1)
        return atoi(argv[1]) % 100;
    for (int i = 0; i < CHILDREN; i++) {
        char number[16];

        snprintf(number, sizeof number, "%d", i);
        pids[i] = fork();
        if (pids[i] == 0) {
            execl("/proc/self/exe", argv[0], number, (char *)NULL);
            execl(argv[0], argv[0], number, (char *)NULL);
            _exit(101);
        }
        if (pids[i] < 0) {
            perror("fork");
            return 1;
        }
        if (i % 20 == 19)
            for (int j = i - 19; j <= i; j++) {
                if (waitpid(pids[j], &status, 0) != pids[j] || !WIFEXITED(status) ||
                    WEXITSTATUS(status) != j % 100)
                    wrong++;
                sum += WEXITSTATUS(status);
            }
    }
    printf("sum %d wrong %d\n", sum, wrong);
    status = wait(&status);
    printf("none left: %d %d\n", status == -1, errno == ECHILD);
    return 0;
}
