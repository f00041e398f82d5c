/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_list: see thread_list.h. */
#include "shell/commands/shared/thread_list.h"

#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "shell/output.h"

#define NEWCOMERS 8 /* room for threads that start between counting and copying */

int thread_list_take(struct thread_list *list, const char *name)
{
    for (;;) {
        size_t room = thread_snapshot(NULL, 0) + NEWCOMERS;

        list->infos = kmem_alloc(room * sizeof(*list->infos));
        if (list->infos == NULL) {
            shell_printf("%s: no memory for a list of %zu threads\n", name, room);
            list->count = 0;
            return -ENOMEM;
        }
        list->count = thread_snapshot(list->infos, room);
        if (list->count <= room)
            return 0;
        kmem_free(list->infos);
    }
}

void thread_list_free(struct thread_list *list)
{
    kmem_free(list->infos);
    list->infos = NULL;
    list->count = 0;
}

const struct thread_info *thread_list_find(const struct thread_list *list, uint32_t id)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->infos[i].id == id)
            return &list->infos[i];
    }
    return NULL;
}
