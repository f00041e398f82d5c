/* SPDX-License-Identifier: BSD-2-Clause */
/* See run.h. Signals are waited for, never handled: so each finds the counts as they are. */
#include "user/perfex/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "user/perfex/counters.h"
#include "user/perfex/family.h"
#include "user/perfex/report.h"
#include "user/perfex/system.h"

#define ROTATIONS 4 /* that projections need at least */

static struct {
    const struct request *request;
    int own;    /* our counters: the children's come here in the end, and the system's are here */
    int target; /* what is begun, stopped and looked at meanwhile */
    pid_t child;
    bool live;
    unsigned reports;
    int generation;       /* of the target, once it was seen; 0: not yet */
    int own_generation;   /* of ours: it grows when children bring counts that are not whole */
    bool lost;            /* some counters were taken away */
    hwperf_cntr_t before; /* what ours had, of events that were tried */
    hwperf_cntr_t sum;    /* of the times before the last begin */
} run;

_Noreturn void run_fail(const char *what)
{
    fprintf(stderr, "perfex: %s: %s\n", what, strerror(errno));
    exit(1);
}

static bool run_is_system(void)
{
    return run.request->modes & HWPERF_CNTEN_K;
}

static void run_add(hwperf_cntr_t *to, const hwperf_cntr_t *more, const hwperf_cntr_t *less)
{
    for (int i = 0; i < HWPERF_EVENTMAX; i++)
        to->hwp_evctr[i] += more->hwp_evctr[i] - (less ? less->hwp_evctr[i] : 0);
}

/* The target's counts; false: it is ending. Another generation than before: they are not whole. */
static bool run_look(hwperf_cntr_t *now)
{
    int generation = ioctl(run.target, PIOCGETEVCTRS, now);

    if (generation < 0)
        return false;
    run.lost |= run.live && run.generation != 0 && generation != run.generation;
    run.generation = generation;
    return true;
}

/* Of the system, not ours any more if somebody has released or changed it. */
static bool run_is_taken(void)
{
    hwperf_eventctrl_t control;

    return run_is_system() && system_control(&control) != run.generation;
}

/* What was counted since the last begin is kept. */
static void run_keep(void)
{
    hwperf_cntr_t now;

    if (run_is_taken())
        run.lost = true;
    else if (run_look(&now))
        run_add(&run.sum, &now, NULL);
}

static void run_begin(void)
{
    if (run.live)
        return;
    if (!run_is_system())
        run_keep();
    run.generation = ioctl(run.target, PIOCENEVCTRS, &run.request->args);
    if (run.generation < 0)
        run_fail("counters");
    run.live = true;
}

/* The system's counts are gone when it is released; a process's are not. */
static void run_stop(void)
{
    hwperf_cntr_t now;

    if (run.live && run_is_system())
        run_keep();
    else if (run.live)
        (void)run_look(&now);
    if (run.live)
        ioctl(run.target, PIOCRELEVCTRS);
    run.live = false;
}

static void run_report(const hwperf_cntr_t *counted)
{
    struct counts counts = {run.request->args.hwp_evctrargs, *counted};

    perfex_report(&counts, run.request->costs, run.request->out);
    fflush(run.request->out);
}

static void run_heading(const char *text)
{
    fprintf(run.request->out, "%s", text);
    for (char **word = run.request->command; *word; word++)
        fprintf(run.request->out, " %s", *word);
    fprintf(run.request->out, "\n\n");
}

static void run_report_so_far(void)
{
    hwperf_cntr_t now, total = run.sum;

    if (run.live && (run_is_taken() || !run_look(&now)))
        return; /* it is ending, or there is nothing to be told */
    if (run.live)
        run_add(&total, &now, NULL);
    fprintf(run.request->out, "After %.2f s of", ++run.reports * run.request->period);
    run_heading("");
    run_report(&total);
    putc('\n', run.request->out);
}

