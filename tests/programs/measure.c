/* SPDX-License-Identifier: BSD-2-Clause */
/* Does one thing N times, so that the difference of two runs is what it costs: measure WHAT N; and
 * beside M processes that wait or M mappings of its own: measure WHAT N processes|mappings M. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The call alone, without a library's wrapper around it. */
static void getpids(long n)
{
    do {
#ifdef __mips__
        register long number __asm__("$2") = SYS_getpid;
        register long error __asm__("$7");

        __asm__ volatile("syscall"
                         : "+r"(number), "=r"(error)
                         :
                         : "$1", "$3", "$10", "$11", "$12", "$13", "$14", "$15", "$24", "$25",
                           "memory");
#else
        long number = SYS_getpid;

        __asm__ volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
#endif
    } while (--n > 0);
}

static void forks(long n)
{
    while (n-- > 0) {
        pid_t child = fork();

        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
}

static void faults(long n)
{
    char *memory = mmap(NULL, (size_t)n * 4096 + 4096, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (long i = 0; i < n; i++)
        memory[i * 4096] = 1;
}

static void pipes(long n)
{
    int there[2], back[2];
    char byte = 1;

    if (pipe(there) != 0 || pipe(back) != 0)
        exit(1);
    if (fork() == 0) {
        close(there[1]);
        while (read(there[0], &byte, 1) == 1)
            if (write(back[1], &byte, 1) != 1)
                break;
        _exit(0);
    }
    for (long i = 0; i < n; i++)
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
            exit(2);
    close(there[1]);
    wait(NULL);
}

static void executes(long n, char *self)
{
    int status;

    while (n-- > 0) {
        pid_t child = vfork();

        if (child == 0) {
            execl(self, self, "nothing", "0", (char *)NULL);
            _exit(1);
        }
        if (waitpid(child, &status, 0) != child || status != 0)
            exit(3);
    }
}

static void maps(long n)
{
    while (n-- > 0) {
        void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (page == MAP_FAILED || munmap(page, 4096) != 0)
            exit(4);
    }
}

/* Each with a page that has been written to, and between two of them one that nobody may read. */
static void make_mappings(long count)
{
    char *memory = mmap(NULL, (size_t)count * 8192 + 1, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    for (long i = 0; i < count; i++) {
        if (mprotect(memory + i * 8192, 4096, PROT_READ | PROT_WRITE) != 0)
            exit(5);
        memory[i * 8192] = 1;
    }
}

static pid_t *make_processes(long count)
{
    pid_t *children = calloc((size_t)count + 1, sizeof *children);

    for (long i = 0; i < count; i++) {
        children[i] = fork();
        if (children[i] == 0)
            for (;;)
                pause();
        if (children[i] < 0)
            exit(6);
    }
    return children;
}

static void end_processes(const pid_t *children)
{
    for (; children && *children; children++)
        if (kill(*children, SIGKILL) != 0 || waitpid(*children, NULL, 0) != *children)
            exit(7);
}

int main(int argc, char **argv)
{
    long n = argc > 2 ? atol(argv[2]) : 1000;
    const char *what = argc > 1 ? argv[1] : "getpid";
    pid_t *children = NULL;

    if (argc > 4 && strcmp(argv[3], "processes") == 0)
        children = make_processes(atol(argv[4]));
    if (argc > 4 && strcmp(argv[3], "mappings") == 0)
        make_mappings(atol(argv[4]));
    if (strcmp(what, "getpid") == 0)
        getpids(n);
    else if (strcmp(what, "fork") == 0)
        forks(n);
    else if (strcmp(what, "fault") == 0)
        faults(n);
    else if (strcmp(what, "pipe") == 0)
        pipes(n);
    else if (strcmp(what, "exec") == 0)
        executes(n, argv[0]);
    else if (strcmp(what, "map") == 0)
        maps(n);
    else if (strcmp(what, "nothing") == 0)
        _exit(0); /* the first exit of a run is the measuring process's */
    end_processes(children);
    return 0;
}
