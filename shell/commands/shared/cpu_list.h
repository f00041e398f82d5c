/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu_list: sets of CPUs as people write them: `2`, `0,3`, `0-3,8`. */
#ifndef SHELL_CPU_LIST_H
#define SHELL_CPU_LIST_H

#include <stddef.h>
#include <stdint.h>

#define CPU_LIST_BYTES 96 /* for what cpu_list_format writes of any set, with its NUL */

/*
 * Read all of text. Returns 0 with bit N of *set for CPU N; -EINVAL if it is no such list; -ERANGE
 * with the first CPU that is not below count in *beyond.
 */
int cpu_list_parse(const char *text, unsigned count, uint32_t *set, uint64_t *beyond);

/* Write that there is no such CPU among count of them. */
void cpu_list_beyond(char *buf, size_t size, uint64_t cpu, unsigned count);

/* Write the CPUs of set that are below count, runs of three and more as FIRST-LAST. */
void cpu_list_format(char *buf, size_t size, uint32_t set, unsigned count);

#endif
