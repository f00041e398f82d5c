/* SPDX-License-Identifier: BSD-2-Clause */
/* The log, as everybody may write into it; kernel/console/log_ring.c keeps it. */
#include "kernel/base/log.h"

void log_printf(const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    log_vprintf(fmt, arguments);
    va_end(arguments);
}
