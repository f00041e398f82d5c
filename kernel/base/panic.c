/* SPDX-License-Identifier: BSD-2-Clause */
/* The end, as everybody may call it; kernel/console/panic_report.c makes the report. */
#include "kernel/base/panic.h"
#include <stddef.h>

static volatile bool in_progress;

bool panic_in_progress(void)
{
    return in_progress;
}

void panic_begin(void)
{
    in_progress = true;
}

_Noreturn void panic(const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    panic_report(NULL, fmt, arguments);
    va_end(arguments);
}

_Noreturn void panic_trap(struct trap_frame *frame, const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    panic_report(frame, fmt, arguments);
    va_end(arguments);
}
