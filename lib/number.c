/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * number: see number.h. It is the reading half only; lib/format.h writes numbers.
 */
#include "lib/number.h"

#include <stdbool.h>

#include "lib/errno.h"

/* The digit's value, or 36 for what is no digit in any base. */
static unsigned number_digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'z')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'Z')
        return (unsigned)(c - 'A') + 10;
    return 36;
}

static bool number_append_digit(uint64_t *value, unsigned base, unsigned digit)
{
    uint64_t product;

    if (__builtin_mul_overflow(*value, (uint64_t)base, &product))
        return false;
    return !__builtin_add_overflow(product, (uint64_t)digit, value);
}

int parse_u64(const char *text, unsigned base, uint64_t *value)
{
    uint64_t result = 0;
    bool fits = true;

    if (base == 0) {
        base = 10;
        if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
            base = 16;
            text += 2;
        }
    }
    if (*text == '\0')
        return -EINVAL;
    for (; *text != '\0'; text++) {
        unsigned digit = number_digit_value(*text);

        if (digit >= base)
            return -EINVAL;
        fits = fits && number_append_digit(&result, base, digit);
    }
    if (!fits)
        return -ERANGE;
    *value = result;
    return 0;
}

int parse_decimal(const char *text, unsigned places, uint64_t *value)
{
    uint64_t result = 0;
    bool fits = true, seen = false;

    for (; *text >= '0' && *text <= '9'; text++) {
        seen = true;
        fits = fits && number_append_digit(&result, 10, number_digit_value(*text));
    }
    if (*text == '.') {
        for (text++; *text >= '0' && *text <= '9'; text++) {
            seen = true;
            if (places > 0) {
                places--;
                fits = fits && number_append_digit(&result, 10, number_digit_value(*text));
            }
        }
    }
    if (!seen || *text != '\0')
        return -EINVAL;
    for (; places > 0; places--)
        fits = fits && number_append_digit(&result, 10, 0);
    if (!fits)
        return -ERANGE;
    *value = result;
    return 0;
}
