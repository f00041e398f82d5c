/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc: files whose text is made when they are read. A text is made anew at each read from its
 * beginning, and kept for those that follow. Who knows something registers it, from start-up on;
 * the structures stay. Thread context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct process;
struct proc_text;
struct file;
struct file_table;

/* Appends to what a file will say. Without memory the text is cut, and the read is -ENOMEM. */
void proc_printf(struct proc_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void proc_write(struct proc_text *text, const void *bytes, size_t size);

struct proc_file {
    const char *name; /* "meminfo"; of a process: "stat" */
    uint32_t mode;    /* 0444; of a link S_IFLNK | 0777 */
    /* PROCESS is NULL of files that are no process's. Of a link it is the target. 0 or an errno
     * for the read. */
    int (*make)(struct proc_text *text, struct process *process, void *argument);
    void *argument;
    /* What is written to it; NULL: -EACCES. 0 or an errno. */
    int (*store)(const char *text, size_t size, struct process *process, void *argument);
    struct proc_file *next; /* proc.c's, as what follows */
    uint32_t number;
};

/* The root of /proc, made once; NULL: out of memory. */
struct vnode *proc_mount(uint64_t device);

/* /proc/NAME, which may be "sys/kernel/pid_max": then there are those directories. Of two of one
 * name the first counts. */
void proc_register(struct proc_file *file);
/* /proc/PID/NAME of every process. -EEXIST. */
int proc_register_process(struct proc_file *file);
/* The descriptors of a process, with a reference, for /proc/PID/fd: 0, -EACCES, -ENOENT. The entry
 * itself is a registered directory. */
void proc_set_files(int (*files)(struct process *process, struct file_table **out));
/* Who owns /proc/PID: without this, root. */
void proc_set_owner(void (*owner)(struct process *process, uint32_t *uid, uint32_t *gid));
/* Who answers ioctls of /proc/PID itself: without this, nobody (-ENOTTY). IOCTL as in
 * fs/file/file.h. */
typedef long proc_ioctl(struct process *process, uint32_t command, uintptr_t argument, bool user);
void proc_set_ioctl(proc_ioctl *ioctl);
