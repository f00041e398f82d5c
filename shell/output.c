/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * output: see output.h. Formatted text is gathered in a small buffer, because format_to hands out
 * many short pieces, and each write to the console stays in one piece.
 */
#include "shell/output.h"

#include "kernel/time/clock.h"
#include "kernel/console/console.h"
#include "kernel/thread/thread.h"
#include "lib/format.h"
#include "lib/string.h"

bool shell_interrupted(void)
{
    return thread_interrupted();
}

bool shell_interrupt_aside(void)
{
    return thread_interruption_take();
}

void shell_interrupt_again(void)
{
    thread_interrupt(thread_current());
}

static void (*diverted)(const char *, size_t);

void shell_divert(void (*write)(const char *text, size_t length))
{
    diverted = write;
}

void shell_write(const char *text, size_t length)
{
    if (length > 0 && !thread_interrupted())
        (diverted ? diverted : console_write)(text, length);
}

void shell_gather_flush(struct shell_gather *gather)
{
    shell_write(gather->text, gather->used);
    gather->used = 0;
}

/* Write the whole lines, keep what has begun; if there is none, write everything. */
static void flush_lines(struct shell_gather *gather)
{
    size_t end = gather->used;

    while (end > 0 && gather->text[end - 1] != '\n')
        end--;
    if (end == 0)
        end = gather->used;
    shell_write(gather->text, end);
    gather->used -= end;
    memmove(gather->text, gather->text + end, gather->used);
}

void shell_gather_put(void *arg, const char *text, size_t length)
{
    struct shell_gather *gather = arg;

    while (length > 0) {
        size_t room = SHELL_GATHER_BYTES - gather->used, piece = length < room ? length : room;

        memcpy(gather->text + gather->used, text, piece);
        gather->used += piece;
        text += piece;
        length -= piece;
        if (gather->used == SHELL_GATHER_BYTES)
            flush_lines(gather);
    }
}

void shell_gather_printf(struct shell_gather *gather, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    format_to(shell_gather_put, gather, fmt, args);
    va_end(args);
}

void shell_printf(const char *fmt, ...)
{
    struct shell_gather gather;
    va_list args;

    gather.used = 0;
    va_start(args, fmt);
    format_to(shell_gather_put, &gather, fmt, args);
    va_end(args);
    shell_gather_flush(&gather);
}

bool shell_sleep_until(uint64_t deadline)
{
    uint64_t now = clock_now();

    while (now < deadline && !thread_interrupted()) {
        thread_sleep(deadline - now);
        now = clock_now();
    }
    return !thread_interrupted();
}
