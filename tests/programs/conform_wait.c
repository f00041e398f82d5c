/* SPDX-License-Identifier: BSD-2-Clause */
/* Children and their ends, groups and sessions, execve, limits, who may do what to whom. */
#include "conform.h"
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/times.h>

extern char **environ;

static void told(const char *name, const siginfo_t *info, pid_t child)
{
    char status[16];

    snprintf(status, sizeof status, "%d", info->si_status);
    SAY("%s: signo %s code %d status %s pid %s\n", name,
        info->si_signo ? sigabbrev_np(info->si_signo) : "0", info->si_code,
        info->si_code == CLD_EXITED || info->si_signo == 0 ? status : sigabbrev_np(info->si_status),
        info->si_pid == child ? "right"
        : info->si_pid == 0   ? "0"
                              : "wrong");
}

static void waits(void)
{
    siginfo_t info;
    int status;
    pid_t child;

    TEST(waitpid(-1, &status, 0));
    TEST(waitpid(getpid(), &status, 0));
    TEST(waitpid(1 << 30, &status, WNOHANG));
    TEST(waitpid(-1, &status, 0x100));
    TEST(waitid(P_ALL, 0, &info, 0));
    TEST(waitid(P_ALL, 0, &info, WNOHANG));
    TEST(waitid(P_ALL, 0, &info, WEXITED));
    TEST(waitid(P_PID, -1, &info, WEXITED));
    TEST(waitid(9, 1, &info, WEXITED));
    child = fork();
    if (child == 0)
        _exit(300);
    memset(&info, 0, sizeof info);
    TEST(waitid(P_PID, child, &info, WEXITED | WNOWAIT));
    told("nowait", &info, child);
    TEST(waitid(P_PID, child, &info, WEXITED | WNOWAIT));
    TEST(kill(child, 0));
    TEST(kill(child, SIGKILL));
    TEST(getpgid(child) == getpgrp());
    TEST(getsid(child) == getsid(0));
    TEST(waitpid(child, (int *)8, 0));
    TEST(waitpid(child, &status, 0));
    child = fork();
    if (child == 0)
        for (;;)
            pause();
    memset(&info, 1, sizeof info);
    TEST(waitid(P_ALL, 0, &info, WEXITED | WNOHANG));
    told("nothing", &info, child);
    TEST(waitpid(child, &status, WNOHANG));
    TEST(kill(child, SIGSTOP));
    TEST(waitid(P_PID, child, &info, WSTOPPED));
    told("stopped", &info, child);
    TEST(waitpid(child, &status, WNOHANG | WUNTRACED));
    TEST(kill(child, SIGSTOP));
    TEST(kill(child, SIGCONT));
    TEST(waitid(P_PID, child, &info, WCONTINUED | WNOWAIT));
    TEST(waitpid(child, &status, WCONTINUED) == child);
    SAY("continued %d\n", WIFCONTINUED(status));
    TEST(kill(child, SIGTERM));
    TEST(waitid(P_PGID, getpgrp(), &info, WEXITED));
    told("killed", &info, child);
    child = fork();
    if (child == 0) {
        setpgid(0, 0);
        raise(SIGABRT);
    }
    waitpid(child, &status, WUNTRACED);
    SAY("signal %d\n", WTERMSIG(status));
    signal(SIGCHLD, SIG_IGN);
    child = fork();
    if (child == 0)
        _exit(0);
    TEST(waitpid(child, &status, 0));
    signal(SIGCHLD, SIG_DFL);
    TEST(kill(1 << 30, 0));
    TEST(kill(getpid(), 999));
    TEST(kill(getpid(), 0));
    TEST(kill(-(1 << 30), 0));
}

