/* SPDX-License-Identifier: BSD-2-Clause */
/* process_list: all processes that run programs, for commands that show them. */
#ifndef SHELL_PROCESS_LIST_H
#define SHELL_PROCESS_LIST_H

#include <stddef.h>
#include "kernel/thread/thread.h"

struct process_row {
    uint32_t id, parent, uid, threads;
    uint32_t cpu;
    unsigned priority;
    char state; /* R S T Z */
    bool leads; /* its session */
    uint64_t started_ns, user_ns, system_ns;
    uint64_t size, resident; /* bytes */
    char name[THREAD_NAME_LENGTH];
};

struct process_list {
    size_t count, room;
    struct process_row *rows; /* by increasing id */
};

/* Fill the list, which is all 0: 0, or -ENOMEM with a message that begins with NAME. */
int process_list_take(struct process_list *list, const char *name);
void process_list_free(struct process_list *list);

#endif
