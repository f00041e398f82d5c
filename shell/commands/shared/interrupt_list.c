/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupt lines as of one moment: see interrupt_list.h. */
#include "shell/commands/shared/interrupt_list.h"

#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "shell/output.h"

static void interrupt_list_read_row(struct interrupt_row *row)
{
    const struct interrupt_line *line = row->line;

    interrupt_service_collect(&row->service, line);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        row->on_cpu[cpu] = evcnt_cpu_value(&line->count, cpu);
    row->multiple = evcnt_value(&line->multiple);
    row->spurious = evcnt_value(&line->spurious);
    row->count = evcnt_value(&line->count);
}

/* Lines never go; those that come meanwhile stand at the end and are left out. A line behind
 * another one was attached after it. */
int interrupt_list_take(struct interrupt_list *list, const char *name)
{
    struct interrupt_line *line = NULL;

    list->count = 0;
    while ((line = interrupt_line_next(line)) != NULL)
        list->count++;
    list->rows = kmem_alloc((list->count + 1) * sizeof(*list->rows));
    if (list->rows == NULL) {
        shell_printf("%s: no memory for a list of %zu lines\n", name, list->count);
        list->count = 0;
        return -ENOMEM;
    }
    for (size_t i = 0; i < list->count; i++)
        list->rows[i].line = line = interrupt_line_next(line);
    for (size_t i = list->count; i-- > 0;)
        interrupt_list_read_row(&list->rows[i]);
    return 0;
}

void interrupt_list_free(struct interrupt_list *list)
{
    kmem_free(list->rows);
    list->rows = NULL;
    list->count = 0;
}

void interrupt_list_name(const struct interrupt_line *line, char *name)
{
    format(name, INTERRUPT_LIST_NAME, "%s %s", line->count.ev_group, line->count.ev_name);
}
