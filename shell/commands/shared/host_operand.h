/* SPDX-License-Identifier: BSD-2-Clause */
/* host_operand: hosts as commands name them: by address; there is one name, localhost. */
#ifndef SHELL_HOST_OPERAND_H
#define SHELL_HOST_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

/* Whether TEXT is a host, and its address. */
bool host_operand(const char *text, uint32_t *address);

#endif
