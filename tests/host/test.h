/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The harness of the host's unit tests: TEST(name) { ... } in any file of this folder, checks that
 * report where they failed and let the test go on. Each test begins after host_reset().
 */
#ifndef TESTS_HOST_TEST_H
#define TESTS_HOST_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/linker_set.h"

struct test {
    const char *file;
    const char *name;
    void (*run)(void);
};

#define TEST(ident)                                                                                \
    static void test_##ident(void);                                                                \
    static const struct test test_entry_##ident = {__FILE__, #ident, test_##ident};                \
    LINKER_SET_ADD(tests, test_entry_##ident);                                                     \
    static void test_##ident(void)

void test_check(bool holds, const char *file, int line, const char *what);
void test_check_equal(uint64_t a, uint64_t b, const char *file, int line, const char *what);
void test_check_text(const char *a, const char *b, const char *file, int line, const char *what);
/* F(arg) must panic with a message that contains TEXT, and leave no lock held. */
void test_check_panic(void (*f)(void *), void *arg, const char *text, const char *file, int line,
                      const char *what);

#define CHECK(condition)          test_check((condition), __FILE__, __LINE__, #condition)
#define CHECK_EQUAL(a, b)         test_check_equal((a), (b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_TEXT(a, b)          test_check_text((a), (b), __FILE__, __LINE__, #a " is " #b)
#define CHECK_PANIC(f, arg, text) test_check_panic((f), (arg), (text), __FILE__, __LINE__, #f)

#endif
