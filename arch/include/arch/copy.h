/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between the kernel and user mode's memory. USER is an address of the running thread's program:
 * whatever it is, these never fault. A page that is missing is asked of the thread's address space
 * (kernel/interrupt/trap.h) where interrupts are on; with interrupts off it is -EFAULT. A check of
 * bounds apart they cost what the copying costs: faults are found by a table.
 *
 * On failure part of it may have been copied.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* SIZE bytes in or out: 0, or -EFAULT. */
int copyin(const void *user, void *kernel, size_t size);
int copyout(const void *kernel, void *user, size_t size);
/* A string with its NUL, of at most SIZE bytes with it: 0, -EFAULT, or -ENAMETOOLONG if its first
 * SIZE bytes have no NUL. *LENGTH, if not NULL, is how many bytes were copied, with the NUL. */
int copyinstr(const void *user, void *kernel, size_t size, size_t *length);

/* The word at USER becomes NEW if it is *VALUE, in one step for all CPUs and programs; *VALUE is
 * what it was. 0 (also if it stayed), -EFAULT. USER is aligned. */
int copyswap(void *user, uint32_t *value, uint32_t new);

/*
 * The machine's part (arch/A/copy.S), for the functions above, between user_access_begin and
 * user_access_end (<arch/aspace.h>): any fault ends it. How many bytes
 * were not copied, at most; and how long the string is, with its NUL, 0 if there is none in SIZE
 * bytes, -1 at a fault.
 */
size_t copy_guarded(void *to, const void *from, size_t size);
long copy_string_guarded(void *to, const void *from, size_t size);
/* The word that was there, or -1 at a fault. */
long copy_swap_guarded(void *at, uint32_t expected, uint32_t new);