/* The child's counts come to us when it ends. In the kernel's mode it is the system that counts. */
static _Noreturn void run_child(const sigset_t *mask)
{
    char **command = run.request->command;
    int fd = perfex_open(getpid());

    if (fd < 0)
        run_fail("/proc");
    if (!run_is_system() && ioctl(fd, PIOCSAVECCNTRS) < 0)
        run_fail("counters");
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (run.live && !run_is_system() && ioctl(fd, PIOCENEVCTRS, &run.request->args) < 0)
        run_fail("counters");
    execvp(command[0], command);
    fprintf(stderr, "perfex: %s: %s\n", command[0], strerror(errno));
    _exit(127);
}

static void run_start(const sigset_t *mask)
{
    if (run_is_system()) {
        run.target = run.own;
        if (!run.request->signalled)
            run_begin();
    }
    run.live |= !run.request->signalled;
    fflush(NULL);
    run.child = fork();
    if (run.child < 0)
        run_fail("fork");
    if (run.child == 0)
        run_child(mask);
    if (!run_is_system())
        run.target = perfex_open(run.child);
}

/* Whether the child has ended. */
static bool run_signal(int number, int *status, struct rusage *usage)
{
    if (number == SIGUSR1)
        run_begin();
    if (number == SIGUSR2)
        run_stop();
    if (number == SIGALRM && run.request->period > 0)
        run_report_so_far();
    else if (number == SIGALRM)
        family_look(run.child);
    return number == SIGCHLD && wait4(run.child, status, WNOHANG, usage) == run.child;
}

static void run_alarm(double period)
{
    struct itimerval timer;

    timer.it_value.tv_sec = (time_t)period;
    timer.it_value.tv_usec = (suseconds_t)((period - (double)timer.it_value.tv_sec) * 1e6);
    timer.it_interval = timer.it_value;
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* A turn is a clock tick in which the program runs. */
static void run_warn(const struct rusage *usage)
{
    unsigned sharing = perfex_most_sharing(&run.request->args.hwp_evctrargs);
    double seconds = (double)usage->ru_utime.tv_sec + (double)usage->ru_stime.tv_sec +
                     (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
    double ticks = seconds * (double)sysconf(_SC_CLK_TCK);

    if (sharing > 1 && ticks < ROTATIONS * sharing)
        fprintf(run.request->out,
                "The command had %.0f clock ticks: too few for all of %u events on one counter\n",
                ticks, sharing);
}

static void run_finish(void)
{
    hwperf_cntr_t after;
    int generation;

    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 0}}, NULL);
    if (run_is_system()) {
        run_stop();
        return;
    }
    generation = ioctl(run.own, PIOCGETEVCTRS, &after);
    if (generation < 0)
        run_fail("counts");
    run.lost |= generation != run.own_generation;
    run_add(&run.sum, &after, &run.before);
}

/* The command's status, but not 0 if its counts are not whole. */
static int run_status(int status)
{
    int own = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

    if (!run.lost)
        return own;
    fprintf(stderr,
            "perfex: %s: the counters were taken for the whole system meanwhile; counts are not "
            "whole\n",
            run.request->command[0]);
    return own != 0 ? own : 1;
}

int run_command(const struct request *request, int fd)
{
    struct rusage usage = {.ru_minflt = 0};
    int status = 0, number;
    sigset_t set, mask;

    run.request = request;
    run.own = fd;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGALRM);
    if (request->signalled) {
        sigaddset(&set, SIGUSR1);
        sigaddset(&set, SIGUSR2);
    }
    sigprocmask(SIG_BLOCK, &set, &mask);
    if (!run_is_system())
        run.own_generation = ioctl(fd, PIOCGETEVCTRS, &run.before);
    run_start(&mask);
    if (request->period > 0 || request->family)
        run_alarm(request->period > 0 ? request->period : FAMILY_SECONDS);
    do
        number = sigwaitinfo(&set, NULL);
    while (!run_signal(number, &status, &usage));
    run_finish();
    run_heading(run.lost ? "Summary until the counters were taken away for execution of"
                         : "Summary for execution of");
    run_report(&run.sum);
    if (request->family)
        family_report(request, request->out);
    run_warn(&usage);
    return run_status(status);
}
