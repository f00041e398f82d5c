/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_list: all threads, each as of one moment, in memory of their own, for commands that show
 * them.
 */
#ifndef SHELL_THREAD_LIST_H
#define SHELL_THREAD_LIST_H

#include "kernel/thread/thread.h"

struct thread_list {
    size_t count;
    struct thread_info *infos; /* in order of creation, by increasing id */
};

/* Fill the list: 0, or -ENOMEM with a message that begins with NAME. */
int thread_list_take(struct thread_list *list, const char *name);
void thread_list_free(struct thread_list *list);

/* The thread of that id, or NULL. */
const struct thread_info *thread_list_find(const struct thread_list *list, uint32_t id);

#endif
