/* SPDX-License-Identifier: BSD-2-Clause */
/* process_list: see process_list.h. */
#include "shell/commands/shared/process_list.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "linux/program/program_facts.h"
#include "shell/output.h"

/* Twice the room; false without memory. */
static bool process_list_grow(struct process_list *list)
{
    size_t room = list->room != 0 ? 2 * list->room : 16;
    struct process_row *rows = kmem_alloc(room * sizeof *rows);

    if (rows == NULL)
        return false;
    if (list->count > 0)
        memcpy(rows, list->rows, list->count * sizeof *rows);
    kmem_free(list->rows);
    list->rows = rows;
    list->room = room;
    return true;
}

static void process_list_fill(struct process_row *row, const struct program_facts *facts)
{
    *row = (struct process_row){.id = facts->id,
                                .parent = facts->parent,
                                .uid = facts->euid,
                                .threads = facts->threads,
                                .cpu = facts->cpu,
                                .priority = facts->priority,
                                .state = facts->state,
                                .leads = facts->session == facts->id,
                                .started_ns = facts->started_ns,
                                .user_ns = program_user_ns(&facts->usage),
                                .system_ns = program_system_ns(&facts->usage),
                                .size = facts->sizes.bytes,
                                .resident = facts->sizes.resident * PAGE_SIZE};
    strlcpy(row->name, facts->name, sizeof row->name);
}

int process_list_take(struct process_list *list, const char *name)
{
    struct program_facts facts;

    for (uint32_t id = 0; program_facts_next(id, &facts); id = facts.id) {
        if (list->count == list->room && !process_list_grow(list)) {
            shell_printf("%s: no memory for a list of processes\n", name);
            process_list_free(list);
            return -ENOMEM;
        }
        process_list_fill(&list->rows[list->count++], &facts);
    }
    return 0;
}

void process_list_free(struct process_list *list)
{
    kmem_free(list->rows);
    *list = (struct process_list){.count = 0};
}
