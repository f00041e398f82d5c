/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel looks at user addresses of the active address space, and lives to tell. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* False: it faulted, which was counted. */
bool user_word_read(uintptr_t address, uint64_t *value);
bool user_word_write(uintptr_t address, uint64_t value);
