/* SPDX-License-Identifier: BSD-2-Clause */
/* What processes are told: the same lines on Linux and on Quipu. */
#include "conform.h"
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>

static volatile sig_atomic_t caught, caught_status;

static void on_child(int signal, siginfo_t *info, void *context)
{
    (void)context;
    caught = signal;
    caught_status = info->si_status * 100 + info->si_code;
}

static void end_of(const char *what, pid_t child)
{
    int status;
    pid_t got = waitpid(child, &status, WUNTRACED);

    SAY("%s: %s", what, got == child ? "ended" : "not found");
    if (WIFEXITED(status))
        SAY(" with %d\n", WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        SAY(" by %s\n", strsignal(WTERMSIG(status)));
    else if (WIFSTOPPED(status))
        SAY(" stopped by %s\n", strsignal(WSTOPSIG(status)));
}

static void faults(void)
{
    pid_t child;
    static const int zero;

    if ((child = fork()) == 0) {
        *(volatile int *)16 = 1;
        _exit(1);
    }
    end_of("null", child);
    if ((child = fork()) == 0) {
        *(volatile int *)&zero = 1;
        _exit(1);
    }
    end_of("read-only", child);
    if ((child = fork()) == 0)
        abort();
    end_of("abort", child);
    if ((child = fork()) == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        raise(SIGKILL);
    }
    end_of("kill", child);
}

static void stops(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        raise(SIGSTOP);
        for (;;)
            pause();
    }
    end_of("stop", child);
    kill(child, SIGCONT);
    waitpid(child, &status, WCONTINUED);
    SAY("continued %d\n", WIFCONTINUED(status));
    kill(child, SIGTERM);
    end_of("after", child);
}

static void children(void)
{
    struct sigaction action = {.sa_sigaction = on_child, .sa_flags = SA_SIGINFO | SA_RESTART};
    siginfo_t info;
    pid_t child;
    int status;

    sigaction(SIGCHLD, &action, NULL);
    if ((child = fork()) == 0)
        _exit(33);
    waitpid(child, &status, 0);
    SAY("SIGCHLD %d status %d exit %d\n", caught == SIGCHLD, (int)caught_status,
        WEXITSTATUS(status));
    if ((child = fork()) == 0)
        _exit(34);
    memset(&info, 0, sizeof info);
    TEST(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT));
    SAY("waitid %d %d %d\n", info.si_pid == child, info.si_status, info.si_code);
    TEST(waitid(P_PID, (id_t)child, &info, WEXITED));
    TEST(waitpid(-1, &status, WNOHANG));
    signal(SIGCHLD, SIG_IGN);
    if ((child = fork()) == 0)
        _exit(35);
    TEST(waitpid(child, &status, 0));
    signal(SIGCHLD, SIG_DFL);
    TEST(waitpid(1 << 21, &status, 0));
    TEST(kill(1 << 21, 0));
    TEST(wait4(-1, NULL, 0x40, NULL));
    TEST(waitid(P_ALL, 0, NULL, 0));
}

static void groups(void)
{
    pid_t child;

    if ((child = fork()) == 0) {
        SAY("setsid %d\n", setsid() == getpid());
        SAY("sid %d pgrp %d\n", getsid(0) == getpid(), getpgrp() == getpid());
        TEST(setsid());
        TEST(setpgid(0, 0));
        if (fork() == 0) {
            SAY("child's group %d\n", getpgid(0) == getppid());
            TEST(setpgid(0, 0));
            SAY("own group %d\n", getpgrp() == getpid());
            _exit(0);
        }
        wait(NULL);
        _exit(0);
    }
    end_of("groups", child);
    TEST(setpgid(1 << 21, 0));
    TEST(getpgid(1 << 21));
    TEST(getsid(1 << 21));
}

static void limits(void)
{
    struct rlimit limit, low = {20, 20};
    pid_t child;
    int fds[2], n = 0;

    TEST(getrlimit(RLIMIT_NOFILE, &limit));
    if ((child = fork()) == 0) {
        setrlimit(RLIMIT_NOFILE, &low);
        while (dup(0) >= 0)
            n++;
        SAY("dups %d %s\n", n > 0 && n < 20, strerrorname_np(errno));
        TEST(pipe(fds));
        TEST(dup2(0, 20));
        TEST(fcntl(0, F_DUPFD, 20));
        _exit(0);
    }
    end_of("limits", child);
    if ((child = fork()) == 0) {
        struct rlimit cpu = {1, 2};
        volatile unsigned long spin = 0;

        setrlimit(RLIMIT_CPU, &cpu);
        for (;;)
            spin++;
    }
    end_of("cpu", child);
    TEST(getrlimit(99, &limit));
    low.rlim_cur = 30;
    TEST(setrlimit(RLIMIT_NOFILE, &low));
}

static void executes(char **argv)
{
    char *none[] = {NULL}, *words[] = {"x", "spawned", NULL};
    pid_t child;
    int status;

    TEST(execve("/no/such", none, none));
    TEST(execve("/tmp", none, none));
    TEST(execve("/dev/null", none, none));
    TEST(posix_spawn(&child, argv[0], NULL, NULL, words, none));
    waitpid(child, &status, 0);
    SAY("spawned %d\n", WEXITSTATUS(status));
    TEST(posix_spawn(&child, "/no/such", NULL, NULL, words, none));
    if ((child = vfork()) == 0)
        _exit(44);
    end_of("vfork", child);
}

static void identity(void)
{
    uid_t r, e, s;
    pid_t child;

    if ((child = fork()) == 0) {
        TEST(setresuid(1000, 1001, 1002));
        getresuid(&r, &e, &s);
        SAY("%d %d %d\n", (int)r, (int)e, (int)s);
        TEST(setuid(5));
        TEST(setuid(1002));
        TEST(geteuid());
        TEST(setgid(7));
        TEST(kill(getppid(), 0));
        _exit(0);
    }
    end_of("identity", child);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return argv[1][0] == 's' ? 66 : 1;
    faults();
    stops();
    children();
    groups();
    limits();
    executes(argv);
    identity();
    return 0;
}