/* The orphan of a group that is stopped is told. */
static void orphans(void)
{
    int ends[2];
    char byte;
    pid_t child;

    pipe(ends);
    child = fork();
    if (child == 0) {
        pid_t stopped;

        setpgid(0, 0);
        stopped = fork();
        if (stopped == 0) {
            sigset_t set;
            int signal;

            sigemptyset(&set);
            sigaddset(&set, SIGHUP);
            sigprocmask(SIG_BLOCK, &set, NULL);
            raise(SIGSTOP);
            sigwait(&set, &signal);
            byte = (char)signal;
            write(ends[1], &byte, 1);
            _exit(0);
        }
        waitpid(stopped, NULL, WUNTRACED);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    close(ends[1]);
    byte = 0;
    TEST(read(ends[0], &byte, 1));
    SAY("orphan was told %d\n", byte);
    close(ends[0]);
}

static void groups(void)
{
    int ends[2];
    char byte;
    pid_t child;

    TEST(setpgid(1 << 30, 0));
    TEST(setpgid(0, -1));
    TEST(setpgid(-1, 0));
    TEST(getpgid(1 << 30));
    TEST(getsid(1 << 30));
    CHILD(TEST(setpgid(0, 0)); TEST(getpgrp() == getpid()); TEST(setsid()));
    CHILD(TEST(setsid() == getpid()); TEST(setsid()); TEST(getsid(0) == getpid());
          TEST(setpgid(0, 0)));
    pipe(ends);
    child = fork();
    if (child == 0) {
        char *words[] = {"/proc/self/exe", "pause", NULL};

        fcntl(ends[1], F_SETFD, FD_CLOEXEC);
        execv(words[0], words);
        _exit(9);
    }
    close(ends[1]);
    TEST(read(ends[0], &byte, 1)); /* closed by execve */
    TEST(setpgid(child, child));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ends[0]);
    /* In a session that is not the first process's: in that one nobody becomes an orphan. */
    CHILD(setsid(); orphans());
}

static char *long_word;

static void executions(void)
{
    char *words[] = {"x", NULL}, *many[] = {"x", NULL, NULL}, *exits[] = {"x", "exit", NULL};
    int fd, status;
    pid_t child;

    conform_make("text", "not a program");
    conform_make("script", "#!/proc/self/exe exit\n");
    conform_make("empty", "");
    conform_make("nobody", "#!/no/such\n");
    TEST(execv("absent", words));
    TEST(execv("text", words));
    chmod("text", 0755), chmod("empty", 0755), chmod("nobody", 0755), chmod("script", 0755);
    TEST(execv("text", words));
    TEST(execv("empty", words));
    TEST(execv("nobody", words));
    TEST(execv(".", words));
    TEST(execv("text/x", words));
    TEST(execv((char *)8, words));
    TEST(execv("text", (char **)8));
    many[1] = (char *)8;
    TEST(execv("text", many));
    long_word = malloc(200000);
    memset(long_word, 'w', 199999);
    long_word[199999] = '\0';
    many[1] = long_word;
    TEST(execv("/proc/self/exe", many));
    fd = open("text", O_RDONLY);
    TEST(fexecve(fd, words, environ));
    TEST(syscall(SYS_execveat, fd, "", words, environ, 0));
    close(fd);
    CHILD(execv("/proc/self/exe", exits));
    CHILD(chdir("/"); syscall(SYS_execveat, open("/proc/self/exe", O_RDONLY), "", exits, environ,
                              AT_EMPTY_PATH));
    TEST(posix_spawn(&child, "absent", NULL, NULL, words, environ));
    TEST(posix_spawn(&child, "/proc/self/exe", NULL, NULL, exits, environ));
    waitpid(child, &status, 0);
    SAY("exit %d\n", WEXITSTATUS(status));
    unlink("text"), unlink("script"), unlink("empty"), unlink("nobody");
}

