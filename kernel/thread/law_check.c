/* SPDX-License-Identifier: BSD-2-Clause */
/* Checking laws: everything stands still meanwhile. */
#include "kernel/thread/law_check.h"
#include "kernel/base/panic.h"
#include "kernel/thread/standstill.h"
#include "kernel/thread/thread.h"
#include "kernel/time/cpu_clock.h"
#include "lib/errno.h"

#define WATCH_NS 1000000000ull
#define TEXT     256

static uint64_t now; /* law_cycles() */

uint64_t law_cycles(void)
{
    return now;
}

static void law_check_note(struct law_check *check, const struct law *law, void *subject)
{
    struct law_finding finding = {.law = law, .subject = ""};

    finding.left = law->get_left(subject);
    finding.right = law->get_right(subject);
    finding.holds = law->relation == LAW_AT_MOST ? (int64_t)(finding.right - finding.left) >= 0
                                                 : finding.left == finding.right;
    check->subjects++;
    if (finding.holds && !check->told)
        return;
    if (law->subjects)
        law->subjects->name(subject, finding.subject, sizeof finding.subject);
    if (!finding.holds && check->violations++ == 0)
        check->first = finding;
    if (check->told)
        check->told(&finding, check->argument);
}

/* LAW, for each of its subjects. */
static void check_law(struct law_check *check, const struct law *law)
{
    void *subject = law->subjects ? law->subjects->next(NULL) : law->about;

    while (subject) {
        law_check_note(check, law, subject);
        subject = law->subjects ? law->subjects->next(subject) : NULL;
    }
}

/* What was put in is taken out before anybody else looks. */
static void check_planted(struct law_check *check)
{
    const struct law *law = check->only;
    void *subject = law->subjects ? law->subjects->next(NULL) : law->about;
    uint64_t more = 1, *word;

    if (!subject)
        return;
    word = law->word(subject);
    if (law->relation == LAW_AT_MOST)
        more += law->get_right(subject) - law->get_left(subject);
    *word += more;
    check_law(check, law);
    *word -= more;
}

static void check_still(void *argument)
{
    struct law_check *check = argument;
    const struct law *const *member;

    now = cpu_cycles(cpu_current());
    if (check->planted)
        check_planted(check);
    else if (check->only)
        check_law(check, check->only);
    else
        LINKER_SET_FOREACH (member, laws)
            check_law(check, *member);
}

/* By every CPU, for what only it can read. */
static void law_check_prepare_here(void)
{
    const struct law_preparation *const *member;

    LINKER_SET_FOREACH (member, law_preparations)
        (*member)->function();
}

#ifdef QUIPU_CHECKED
#define VIOLATION_PANICS true
#else
#define VIOLATION_PANICS false
#endif

int law_check(struct law_check *check)
{
    char text[TEXT];
    int error = standstill(law_check_prepare_here, check_still, check, &check->late);

    if (error != 0)
        return error;
    if (check->planted && check->subjects == 0)
        return -ENOENT;
    if (VIOLATION_PANICS && check->violations != 0) {
        law_describe(&check->first, text, sizeof text);
        panic("law: %s", text);
    }
    return 0;
}

static void law_check_watch(void *unused)
{
    (void)unused;
    for (;;) {
        struct law_check check = {.only = NULL};

        thread_sleep(WATCH_NS);
        law_check(&check); /* one that came to no standstill is made up for by the next */
    }
}

void law_watch(void)
{
    if (VIOLATION_PANICS &&
        thread_create("laws", THREAD_PRIORITY_HIGH, law_check_watch, NULL, NULL) != 0)
        panic("law: no memory for a thread");
}
