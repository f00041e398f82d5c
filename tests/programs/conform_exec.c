/* SPDX-License-Identifier: BSD-2-Clause */
/* How much execve(2) takes: strings, the path, and the pointers to them, by RLIMIT_STACK. */
#include "conform.h"
#include <sys/resource.h>

#define SELF "/proc/self/exe"

static char *words[100000], pad[16];

/* COUNT words of a byte, and one of LENGTH, in a new program with VARIABLES. */
static int goes(int count, int length, char **variables)
{
    int status;
    pid_t child;

    memset(pad, 'p', sizeof pad);
    pad[length] = '\0';
    words[0] = "self";
    for (int i = 1; i <= count; i++)
        words[i] = "w";
    words[count + 1] = pad;
    words[count + 2] = NULL;
    child = fork();
    if (child == 0) {
        execve(SELF, words, variables);
        _exit(errno == E2BIG ? 1 : 2);
    }
    waitpid(child, &status, 0);
    if (status != 42 << 8 && status != 1 << 8)
        SAY("status %x\n", status);
    return status == 42 << 8;
}

static void most(unsigned long stack, char **variables)
{
    struct rlimit limit;
    int low = 0, high = 99990, length = 0;

    getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = stack;
    setrlimit(RLIMIT_STACK, &limit);
    while (high - low > 1) {
        int middle = (low + high) / 2;

        if (goes(middle, 0, variables))
            low = middle;
        else
            high = middle;
    }
    while (length < 15 && goes(low, length + 1, variables))
        length++;
    SAY("stack %lu: %d words and %d bytes\n", stack, low, length);
}

int main(int argc, char **argv)
{
    char *none[] = {NULL}, *some[] = {"A=b", "VARIABLE=value", NULL};

    if (strcmp(argv[0], "self") == 0)
        return 42;
    most(300 << 10, none);
    most(1 << 20, none);
    most(1 << 20, some);
    return 0;
}
