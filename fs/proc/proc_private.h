/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of /proc: texts (proc_text.c), open files (proc_file.c), the tree (proc.c), processes'
 * directories (proc_process.c). */
#pragma once

#include <stdbool.h>
#include "fs/file/file.h"
#include "fs/proc/proc.h"
#include "fs/tree/tree.h"

struct process;

struct proc_text {
    char *text; /* kmem */
    size_t used, room;
    bool failed; /* out of memory */
};

int proc_text_make(struct proc_text *text, const struct proc_file *file, struct process *process);
void proc_text_end(struct proc_text *text);

/* What an open file is of: FILE's data becomes a reader. PROCESS, which may be NULL, is held by the
 * vnode. -EACCES: it cannot be written to. */
int proc_file_open(struct file *file, const struct proc_file *of, struct process *process);
/* meminfo and its kin; stat. */
void proc_add_system(void);
void proc_add_stat(void);
/* A link's target. */
long proc_file_readlink(const struct proc_file *file, struct process *process, char *buffer,
                        size_t size);
extern const struct file_ops proc_file_ops;

/* Names in /proc and in a process's directory: linked, never unlinked. */
const struct proc_file *proc_list_find(const struct proc_file *list, struct name name);

/* proc_descriptors.c: /proc/PID/fd, below PROCESS_NODE. */
int proc_descriptors_make(struct vnode *process_node, struct process *process, struct vnode **out);

/* proc_process.c: /proc/PID, of which ROOT is the parent; -ENOENT. And what they are in it, from
 * this cookie on, with the process's number added; *COOKIE may be less. */
#define PROC_PROCESSES ((uint64_t)1 << 40)
void proc_processes_boot(struct vnode *root);
int proc_process_lookup(struct name name, struct vnode **out);
int proc_process_readdir(uint64_t *cookie, directory_emit *emit, void *argument);
