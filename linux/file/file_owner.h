/* SPDX-License-Identifier: BSD-2-Clause */
/* Who is sent a signal when an open file has something for him: F_SETOWN, F_SETSIG, O_ASYNC. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct file;

/* fcntl's commands about it; -EINVAL: another one. */
long file_owner_control(struct file *file, int command, uintptr_t argument);
/* The owner is told: POLL_IN, or (LAST) POLL_HUP. With no spinlock held. */
void file_owner_tell(struct file *file, bool last);
