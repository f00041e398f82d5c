/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs are told of the system as a whole. */
#pragma once

#include <stddef.h>

struct abi_utsname;

#define HOST_MOST 64u /* bytes of a name, without NUL */

void host_names(struct abi_utsname *out);
/* SIZE bytes, HOST_MOST at most, become the machine's or the domain's name. */
void host_set_domain(const char *name, size_t size);
/* Registers what /proc has of it. Once. */
void host_register(void);
