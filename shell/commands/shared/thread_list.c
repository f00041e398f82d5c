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
        size_t room = thread_population() + NEWCOMERS;

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
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (list->infos[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->infos[low].id == id ? &list->infos[low] : NULL;
}
