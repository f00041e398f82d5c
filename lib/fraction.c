/* SPDX-License-Identifier: BSD-2-Clause */
/* Quotients of products: see fraction.h. */
#include "lib/fraction.h"

/* Bit by bit: the compiler's own division of 128 bits lives in a library. The rest of a DIVISOR of
 * 2^127 and more would lose a bit: none is. */
static unsigned __int128 fraction_divide(unsigned __int128 value, unsigned __int128 divisor,
                                         unsigned __int128 *rest)
{
    unsigned __int128 quotient = 0, left = 0;

    for (unsigned bit = 0; bit < 128; bit++) {
        left = left << 1 | (uint64_t)(value >> 127);
        value <<= 1;
        quotient <<= 1;
        if (left >= divisor) {
            left -= divisor;
            quotient |= 1;
        }
    }
    *rest = left;
    return quotient;
}

uint64_t fraction_round(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
    unsigned __int128 divisor = (unsigned __int128)d * e, rest, quotient;

    if (divisor == 0)
        return 0;
    quotient = fraction_divide((unsigned __int128)a * (b * c), divisor, &rest);
    rest <<= 1;
    if (rest > divisor || (rest == divisor && (quotient & 1) != 0))
        quotient++;
    return quotient >> 64 != 0 ? UINT64_MAX : (uint64_t)quotient;
}

uint64_t fraction_power(unsigned decimals)
{
    uint64_t power = 1;

    while (decimals-- > 0)
        power *= 10;
    return power;
}