static void users(void)
{
    uid_t r, e, s;
    pid_t child;

    CHILD(TEST(setuid(7)); TEST(getresuid(&r, &e, &s)); SAY("%d %d %d\n", r, e, s);
          TEST(setuid(0)));
    CHILD(TEST(setresuid(1, 2, 3)); TEST(setuid(3)); TEST(getresuid(&r, &e, &s));
          SAY("%d %d %d\n", r, e, s); TEST(seteuid(1)); TEST(seteuid(2)); TEST(setreuid(2, 1));
          TEST(setresuid(9, -1, -1)); TEST(kill(getppid(), 0));
          TEST(setpriority(PRIO_PROCESS, 0, -1)); TEST(setgid(4)); TEST(sethostname("x", 1)));
    CHILD(TEST(setregid(4, 5)); TEST(getgid()); TEST(getegid()); TEST(setgid(9)); TEST(getegid()));
    child = fork();
    if (child == 0)
        for (;;)
            pause();
    CHILD(setuid(5); TEST(kill(child, SIGKILL)); TEST(kill(child, 0)); TEST(kill(child, SIGCONT)));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void rest(void)
{
    struct rusage usage;
    struct sched_param param = {0};
    struct tms times_;
    char name[16] = "";

    TEST(getrusage(RUSAGE_SELF, (void *)8));
    TEST(getrusage(5, &usage));
    TEST(getrusage(RUSAGE_CHILDREN, &usage));
    TEST(times(&times_) != -1);
    TEST(prctl(PR_SET_NAME, "a name that is long"));
    TEST(prctl(PR_GET_NAME, name));
    SAY("%s\n", name);
    TEST(prctl(PR_GET_DUMPABLE));
    TEST(prctl(PR_SET_DUMPABLE, 5));
    TEST(prctl(9999));
    TEST(prctl(PR_SET_PDEATHSIG, 999));
    TEST(prctl(PR_SET_PDEATHSIG, SIGTERM));
    int signal_ = 0;
    TEST(prctl(PR_GET_PDEATHSIG, &signal_));
    SAY("%d\n", signal_);
    TEST(prctl(PR_SET_PDEATHSIG, 0));
    TEST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    TEST(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    TEST(sched_getscheduler(0));
    TEST(sched_getscheduler(1 << 30));
    TEST(sched_getscheduler(-1));
    TEST(sched_getparam(0, &param));
    TEST(sched_getparam(0, NULL));
    TEST(sched_setscheduler(0, 77, &param));
    TEST(sched_setscheduler(0, SCHED_OTHER, &param));
    TEST(sched_get_priority_max(SCHED_FIFO));
    TEST(sched_get_priority_min(SCHED_RR));
    TEST(sched_get_priority_max(99));
    TEST(sched_yield());
    setpriority(PRIO_PROCESS, 0, 0); /* whoever ran this may have been nicer */
    TEST(getpriority(PRIO_PROCESS, 0));
    TEST(getpriority(9, 0));
    TEST(getpriority(PRIO_PROCESS, 1 << 30));
    TEST(setpriority(PRIO_PROCESS, 0, 5));
    TEST(getpriority(PRIO_PROCESS, 0));
    TEST(nice(3));
    TEST(setpriority(PRIO_PROCESS, 0, 99));
    TEST(getpriority(PRIO_PROCESS, 0));
    CHILD(SAY("inherited %d\n", getpriority(PRIO_PROCESS, 0));
          TEST(setpriority(PRIO_PROCESS, 0, 0)));
    CHILD(setuid(5); TEST(setpriority(PRIO_PROCESS, 0, 0)); TEST(nice(-1));
          TEST(setpriority(PRIO_PROCESS, getppid(), 19)));
    TEST(setpriority(PRIO_PROCESS, 0, 0));
    TEST(syscall(SYS_clone, SIGCHLD | CLONE_SIGHAND, 0, 0, 0, 0));
    TEST(syscall(SYS_clone, SIGCHLD | CLONE_THREAD, 0, 0, 0, 0));
    TEST(syscall(SYS_set_robust_list, NULL, 1));
    TEST(syscall(SYS_tgkill, getpid(), 1 << 30, 0));
    TEST(syscall(SYS_tgkill, -1, getpid(), 0));
    TEST(syscall(SYS_tkill, 0, 0));
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "exit") == 0)
        return 21;
    if (count > 1)
        for (;;)
            pause();
    conform_begin();
    waits();
    groups();
    executions();
    users();
    rest();
    return conform_end(0);
}
