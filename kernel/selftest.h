/* SPDX-License-Identifier: BSD-2-Clause */
/* Self-tests that run inside the kernel, from the shell command `selftest`. */
#pragma once

#include "lib/linker_set.h"

struct selftest {
    const char *name;
    const char *summary;
    int (*run)(void); /* 0 passed; otherwise it failed, and has said why with selftest_fail */
};

#define SELFTEST(test_ident, test_name, test_summary)                                                                  \
    static int selftest_run_##test_ident(void);                                                                        \
    static const struct selftest selftest_##test_ident = {(test_name), (test_summary), selftest_run_##test_ident};     \
    LINKER_SET_ADD(selftests, selftest_##test_ident);                                                                  \
    static int selftest_run_##test_ident(void)

/* Notes why a test fails and returns 1; the command prints it. */
int selftest_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The text of the last selftest_fail, "" if none since selftest_clear. */
const char *selftest_reason(void);
void selftest_clear(void);

#define SELFTEST_CHECK(condition)                                                                                      \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return selftest_fail("%s:%d: %s", __FILE__, __LINE__, #condition);                                        \
    } while (0)
