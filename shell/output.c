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

struct shell_output *shell_output(void)
{
    return thread_current()->output;
}

void shell_output_begin(struct shell_output *output)
{
    output->outer = shell_output();
    thread_current()->output = output;
}

void shell_output_end(struct shell_output *output)
{
    thread_current()->output = output->outer;
}

void shell_output_use(struct shell_output *output)
{
    thread_current()->output = output;
}

static bool output_is_closed(void)
{
    const struct shell_output *output = shell_output();

    return output != NULL && output->closed;
}

bool shell_interrupted(void)
{
    return thread_interrupted() || output_is_closed();
}

bool shell_interrupt_aside(void)
{
    return thread_interruption_take() || output_is_closed();
}

void shell_interrupt_again(void)
{
    thread_interrupt(thread_current());
}

void shell_write_last(const char *text, size_t length)
{
    struct shell_output *output = shell_output();

    if (length == 0)
        return;
    if (output == NULL)
        console_write(text, length);
    else if (!output->closed)
        output->write(output, text, length);
}

void shell_write(const char *text, size_t length)
{
    if (!thread_interrupted())
        shell_write_last(text, length);
}

/* Of a message, at most so much. */
#define COMPLAINT_BYTES 256

void shell_complain(const char *fmt, ...)
{
    struct shell_output *output = shell_output();
    char text[COMPLAINT_BYTES];
    va_list args;
    size_t length;

    va_start(args, fmt);
    length = vformat(text, sizeof(text), fmt, args);
    va_end(args);
    if (length >= sizeof(text)) {
        length = sizeof(text) - 1;
        text[length - 1] = '\n';
    }
    if (thread_interrupted())
        return;
    if (output == NULL)
        console_write(text, length);
    else
        output->complain(output, text, length);
}

void shell_gather_flush(struct shell_gather *gather)
{
    shell_write(gather->text, gather->used);
    gather->used = 0;
}

/* Write the whole lines, keep what has begun; if there is none, write everything. */
static void output_flush_lines(struct shell_gather *gather)
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
            output_flush_lines(gather);
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

    while (now < deadline && !shell_interrupted()) {
        thread_sleep(deadline - now);
        now = clock_now();
    }
    return !shell_interrupted();
}
