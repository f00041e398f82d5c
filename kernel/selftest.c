/* SPDX-License-Identifier: BSD-2-Clause */
/* The reason that a self-test gives for failing. */
#include "kernel/selftest.h"
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

const char *selftest_reason(void)
{
    return reason;
}

void selftest_clear(void)
{
    reason[0] = '\0';
}
