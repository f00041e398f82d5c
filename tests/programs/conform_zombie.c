/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process still is that has ended and was not waited for: a member of its group, and
 * somebody with a priority. */
#include "conform.h"
#include <sched.h>
#include <sys/resource.h>

/* One that has ended; in GROUP, or (0) one of its own, or (-1) the caller's. */
static pid_t zombie(pid_t group)
{
    siginfo_t info;
    pid_t child = fork();

    if (child == 0)
        _exit(3);
    if (group >= 0)
        setpgid(child, group);
    waitid(P_PID, child, &info, WEXITED | WNOWAIT);
    return child;
}

static void group(void)
{
    pid_t first = zombie(-1), second, member;

    TEST(getpgid(first) == getpgrp());
    TEST(getsid(first) == getsid(0));
    TEST(setpgid(first, 0)); /* it has not executed anything, and may still be moved */
    TEST(getpgid(first) == first);
    TEST(kill(first, 0));
    TEST(kill(first, SIGTERM));
    TEST(kill(-first, 0));
    TEST(kill(-first, SIGTERM));
    second = zombie(first); /* the group is there while it has any member */
    TEST(getpgid(second) == first);
    TEST(waitpid(-first, NULL, WNOHANG) > 0);
    TEST(waitpid(-first, NULL, WNOHANG) > 0);
    TEST(waitpid(-first, NULL, WNOHANG));
    TEST(kill(-first, 0));
    first = zombie(0);
    member = fork();
    if (member == 0) {
        pause();
        _exit(0);
    }
    TEST(setpgid(member, first));
    TEST(waitpid(first, NULL, 0) == first);
    TEST(getpgid(member) == first);
    TEST(kill(-first, SIGKILL));
    TEST(waitpid(member, NULL, 0) == member);
    TEST(setpgid(member, 0));
    TEST(getpgid(member));
}

static void priority(void)
{
    struct sched_param parameter = {0};
    pid_t child = zombie(0);

    TEST(setpriority(PRIO_PROCESS, child, 7));
    TEST(getpriority(PRIO_PROCESS, child));
    TEST(getpriority(PRIO_PGRP, child));
    TEST(sched_getscheduler(child));
    TEST(sched_getparam(child, &parameter));
    TEST(sched_setscheduler(child, SCHED_BATCH, &parameter));
    TEST(sched_getscheduler(child));
    TEST(waitpid(child, NULL, 0) == child);
    TEST(getpriority(PRIO_PROCESS, child));
    TEST(getpriority(PRIO_PGRP, child));
    TEST(sched_getscheduler(child));
}

static int ends[2];

static void on_hangup(int signal)
{
    char c = signal == SIGHUP ? 'h' : 'x';

    write(ends[1], &c, 1);
    _exit(0);
}

/* Who has ended keeps no group from being an orphan: the one that is stopped in it is told. */
static void orphans(void)
{
    pid_t leader, ended;
    int status;
    char c = '-';

    pipe(ends);
    leader = fork();
    if (leader == 0) {
        pid_t stopped;

        setpgid(0, 0);
        stopped = fork();
        if (stopped == 0) {
            signal(SIGHUP, on_hangup);
            raise(SIGSTOP);
            _exit(4);
        }
        waitpid(stopped, &status, WUNTRACED);
        write(ends[1], "r", 1);
        raise(SIGSTOP);
        _exit(0);
    }
    read(ends[0], &c, 1);
    ended = zombie(leader);
    TEST(getpgid(ended) == leader);
    waitpid(leader, &status, WUNTRACED);
    kill(leader, SIGCONT);
    close(ends[1]); /* and the read ends where nobody is told */
    TEST(read(ends[0], &c, 1));
    TEST(c);
    TEST(waitpid(leader, NULL, 0) == leader);
    TEST(waitpid(ended, NULL, 0) == ended);
}

int main(void)
{
    alarm(60);
    group();
    priority();
    CHILD(setsid(); orphans()); /* whoever adopts the orphan is of no such session */
    return 0;
}
