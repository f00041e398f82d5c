/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * string: see string.h. Plain C: eight bytes at a time where it pays, no machine instructions by
 * name. Compile with -ffreestanding -fno-tree-loop-distribute-patterns, or the compiler turns the
 * loops below into calls to the very functions they implement.
 */
#include "lib/string.h"

#include <stdint.h>

#define WORD sizeof(uint64_t)

/* Memory of any type may be read and written as words; unaligned ones through the packed type. */
typedef uint64_t __attribute__((may_alias)) word;
struct __attribute__((packed, may_alias)) loose_word {
    uint64_t value;
};

/* Forwards; also right for overlapping areas when to is below from. */
static void string_copy_up(unsigned char *to, const unsigned char *from, size_t size)
{
    if (size >= 2 * WORD) {
        while ((uintptr_t)to % WORD != 0) {
            *to++ = *from++;
            size--;
        }
        if ((uintptr_t)from % WORD == 0) {
            for (; size >= 4 * WORD; size -= 4 * WORD, to += 4 * WORD, from += 4 * WORD) {
                word a = ((const word *)from)[0], b = ((const word *)from)[1];
                word c = ((const word *)from)[2], d = ((const word *)from)[3];

                ((word *)to)[0] = a;
                ((word *)to)[1] = b;
                ((word *)to)[2] = c;
                ((word *)to)[3] = d;
            }
        }
        for (; size >= WORD; size -= WORD, to += WORD, from += WORD)
            *(word *)to = ((const struct loose_word *)from)->value;
    }
    while (size-- > 0)
        *to++ = *from++;
}

/* Backwards; for overlapping areas when to is above from. */
static void string_copy_down(unsigned char *to, const unsigned char *from, size_t size)
{
    to += size;
    from += size;
    if (size >= 2 * WORD) {
        while ((uintptr_t)to % WORD != 0) {
            *--to = *--from;
            size--;
        }
        for (; size >= WORD; size -= WORD) {
            to -= WORD;
            from -= WORD;
            *(word *)to = ((const struct loose_word *)from)->value;
        }
    }
    while (size-- > 0)
        *--to = *--from;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    string_copy_up(to, from, size);
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    if ((uintptr_t)to - (uintptr_t)from < size)
        string_copy_down(to, from, size);
    else
        string_copy_up(to, from, size);
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    unsigned char *p = to;
    word pattern = (unsigned char)byte * UINT64_C(0x0101010101010101);

    if (size >= 2 * WORD) {
        for (; (uintptr_t)p % WORD != 0; size--)
            *p++ = (unsigned char)byte;
        for (; size >= 8 * WORD; size -= 8 * WORD, p += 8 * WORD) {
            ((word *)p)[0] = pattern;
            ((word *)p)[1] = pattern;
            ((word *)p)[2] = pattern;
            ((word *)p)[3] = pattern;
            ((word *)p)[4] = pattern;
            ((word *)p)[5] = pattern;
            ((word *)p)[6] = pattern;
            ((word *)p)[7] = pattern;
        }
        for (; size >= WORD; size -= WORD, p += WORD)
            *(word *)p = pattern;
    }
    while (size-- > 0)
        *p++ = (unsigned char)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *p = a, *q = b;

    /* Skip the words that agree; the bytes decide. */
    while (size >= WORD &&
           ((const struct loose_word *)p)->value == ((const struct loose_word *)q)->value) {
        p += WORD;
        q += WORD;
        size -= WORD;
    }
    for (; size > 0; size--, p++, q++) {
        if (*p != *q)
            return *p - *q;
    }
    return 0;
}

size_t strlen(const char *s)
{
    const char *p = s;

    while (*p != '\0')
        p++;
    return (size_t)(p - s);
}

size_t strnlen(const char *s, size_t limit)
{
    const char *p = s;

    for (; limit > 0 && *p != '\0'; limit--)
        p++;
    return (size_t)(p - s);
}

int strcmp(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t limit)
{
    for (; limit > 0; limit--, a++, b++) {
        if (*a != *b || *a == '\0')
            return (unsigned char)*a - (unsigned char)*b;
    }
    return 0;
}

char *strchr(const char *s, int c)
{
    for (;; s++) {
        if (*s == (char)c)
            return (char *)(uintptr_t)s;
        if (*s == '\0')
            return NULL;
    }
}

char *strrchr(const char *s, int c)
{
    const char *found = NULL;

    do {
        if (*s == (char)c)
            found = s;
    } while (*s++ != '\0');
    return (char *)(uintptr_t)found;
}

size_t strlcpy(char *restrict to, const char *restrict from, size_t size)
{
    size_t length = strlen(from);

    if (size > 0) {
        size_t n = length < size ? length : size - 1;

        memcpy(to, from, n);
        to[n] = '\0';
    }
    return length;
}
