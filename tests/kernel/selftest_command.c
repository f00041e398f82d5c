/* SPDX-License-Identifier: BSD-2-Clause */
/* selftest: runs the tests that are linked into the kernel, and watches that they give all memory
 * back. */
#include "tests/kernel/selftest.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/law_check.h"
#include "kernel/memory/page.h"
#include "kernel/lock/spinlock.h"
#include "kernel/thread/thread.h"
#include "lib/format.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/job.h"
#include "shell/options.h"
#include "shell/output.h"

#define CLASSES_MAX 16
#define ATTEMPTS    6

struct tally {
    unsigned passed, failed, skipped;
    bool stops; /* at the first that fails */
};

/* What a test may not change. */
struct holdings {
    uint64_t pages;   /* handed out, but not to the small objects */
    uint64_t objects; /* small objects handed out */
    size_t threads;
};

/* Commands in the background take and give memory and threads beside a test. */
static bool others_run(void)
{
    struct job_info job;

    for (unsigned i = 1; i <= JOBS_MAX; i++)
        if (job_get(i, &job) && !job.done && !job.own)
            return true;
    return false;
}

static struct holdings take_stock(void)
{
    struct kmem_class_stats classes[CLASSES_MAX];
    struct page_stats page;
    struct holdings held = {0, 0, thread_snapshot(NULL, 0)};
    size_t count = kmem_stats_get(classes, CLASSES_MAX);

    page_stats_get(&page);
    held.pages = page.total - page.free;
    for (size_t i = 0; i < count && i < CLASSES_MAX; i++) {
        held.objects += classes[i].in_use;
        if (classes[i].size != 0)
            held.pages -= classes[i].pages;
    }
    return held;
}

/*
 * The kernel keeps some memory for next time (page tables, a few stacks, room for more counters),
 * so only a test that takes more each time it is run has lost it. Fewer threads than before are
 * commands in the background that have ended meanwhile.
 */
static int run_and_take_stock(const struct selftest *test)
{
    int result = 0;

    for (unsigned attempt = 1; attempt <= ATTEMPTS; attempt++) {
        struct holdings before = take_stock(), after;
        bool alone = !others_run();

        result = test->run();
        after = take_stock();
        if (result != 0 || !alone ||
            (after.pages <= before.pages && after.objects <= before.objects &&
             after.threads <= before.threads))
            return result;
        if (attempt == ATTEMPTS)
            return selftest_fail(
                "lost %ld pages, %ld objects, %ld threads", (long)(after.pages - before.pages),
                (long)(after.objects - before.objects), (long)(after.threads - before.threads));
    }
    return result;
}

/* What the test needs is disturbed for nobody, and nobody disturbs the test. */
static int run_guarded(const struct selftest *test)
{
    const char *why;
    int result;

    if (!test->guard)
        return run_and_take_stock(test);
    why = test->guard->begin();
    if (why)
        return selftest_skip("%s", why);
    result = run_and_take_stock(test);
    test->guard->end();
    return result;
}

static void run_test(const struct selftest *test, struct tally *tally)
{
    uint32_t affinity = thread_affinity(thread_current());
    const char *verdict, *reason;
    int result;

    selftest_clear();
    if (test->one_cpu)
        thread_set_affinity(thread_current(), 1u << thread_cpu());
    result = run_guarded(test);
    if (test->one_cpu)
        thread_set_affinity(thread_current(), affinity);
    reason = selftest_reason();
    if (result == 0) {
        tally->passed++;
        verdict = "ok";
    } else if (result == SELFTEST_SKIPPED) {
        tally->skipped++;
        verdict = "skipped";
    } else {
        tally->failed++;
        verdict = "FAILED";
        if (*reason == '\0')
            reason = "no reason given";
    }
    shell_printf("%s %s%s%s\n", test->name, verdict, *reason != '\0' ? " " : "", reason);
}

/* NAME is the test's whole name, or the part of it before a hyphen: many do, but not those that,
 * say, panic on purpose. */
static bool is_named(const struct selftest *test, const char *name)
{
    size_t length = strlen(name);

    return strncmp(test->name, name, length) == 0 && length > 0 &&
           (test->name[length] == '\0' || (test->name[length] == '-' && !test->only_named));
}

