/* SPDX-License-Identifier: BSD-2-Clause */
/* ecadmin: which events the whole system counts, ecadmin(1). What it has begun goes on after it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "user/perfex/counters.h"
#include "user/perfex/event.h"
#include "user/perfex/programs.h"
#include "user/perfex/system.h"

#define USAGE 2
#define WHAT  80

static struct {
    bool enable[HWPERF_EVENTMAX], disable[HWPERF_EVENTMAX];
    bool change, all, known, list, release;
} options;

static int own = -1; /* our own counters: they tell which events there are */

static _Noreturn void ecadmin_usage(void)
{
    fprintf(stderr,
            "usage: ecadmin [-DMT] [-l] [-a | -e event[,event ...]] [-d event[,event ...]]\n"
            "       ecadmin [-DMT] [-l] -r\n"
            "       ecadmin -e '?'\n");
    exit(USAGE);
}

static _Noreturn void ecadmin_fail(const char *what, const char *why)
{
    fprintf(stderr, "ecadmin: %s: %s\n", what, why);
    exit(1);
}

static _Noreturn void ecadmin_fail_event(int event, const char *why)
{
    char what[WHAT];

    snprintf(what, sizeof what, "event %d (%s)", event, perfex_event_name(event));
    ecadmin_fail(what, why);
}

/* What a call that changes something said. */
static _Noreturn void ecadmin_refused(void)
{
    if (errno == EPERM)
        ecadmin_fail("counters of the system", "only root may change them");
    if (errno == EBUSY)
        ecadmin_fail("counters of the system", "somebody else counts the whole system");
    ecadmin_fail("counters of the system", strerror(errno));
}

static bool ecadmin_has(int event)
{
    if (perfex_has(own, event) || errno == EBUSY)
        return true;
    if (errno != EINVAL)
        ecadmin_fail("counters", strerror(errno));
    return false;
}

static void ecadmin_open(void)
{
    own = perfex_open(getpid());
    if (own < 0)
        ecadmin_fail("/proc", strerror(errno));
}

static void ecadmin_words(char *text, bool *events)
{
    char *left, *word = strtok_r(text, ",", &left);

    if (!word)
        ecadmin_usage();
    options.change = true;
    for (; word; word = strtok_r(NULL, ",", &left)) {
        int event = perfex_event_find(word);

        if (event < 0) {
            fprintf(stderr, "ecadmin: no event %s\n", word);
            exit(USAGE);
        }
        events[event] = true;
    }
}

static void ecadmin_enable(char *text)
{
    if (strcmp(text, "?") == 0)
        options.known = true;
    else if (strcmp(text, "*") == 0)
        options.all = true;
    else
        ecadmin_words(text, options.enable);
}

static void ecadmin_option(int option)
{
    if (option == 'a')
        options.all = true;
    else if (option == 'e')
        ecadmin_enable(optarg);
    else if (option == 'd')
        ecadmin_words(optarg, options.disable);
    else if (option == 'l')
        options.list = true;
    else if (option == 'r')
        options.release = true;
    else if (option == 'D')
        system_tell();
    else if (option != 'M' && option != 'T') /* all CPUs of a machine are alike here */
        ecadmin_usage();
}

static void ecadmin_options(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "+aDd:e:lMrT")) >= 0)
        ecadmin_option(option);
    options.change |= options.all;
    if (optind < argc || (options.release && options.change) ||
        !(options.change || options.known || options.list || options.release))
        ecadmin_usage();
}

static void ecadmin_print(int event)
{
    printf("%2d %-22s %s\n", event, perfex_event_mnemonic(event), perfex_event_name(event));
}

static void ecadmin_known(void)
{
    for (int i = 0; i < HWPERF_EVENTMAX; i++)
        if (ecadmin_has(i))
            ecadmin_print(i);
}

/* Whether the counters are in system mode; then CONTROL is what they count. */
static bool ecadmin_control(hwperf_eventctrl_t *control)
{
    memset(control, 0, sizeof *control);
    if (system_control(control) >= 0)
        return true;
    if (errno != EINVAL)
        ecadmin_refused();
    return false;
}

static void ecadmin_list(void)
{
    hwperf_eventctrl_t control;

    if (!ecadmin_control(&control))
        ecadmin_fail("no events are enabled", "the counters are not in system mode");
    for (int i = 0; i < HWPERF_EVENTMAX; i++)
        if (perfex_wants(&control, i))
            ecadmin_print(i);
}

static void ecadmin_add(hwperf_profevctrarg_t *args)
{
    for (int i = 0; i < HWPERF_EVENTMAX; i++) {
        if (!options.all && !options.enable[i])
            continue;
        if (ecadmin_has(i))
            perfex_want(args, i, SYSTEM_MODES);
        else if (options.enable[i])
            ecadmin_fail_event(i, "not supported by this processor");
    }
}

static void ecadmin_remove(hwperf_profevctrarg_t *args)
{
    for (int i = 0; i < HWPERF_EVENTMAX; i++) {
        if (!options.disable[i])
            continue;
        if (!perfex_wants(&args->hwp_evctrargs, i))
            ecadmin_fail_event(i, "not enabled");
        args->hwp_evctrargs.hwp_evctrl[i].hwperf_spec = 0;
    }
}

/* Without any event there is no system mode. */
static void ecadmin_change(void)
{
    hwperf_profevctrarg_t args = {.hwp_ovflw_sig = 0};
    bool on = ecadmin_control(&args.hwp_evctrargs);
    int result;

    ecadmin_add(&args);
    ecadmin_remove(&args);
    ioctl(own, PIOCRELEVCTRS);
    if (perfex_most_sharing(&args.hwp_evctrargs) == 0)
        result = system_release();
    else
        result = on ? system_change(&args) : system_begin(&args);
    if (result < 0)
        ecadmin_refused();
}

int ecadmin_main(int argc, char **argv)
{
    ecadmin_options(argc, argv);
    ecadmin_open();
    if (options.known)
        ecadmin_known();
    else if (options.release && system_release() < 0)
        ecadmin_refused();
    else if (options.change)
        ecadmin_change();
    if (options.list && !options.known)
        ecadmin_list();
    if (fflush(stdout) != 0)
        ecadmin_fail("output", strerror(errno));
    return 0;
}
