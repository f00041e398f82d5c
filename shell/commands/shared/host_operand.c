/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts: see host_operand.h. */
#include "shell/commands/shared/host_operand.h"

#include "lib/string.h"
#include "net/wire.h"

#define LOOPBACK "127.0.0.1"

bool host_operand(const char *text, uint32_t *address)
{
    return wire_parse_address(strcmp(text, "localhost") == 0 ? LOOPBACK : text, address);
}