static bool name_known(const char *name)
{
    const struct selftest *const *member;

    LINKER_SET_FOREACH (member, selftests) {
        if (is_named(*member, name))
            return true;
    }
    return false;
}

static int list_tests(void)
{
    const struct selftest *const *member;

    LINKER_SET_FOREACH (member, selftests) {
        const struct selftest *test = *member;

        if (shell_interrupted())
            break;
        shell_printf("%-24s %s%s\n", test->name, test->summary,
                     test->only_named ? " (only when named)" : "");
    }
    return 0;
}

/* NAME is NULL for all. */
static void run_tests(const char *name, struct tally *tally)
{
    const struct selftest *const *member;

    LINKER_SET_FOREACH (member, selftests) {
        const struct selftest *test = *member;

        if (shell_interrupted() || (tally->stops && tally->failed > 0))
            break;
        if (name != NULL ? is_named(test, name) : !test->only_named)
            run_test(test, tally);
    }
}

/* Tests have state of their own, and one reason for failing: a second selftest has to wait. */
static struct spinlock busy_lock = SPINLOCK_INITIALIZER("selftest");
static bool busy;

/* Makes the tests busy or free; whether they were. */
static bool set_busy(bool now)
{
    uintptr_t state = spinlock_acquire(&busy_lock);
    bool before = busy;

    busy = now;
    spinlock_release(&busy_lock, state);
    return before;
}

/* Whether what the tests made and took away again is still in every count. */
static bool laws_hold(const char *name)
{
    struct law_check check = {.only = NULL};
    char text[256];

    if (law_check(&check) != 0) {
        shell_printf("%s: CPU %u came to no standstill\n", name, check.late);
        return false;
    }
    if (check.violations == 0)
        return true;
    law_describe(&check.first, text, sizeof text);
    shell_printf("%s: law violated: %s\n", name, text);
    return false;
}

/* The tests named by the words, or all. */
static int run_named(const char *name, bool stops, int argc, char **argv)
{
    struct tally tally = {.stops = stops};
    char skipped[24] = "";
    bool lawful;

    if (argc == 0)
        run_tests(NULL, &tally);
    for (int i = 0; i < argc; i++)
        run_tests(argv[i], &tally);
    if (tally.skipped > 0)
        format(skipped, sizeof(skipped), ", %u skipped", tally.skipped);
    lawful = laws_hold(name);
    shell_printf("%u passed, %u failed%s\n", tally.passed, tally.failed, skipped);
    return tally.failed == 0 && lawful ? 0 : 1;
}

static int selftest_command_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "lx"};
    bool stops = false;
    int option, status;

    while ((option = options_next(&options)) != OPTIONS_END)
        if (option == 'l')
            return list_tests();
        else if (option == 'x')
            stops = true;
        else
            return STATUS_USAGE;
    for (int i = options.index; i < argc; i++) {
        if (!name_known(argv[i])) {
            shell_printf("%s: no test named \"%s\", see selftest -l\n", argv[0], argv[i]);
            return STATUS_USAGE;
        }
    }
    if (set_busy(true)) {
        shell_printf("%s: another one is running\n", argv[0]);
        return 1;
    }
    status = run_named(argv[0], stops, argc - options.index, argv + options.index);
    set_busy(false);
    return status;
}

static void selftest_command_complete(struct completion *completion, int argc, char **argv)
{
    const struct selftest *const *member;

    (void)argc;
    (void)argv;
    LINKER_SET_FOREACH (member, selftests) {
        const struct selftest *test = *member;

        completion_add(completion, test->name);
    }
}

COMMAND(selftest, .name = "selftest", .summary = "run the kernel's own tests",
        .usage = "selftest [-l | -x] [NAME...]",
        .description =
            "Without names, all but those that run only when named. NAME is a test, or what\n"
            "stands before the hyphen for all tests of that kind. One line each: NAME ok, or\n"
            "NAME FAILED and why, or NAME skipped and why; then the totals. A test that keeps\n"
            "memory or threads has failed. At the end all laws are checked (see laws). The\n"
            "status is 1 if a test failed, a law is violated, or the tests are running already.\n"
            "  -l  list them instead\n"
            "  -x  stop at the first that fails\n"
            "\n"
            "Example: selftest page\n",
        .run = selftest_command_run, .complete = selftest_command_complete);
