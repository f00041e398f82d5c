/* SPDX-License-Identifier: BSD-2-Clause */
/* This machine's name, as sysctl, uname and programs tell it. Any context that may take spinlocks.
 */
#pragma once

#include <stddef.h>

#define HOST_NAME 256 /* with NUL */

void host_name_get(char *buffer, size_t size); /* cut if too long */
/* SIZE bytes become the name, less than HOST_NAME. */
void host_name_set(const char *name, size_t size);
