/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tree D ORDER: a child and its child, which runs a loop of exactly 100,000 * D instructions and a
 * few. ORDER says who ends first: "inner" the grandchild, "outer" the child between.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "loop.h"

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? (unsigned long)(argv[1][0] - '0') * 50000 + 10 : 10;
    int outer = argc > 2 && strcmp(argv[2], "outer") == 0;
    int end[2], go[2];
    char byte;

    if (pipe(end) != 0 || pipe(go) != 0)
        return 1;
    if (fork() == 0) {
        if (fork() == 0) {
            close(go[1]);
            if (outer && read(go[0], &byte, 1) != 0)
                _exit(1); /* until all others have let it go */
            loop(n);
            _exit(0);
        }
        if (!outer)
            wait(NULL);
        _exit(0);
    }
    wait(NULL);
    close(go[1]); /* the child between has ended by now, or both have */
    close(end[1]);
    while (read(end[0], &byte, 1) > 0)
        ; /* until the grandchild has ended */
    return 0;
}
