/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * File descriptors: a process's table of open files, or that of several (CLONE_FILES). The lowest
 * free number is found in a few steps, however many are taken. LIMIT is RLIMIT_NOFILE: numbers are
 * below it. Thread context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct file;
struct file_table;

#define FILE_TABLE_MAX 524288u /* descriptors, whatever the limit */

struct file_table *file_table_create(void); /* one reference; NULL: out of memory */
/* fork: a table of its own with the same files. NULL: out of memory. */
struct file_table *file_table_copy(struct file_table *table);
struct file_table *file_table_hold(struct file_table *table);
/* The last one closes all. */
void file_table_release(struct file_table *table);

/* The file, with a reference (file_release); NULL: -EBADF. */
struct file *file_table_get(struct file_table *table, int descriptor);
/*
 * FILE (whose reference it takes over, also on failure) under the lowest free number from LOWEST
 * on: the number; -EMFILE, -ENOMEM; -EINVAL: LOWEST is not below LIMIT (F_DUPFD).
 */
int file_table_add(struct file_table *table, struct file *file, int lowest, bool close_on_exec,
                   uint32_t limit);
/* The same under NUMBER, closing what it was: dup2, dup3. NUMBER; -EBADF: not below LIMIT. */
int file_table_set(struct file_table *table, struct file *file, int number, bool close_on_exec,
                   uint32_t limit);
/* Two at once, for pipes: 0, or both references are gone. */
int file_table_add_pair(struct file_table *table, struct file *files[2], bool close_on_exec,
                        uint32_t limit, int numbers[2]);
int file_table_close(struct file_table *table, int descriptor); /* -EBADF */
/* close_range(2): FIRST to LAST, both included; ON_EXEC only marks them. */
void file_table_close_range(struct file_table *table, uint32_t first, uint32_t last, bool on_exec);
/* F_GETFD and F_SETFD: 0 or 1 (FD_CLOEXEC); -EBADF. */
int file_table_close_on_exec(struct file_table *table, int descriptor);
int file_table_set_close_on_exec(struct file_table *table, int descriptor, bool on);
/* execve: closes those that are so marked. */
void file_table_exec(struct file_table *table);
/* The lowest number in use from FROM on; -1: none. For /proc/PID/fd. */
int file_table_next(struct file_table *table, int from);
