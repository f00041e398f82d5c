/* SPDX-License-Identifier: BSD-2-Clause */
/* selftest: runs the tests that are linked into the kernel. */
#include "kernel/selftest.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

struct tally {
    unsigned passed, failed;
};

static void run_test(const struct selftest *test, struct tally *tally)
{
    const char *reason;

    selftest_clear();
    if (test->run() == 0) {
        tally->passed++;
        shell_printf("%s ok\n", test->name);
        return;
    }
    tally->failed++;
    reason = selftest_reason();
    shell_printf("%s FAILED %s\n", test->name, *reason != '\0' ? reason : "no reason given");
}

static const struct selftest *find_test(const char *name)
{
    const struct selftest *const *member;

    LINKER_SET_FOREACH (member, selftests) {
        const struct selftest *test = *member;

        if (strcmp(test->name, name) == 0)
            return test;
    }
    return NULL;
}

static int list_tests(void)
{
    const struct selftest *const *member;

    LINKER_SET_FOREACH (member, selftests) {
        const struct selftest *test = *member;

        if (shell_interrupted())
            break;
        shell_printf("%-24s %s\n", test->name, test->summary);
    }
    return 0;
}

static void run_all(struct tally *tally)
{
    const struct selftest *const *member;

    LINKER_SET_FOREACH (member, selftests) {
        const struct selftest *test = *member;

        if (shell_interrupted())
            break;
        run_test(test, tally);
    }
}

static int run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "l"};
    struct tally tally = {0, 0};
    int option;

    while ((option = options_next(&options)) != OPTIONS_END)
        return option == 'l' ? list_tests() : STATUS_USAGE;
    for (int i = options.index; i < argc; i++) {
        if (find_test(argv[i]) == NULL) {
            shell_printf("%s: no test named \"%s\", see selftest -l\n", argv[0], argv[i]);
            return STATUS_USAGE;
        }
    }
    if (options.index >= argc)
        run_all(&tally);
    for (int i = options.index; i < argc && !shell_interrupted(); i++)
        run_test(find_test(argv[i]), &tally);
    shell_printf("%u passed, %u failed\n", tally.passed, tally.failed);
    return tally.failed == 0 ? 0 : 1;
}

static void complete(struct completion *completion, int argc, char **argv)
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
        .usage = "selftest [-l] [NAME...]",
        .description =
            "Without names, all of them. One line each: NAME ok, or NAME FAILED and why; then\n"
            "the sums. The status is 1 if one failed.\n"
            "  -l  list them instead\n"
            "\n"
            "Example: selftest -l\n",
        .run = run, .complete = complete);
