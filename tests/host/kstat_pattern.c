/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns for names of statistics: globs, regular expressions, operands of four parts. */
#include "stats/read/kstat_pattern.h"

#include "tests/host/kstat_check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool glob(const char *pattern, const char *text)
{
    return kstat_glob_match(pattern, strlen(pattern), text);
}

TEST(kstat_glob)
{
    CHECK(glob("", "") && !glob("", "a"));
    CHECK(glob("*", "") && glob("*", "anything") && glob("**", "x"));
    CHECK(glob("a*b*c", "aXXbYYc") && glob("a*b*c", "abbc") && !glob("a*b*c", "acb"));
    CHECK(glob("?", "a") && !glob("?", "") && !glob("?", "ab"));
    CHECK(glob("cpu[0-3]", "cpu2") && !glob("cpu[0-3]", "cpu4"));
    CHECK(glob("cpu[!0-3]", "cpu4") && !glob("cpu[!0-3]", "cpu0") && glob("[^a]", "b"));
    CHECK(glob("[]]", "]") && glob("[a-]", "-") && glob("[!]]", "x") && glob("a[", "a["));
    CHECK(glob("\\*", "*") && !glob("\\*", "x") && glob("a\\", "a\\"));
    CHECK(glob("pci 0\\x3a1", "pci 0:1") && glob("[\\x41-\\x43]", "B") && glob("\\xg", "xg"));
    CHECK(glob("*ab", "aaab") && !glob("*ab", "aaba"));
}

static int regex(const char *pattern, const char *text)
{
    struct kstat_regex *compiled;
    const char *error = NULL;
    int result = kstat_regex_compile(&compiled, pattern, strlen(pattern), &error);

    if (result != 0) {
        CHECK(result == -EINVAL && error != NULL);
        return -1;
    }
    result = kstat_regex_match(compiled, text);
    kstat_regex_free(compiled);
    return result;
}

TEST(kstat_regex_matches)
{
    static const struct {
        const char *pattern;
        const char *yes; /* separated by spaces; NULL: none */
        const char *no;
    } cases[] = {
        {"", "a", NULL},
        {"b", "abc b", "ac"},
        {"^b", "bc", "ab"},
        {"b$", "ab b", "ba"},
        {"^$", NULL, "a"},
        {"a.c", "abc xaxcx", "ac"},
        {"^ab*c$", "ac abc abbbc", "adc ab"},
        {"^ab+c$", "abc abbc", "ac"},
        {"^ab?c$", "ac abc", "abbc"},
        {"^(ab|cd|)x$", "abx cdx x", "bx abcdx"},
        {"^(a|b)*$", "a abba", "abc"},
        {"^a{2}$", "aa", "a aaa"},
        {"^a{2,}$", "aa aaaaa", "a"},
        {"^a{0,2}b{1,3}$", "b aab abbb", "aaab aa abbbb"},
        {"^a{0}b$", "b", "ab"},
        {"^(ab){2,3}$", "abab ababab", "ab abababab"},
        {"^((a*)*)*$", "a aaaa", "ab"},
        {"^[a-c]x[^0-9]$", "axb cxx", "dxb ax1"},
        {"^[]a]+$", "]a]", "b"},
        {"^[a\\.]$", "a . \\", "b"},
        {"^[a-]$", "a -", "b"},
        {"^a\\.b\\*$", "a.b*", "axb*"},
        {"^pci\\x3a[\\x30-\\x39]$", "pci:5", "pci;5 pci:a"},
        {"a|b|cc", "xa xb xccx", "c"},
        {"^(r|w)(len)?time$", "rtime wlentime", "xtime rlen"},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char words[64];

        snprintf(words, sizeof words, "%s", cases[i].yes != NULL ? cases[i].yes : "");
        for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
            CHECK_IS(regex(cases[i].pattern, word), 1);
        snprintf(words, sizeof words, "%s", cases[i].no != NULL ? cases[i].no : "");
        for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
            CHECK_IS(regex(cases[i].pattern, word), 0);
    }
    CHECK_IS(regex("^$", ""), 1);
}

TEST(kstat_regex_refuses)
{
    static const char *const wrong[] = {
        "*",
        "a|*",
        "(",
        ")",
        "(a",
        "a)",
        "[a",
        "[]",
        "[b-a]",
        "a{",
        "a{}",
        "a{1",
        "a{2,1}",
        "a{256}",
        "a{1,x}",
        "a{,3}",
        "{1}",
        "\\",
        "\\d",
        "^*",
        "$+",
        "[[:d:]]",
        "(((((((((a)))))))))",
        "a{255}{255}",
    };

    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_IS(regex(wrong[i], "a"), -1);
}

/* What takes a backtracking matcher for ever. */
TEST(kstat_regex_takes_no_time)
{
    char text[1001];

    memset(text, 'a', 1000);
    text[1000] = '\0';
    CHECK_IS(regex("^(a|a)*(a*)*(a|aa)+b$", text), 0);
    CHECK_IS(regex("(a?){50}a{50}", text), 1);
}

static bool operand(const char *text, const char *module, int instance, const char *name,
                    const char *statistic)
{
    struct kstat_pattern pattern;
    bool result;

    if (kstat_pattern_parse(&pattern, text, NULL) != 0)
        return false;
    result = kstat_pattern_match(&pattern, module, instance, name) &&
             kstat_pattern_match_part(&pattern, KSTAT_PATTERN_STATISTIC, statistic);
    kstat_pattern_free(&pattern);
    return result;
}

TEST(kstat_pattern_operands)
{
    struct kstat_pattern pattern;
    const char *error;

    CHECK(operand("", "a", 1, "b", "c"));
    CHECK(operand(":::", "a", 1, "b", "c"));
    CHECK(operand("cpu:0:sys:syscall", "cpu", 0, "sys", "syscall"));
    CHECK(!operand("cpu:0:sys:syscall", "cpu", 10, "sys", "syscall"));
    CHECK(operand("cpu:[1-3]", "cpu", 2, "sys", "x"));
    CHECK(operand("::/^int/:h*", "cpu", -2, "intrstat", "hard"));
    CHECK(operand(":-*", "cpu", -2, "intrstat", "hard"));
    CHECK(operand(":/^1.$/::", "cpu", 12, "x", "y") && !operand(":/^1.$/", "cpu", 1, "x", "y"));
    CHECK(operand("::/a:b/:c", "m", 0, "xa:bx", "c"));
    CHECK(operand("::a\\x3ab", "m", 0, "a:b", "c") && operand("::a\\:b", "m", 0, "a:b", "c"));
    CHECK_IS(kstat_pattern_parse(&pattern, "a:b:c:d:e", &error), -EINVAL);
    CHECK_TEXT(error, "more than four parts");
    CHECK_IS(kstat_pattern_parse(&pattern, "a:/b", &error), -EINVAL);
    CHECK_TEXT(error, "a regular expression needs a slash at its end");
    CHECK_IS(kstat_pattern_parse(&pattern, "/a/:/(/", &error), -EINVAL);
    CHECK_TEXT(error, "( without )");
    memset(&pattern, 0, sizeof pattern);
    CHECK_IS(kstat_pattern_parse_part(&pattern, KSTAT_PATTERN_NAME, "a:*", &error), 0);
    CHECK(kstat_pattern_match(&pattern, "x", 1, "a:b"));
    CHECK(!kstat_pattern_match(&pattern, "x", 1, "b:b"));
    kstat_pattern_free(&pattern);
}
