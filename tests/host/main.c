/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the host's unit tests: all, or those whose name contains the argument; with a '/' in it,
 * those whose file's path does. */
#include "tests/host/test.h"

#include <quipu_host.h>
#include <stdio.h>
#include <string.h>

static bool failed; /* in the test that runs */

static void complain(const char *file, int line)
{
    failed = true;
    fprintf(stderr, "%s:%d: ", file, line);
}

void test_check(bool holds, const char *file, int line, const char *what)
{
    if (holds)
        return;
    complain(file, line);
    fprintf(stderr, "%s\n", what);
}

void test_check_equal(uint64_t a, uint64_t b, const char *file, int line, const char *what)
{
    if (a == b)
        return;
    complain(file, line);
    fprintf(stderr, "%s: %llu, %llu\n", what, (unsigned long long)a, (unsigned long long)b);
}

void test_check_text(const char *a, const char *b, const char *file, int line, const char *what)
{
    if (strcmp(a, b) == 0)
        return;
    complain(file, line);
    fprintf(stderr, "%s:\n<<%s>>\n<<%s>>\n", what, a, b);
}

void test_check_panic(void (*f)(void *), void *arg, const char *text, const char *file, int line,
                      const char *what)
{
    if (!host_panics(f, arg)) {
        complain(file, line);
        fprintf(stderr, "%s: no panic, expected \"%s\"\n", what, text);
    } else if (strstr(host_panic_message(), text) == NULL) {
        complain(file, line);
        fprintf(stderr, "%s: panic \"%s\", expected \"%s\"\n", what, host_panic_message(), text);
    }
}

static bool is_chosen(const struct test *test, const char *by)
{
    return strstr(strchr(by, '/') != NULL ? test->file : test->name, by) != NULL;
}

int main(int argc, char **argv)
{
    const struct test *const *member;
    unsigned passed = 0;
    unsigned broken = 0;

    LINKER_SET_FOREACH (member, tests) {
        if (argc > 1 && !is_chosen(*member, argv[1]))
            continue;
        failed = false;
        host_reset();
        (*member)->run();
        if (failed) {
            fprintf(stderr, "%s: %s failed\n", (*member)->file, (*member)->name);
            broken++;
        } else {
            passed++;
        }
    }
    host_reset();
    printf("%u passed, %u failed\n", passed, broken);
    return broken != 0 || passed == 0;
}
