/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interrupt_list: all interrupt lines and what was counted of them, read before anything is
 * printed, for commands that show them: printing moves the serial line's counts. Children are read
 * before their parents (the histogram, the shares of CPUs and the spurious ones of a line before
 * its count, lines behind another one before that one), so that none exceeds its parent in a list.
 */
#ifndef SHELL_INTERRUPT_LIST_H
#define SHELL_INTERRUPT_LIST_H

#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/interrupt.h"

struct interrupt_row {
    const struct interrupt_line *line;
    uint64_t count, spurious, multiple;
    uint64_t on_cpu[CPU_MAX]; /* below cpu_count() */
    struct histogram service;
};

struct interrupt_list {
    size_t count;
    struct interrupt_row *rows; /* in order of attachment */
};

/* Fill the list: 0, or -ENOMEM with a message that begins with NAME. */
int interrupt_list_take(struct interrupt_list *list, const char *name);
void interrupt_list_free(struct interrupt_list *list);

/* Group and name of LINE: "ioapic0 pin 4". */
#define INTERRUPT_LIST_NAME 64
void interrupt_list_name(const struct interrupt_line *line, char *name);

#endif
