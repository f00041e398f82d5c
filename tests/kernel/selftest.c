/* SPDX-License-Identifier: BSD-2-Clause */
/* What a self-test has to say: why it fails, why it was skipped, or a figure. */
#include "tests/kernel/selftest.h"
#include <stdarg.h>
#include "lib/format.h"

static char reason[200];

int selftest_fail(const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    vformat(reason, sizeof reason, fmt, arguments);
    va_end(arguments);
    return 1;
}

int selftest_skip(const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    vformat(reason, sizeof reason, fmt, arguments);
    va_end(arguments);
    return SELFTEST_SKIPPED;
}

int selftest_note(const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    vformat(reason, sizeof reason, fmt, arguments);
    va_end(arguments);
    return 0;
}

const char *selftest_reason(void)
{
    return reason;
}

void selftest_clear(void)
{
    reason[0] = '\0';
}
