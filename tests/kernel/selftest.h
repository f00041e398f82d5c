/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Self-tests that run inside the kernel, from the shell command `selftest`, in a thread of normal
 * priority. A name begins with the noun that is tested: "page-merge", "page-exhaustion". Tests can
 * be run again and again; what they cannot give back (an attached interrupt line) is static and is
 * set up by the first run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "lib/linker_set.h"

/* What a test needs to have to itself. Thread context. */
struct selftest_guard {
    const char *(*begin)(void); /* NULL, or why the test is skipped */
    void (*end)(void);
};
/* Performance counters: all are the test's own, and its threads'; skipped while anybody uses one.
 */
extern const struct selftest_guard selftest_counters;

struct selftest {
    const char *name;
    const char *summary;
    int (*run)(void); /* 0 passed; SELFTEST_SKIPPED; otherwise it failed, and has said why with
                         selftest_fail */
    bool only_named;  /* not among those that `selftest` without names runs */
    bool one_cpu; /* it and its threads stay on one CPU: it tests an order that several do not have
                   */
    const struct selftest_guard *guard; /* or NULL */
};

#define SELFTEST_SKIPPED 0x5c1b /* nothing that a test returns by mistake */

#define SELFTEST_MEMBER(test_ident, test_name, test_summary, test_only_named, test_one_cpu,        \
                        test_guard)                                                                \
    static int selftest_run_##test_ident(void);                                                    \
    static const struct selftest selftest_##test_ident = {                                         \
        (test_name),       (test_summary), selftest_run_##test_ident,                              \
        (test_only_named), (test_one_cpu), (test_guard)};                                          \
    LINKER_SET_ADD(selftests, selftest_##test_ident);                                              \
    static int selftest_run_##test_ident(void)

#define SELFTEST(test_ident, test_name, test_summary)                                              \
    SELFTEST_MEMBER(test_ident, test_name, test_summary, false, false, NULL)
#define SELFTEST_ONE_CPU(test_ident, test_name, test_summary)                                      \
    SELFTEST_MEMBER(test_ident, test_name, test_summary, false, true, NULL)
#define SELFTEST_COUNTERS(test_ident, test_name, test_summary)                                     \
    SELFTEST_MEMBER(test_ident, test_name, test_summary, false, false, &selftest_counters)
#define SELFTEST_COUNTERS_ONE_CPU(test_ident, test_name, test_summary)                             \
    SELFTEST_MEMBER(test_ident, test_name, test_summary, false, true, &selftest_counters)
/* Runs when it is named: it leaves traces, or can pass only under certain emulators. */
#define SELFTEST_ONLY_NAMED(test_ident, test_name, test_summary)                                   \
    SELFTEST_MEMBER(test_ident, test_name, test_summary, true, false, NULL)

/* Notes why a test fails and returns 1; the command prints it. */
int selftest_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Notes why a test cannot be run here and returns SELFTEST_SKIPPED. */
int selftest_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Notes a figure that is worth printing when the test passes. Returns 0. */
int selftest_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The text of the last of these, "" if none since selftest_clear. */
const char *selftest_reason(void);
void selftest_clear(void);

#define SELFTEST_CHECK(condition)                                                                  \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return selftest_fail("%s:%d: %s", __FILE__, __LINE__, #condition);                     \
    } while (0)

/* The same for two counts, which it prints. */
#define SELFTEST_EQUAL(is, ought)                                                                  \
    do {                                                                                           \
        unsigned long selftest_is = (unsigned long)(is), selftest_ought = (unsigned long)(ought);  \
        if (selftest_is != selftest_ought)                                                         \
            return selftest_fail("%s:%d: %s is %lu, not %lu", __FILE__, __LINE__, #is,             \
                                 selftest_is, selftest_ought);                                     \
    } while (0)
