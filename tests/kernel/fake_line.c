/* SPDX-License-Identifier: BSD-2-Clause */
/* The fake chip. Its lines stay attached for good, so they are static. */
#include "tests/kernel/fake_line.h"
#include <arch/interrupt_flag.h>
#include "lib/format.h"

#define LINES 4

static struct interrupt_line lines[LINES];
static struct interrupt_cells cells[LINES]; /* so that no test takes memory for good */
static char trace[64];
static unsigned trace_length;

void fake_trace_clear(void)
{
    trace_length = 0;
    trace[0] = '\0';
}

void fake_note(char letter)
{
    if (trace_length < sizeof trace - 1) {
        trace[trace_length++] = letter;
        trace[trace_length] = '\0';
    }
}

const char *fake_trace(void)
{
    return trace;
}

static void fake_line_acknowledge(struct interrupt_line *line)
{
    (void)line;
    fake_note('a');
}

static void fake_line_mask(struct interrupt_line *line)
{
    (void)line;
    fake_note('m');
}

static void fake_line_unmask(struct interrupt_line *line)
{
    (void)line;
    fake_note('u');
}

static const struct interrupt_chip chip = {
    "selftest", false, fake_line_acknowledge, fake_line_mask, fake_line_unmask, NULL};

struct interrupt_line *fake_line(unsigned number)
{
    struct interrupt_line *line = &lines[number];

    if (!line->attached) {
        format(line->name, sizeof line->name, "line %u", number);
        line->cells = &cells[number];
        interrupt_line_attach(line, &chip, number, number >= 2, "selftest", NULL);
    }
    return line;
}

static int fake_line_handle(void *argument)
{
    struct fake_device *device = argument;

    fake_note(device->letter);
    if (device->action)
        device->action();
    return device->claims;
}

int fake_establish(struct interrupt_line *line, int ipl, struct fake_device *device,
                   const char *name)
{
    return interrupt_establish(line, ipl, fake_line_handle, device, name, &device->handler);
}

void fake_remove(struct interrupt_line *line, struct fake_device *device)
{
    interrupt_disestablish(line, &device->handler);
}

void fake_interrupt(struct interrupt_line *line)
{
    uintptr_t state = interrupts_save();

    interrupt_dispatch(line);
    interrupts_restore(state);
}
