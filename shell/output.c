/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * output: see output.h. Formatted text is gathered in a small buffer, because format_to hands out
 * many short pieces and the console takes a lock for each write.
 */
#include "shell/output.h"

#include "kernel/clock.h"
#include "kernel/console.h"
#include "kernel/thread.h"
#include "lib/format.h"
#include "lib/string.h"

#define GATHER_BYTES 128

struct gather {
    size_t used;
    char text[GATHER_BYTES];
};

bool shell_interrupted(void)
{
    return console_interrupted();
}

void shell_write(const char *text, size_t length)
{
    if (length > 0 && !console_interrupted())
        console_write(text, length);
}

void shell_put(void *arg, const char *text, size_t length)
{
    (void)arg;
    shell_write(text, length);
}

static void flush(struct gather *gather)
{
    shell_write(gather->text, gather->used);
    gather->used = 0;
}

static void gather_put(void *arg, const char *text, size_t length)
{
    struct gather *gather = arg;

    if (length > GATHER_BYTES - gather->used)
        flush(gather);
    if (length > GATHER_BYTES) {
        shell_write(text, length);
        return;
    }
    memcpy(gather->text + gather->used, text, length);
    gather->used += length;
}

void shell_printf(const char *fmt, ...)
{
    struct gather gather;
    va_list args;

    gather.used = 0;
    va_start(args, fmt);
    format_to(gather_put, &gather, fmt, args);
    va_end(args);
    flush(&gather);
}

bool shell_sleep_until(uint64_t deadline)
{
    uint64_t now = clock_now();

    while (now < deadline && !console_interrupted()) {
        thread_sleep(deadline - now);
        now = clock_now();
    }
    return !console_interrupted();
}
