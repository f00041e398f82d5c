/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * block_operand: block devices as commands name them. What is wrong is reported here, in one line
 * that begins with the command's name.
 */
#ifndef SHELL_BLOCK_OPERAND_H
#define SHELL_BLOCK_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/completion.h"

struct block_device;

#define BLOCK_BUFFER 65536u /* bytes: what block_operand_read moves at a time */

/* NAME without the "/dev/" that it may begin with. */
const char *block_operand_name(const char *name);

/* The device called NAME, or /dev/NAME, ready for use; NULL if there is none, or it cannot be used
 * now. */
struct block_device *block_operand(const char *command, const char *name);

/* Calls PUT with LENGTH bytes of the device from OFFSET on, piece by piece, until it returns false.
 * 0, or a status: 1 after a report, STATUS_INTERRUPTED. */
int block_operand_read(const char *command, struct block_device *device, uint64_t offset,
                       uint64_t length, bool (*put)(void *, const uint8_t *, size_t), void *arg);

/* Reads "64", "4k", "1M", "2G", "0x200" as a number of bytes: 0, or -EINVAL, -ERANGE. */
int block_operand_size(const char *text, uint64_t *size);

/* Offers the names of all devices. */
void block_operand_complete(struct completion *completion);

#endif
