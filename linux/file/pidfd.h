/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs as files: pidfd_open(2). */
#pragma once

#include <stdint.h>

struct file;
struct program;

/* A file of PROGRAM, with one reference, which is made ready by its end. The lock is taken; of a
 * program that has never run it need not be. -ENOMEM, -ESRCH (ID is none any more). */
int pidfd_create(uint32_t id, uint32_t flags, struct file **out);
/* The number of the process that FILE is of; 0: it is no such file, or it was waited for. */
uint32_t pidfd_id(struct file *file);
