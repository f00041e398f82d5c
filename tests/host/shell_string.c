/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of lib/string, compiled here under other names beside the C library's own. */
#include "tests/host/test.h"

#include <stdlib.h>
#include <string.h>

#define memcpy  lib_memcpy
#define memmove lib_memmove
#define memset  lib_memset
#define memcmp  lib_memcmp
#define strlen  lib_strlen
#define strnlen lib_strnlen
#define strcmp  lib_strcmp
#define strncmp lib_strncmp
#undef strchr
#define strchr lib_strchr
#undef strrchr
#define strrchr lib_strrchr
#define strlcpy lib_strlcpy
#define LIB_STRING_H
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t limit);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t limit);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);
size_t strlcpy(char *restrict to, const char *restrict from, size_t size);
#include "lib/string.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#undef strlen
#undef strnlen
#undef strcmp
#undef strncmp
#undef strchr
#undef strrchr

#define AREA 160

static void fill(unsigned char *area, unsigned seed)
{
    for (size_t i = 0; i < AREA; i++)
        area[i] = (unsigned char)(i * 7 + seed);
}

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

TEST(string_copies_at_every_alignment_and_length)
{
    unsigned char ours[AREA], theirs[AREA], source[AREA];

    fill(source, 3);
    for (size_t to = 0; to < 9; to++) {
        for (size_t from = 0; from < 9; from++) {
            for (size_t n = 0; n < 80; n++) {
                fill(ours, 9);
                fill(theirs, 9);
                CHECK(lib_memcpy(ours + to, source + from, n) == ours + to);
                memcpy(theirs + to, source + from, n);
                CHECK(memcmp(ours, theirs, AREA) == 0);
            }
        }
    }
}

TEST(string_moves_overlapping_areas)
{
    unsigned char ours[AREA], theirs[AREA];

    for (size_t to = 0; to < 40; to++) {
        for (size_t from = 0; from < 40; from++) {
            for (size_t n = 0; n < 100; n += 3) {
                fill(ours, 1);
                fill(theirs, 1);
                lib_memmove(ours + to, ours + from, n);
                memmove(theirs + to, theirs + from, n);
                CHECK(memcmp(ours, theirs, AREA) == 0);
            }
        }
    }
}

TEST(string_sets_and_compares_memory)
{
    unsigned char ours[AREA], theirs[AREA];

    for (size_t to = 0; to < 9; to++) {
        for (size_t n = 0; n < 150; n++) {
            fill(ours, 5);
            fill(theirs, 5);
            CHECK(lib_memset(ours + to, 0x1a5, n) == ours + to);
            memset(theirs + to, 0xa5, n);
            CHECK(memcmp(ours, theirs, AREA) == 0);
        }
    }
    for (size_t at = 0; at < 40; at++) {
        fill(ours, 0);
        fill(theirs, 0);
        theirs[at] ^= 0x80;
        for (size_t n = 0; n < 41; n++)
            CHECK(sign(lib_memcmp(ours, theirs, n)) == sign(memcmp(ours, theirs, n)));
    }
}

TEST(string_functions_on_strings)
{
    static const char *const words[] = {"", "a", "ab", "abc", "abd", "b", "\xff", "abcabc"};
    char buf[4];

    for (size_t i = 0; i < 8; i++) {
        CHECK(lib_strlen(words[i]) == strlen(words[i]));
        for (size_t n = 0; n < 8; n++)
            CHECK(lib_strnlen(words[i], n) == strnlen(words[i], n));
        CHECK(lib_strchr(words[i], 'b') == strchr(words[i], 'b'));
        CHECK(lib_strchr(words[i], 0) == strchr(words[i], 0));
        CHECK(lib_strrchr(words[i], 'b') == strrchr(words[i], 'b'));
        CHECK(lib_strrchr(words[i], 0) == strrchr(words[i], 0));
        for (size_t j = 0; j < 8; j++) {
            CHECK(sign(lib_strcmp(words[i], words[j])) == sign(strcmp(words[i], words[j])));
            for (size_t n = 0; n < 5; n++)
                CHECK(sign(lib_strncmp(words[i], words[j], n)) ==
                      sign(strncmp(words[i], words[j], n)));
        }
    }
    CHECK(lib_strlcpy(buf, "abcdef", sizeof(buf)) == 6);
    CHECK(strcmp(buf, "abc") == 0);
    CHECK(lib_strlcpy(buf, "xy", sizeof(buf)) == 2);
    CHECK(strcmp(buf, "xy") == 0);
    CHECK(lib_strlcpy(buf, "q", 0) == 1);
    CHECK(strcmp(buf, "xy") == 0);
}
