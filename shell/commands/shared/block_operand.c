/* SPDX-License-Identifier: BSD-2-Clause */
#include "shell/commands/shared/block_operand.h"

#include "kernel/block/block.h"
#include "kernel/memory/kmem.h"
#include "kernel/device/late.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/output.h"

const char *block_operand_name(const char *name)
{
    static const char folder[] = "/dev/";

    return strncmp(name, folder, sizeof(folder) - 1) == 0 ? name + sizeof(folder) - 1 : name;
}

struct block_device *block_operand(const char *command, const char *name)
{
    struct block_device *device;
    int error;

    late_start();
    device = block_find(block_operand_name(name));
    if (!device) {
        shell_printf("%s: no block device %s\n", command, name);
        return NULL;
    }
    error = block_open(device);
    if (error != 0) {
        shell_printf("%s: %s: %s\n", command, name, block_error_name(error));
        return NULL;
    }
    return device;
}

/* One piece: whole blocks around [offset, end), at most a buffer full. The bytes gained, or an
 * error. */
static int64_t block_operand_read_piece(struct block_device *device, uint64_t offset, uint64_t end,
                                        char *buffer, size_t *skip)
{
    uint64_t size = device->block_size, first = offset / size;
    uint64_t count = (end - first * size + size - 1) / size, most = BLOCK_BUFFER / size;
    int error;

    count = count < most ? count : most;
    count = count < device->max_blocks ? count : device->max_blocks;
    error = block_io(device, BLOCK_READ, first, (uint32_t)count, buffer);
    *skip = offset % size;
    if (error != 0)
        return error;
    first = (first + count) * size;
    return (int64_t)((first < end ? first : end) - offset);
}

int block_operand_read(const char *command, struct block_device *device, uint64_t offset,
                       uint64_t length, bool (*put)(void *, const uint8_t *, size_t), void *arg)
{
    uint64_t end = offset + length;
    char *buffer = kmem_alloc(BLOCK_BUFFER);
    bool more = true;
    int status = 0;

    if (!buffer) {
        shell_printf("%s: out of memory\n", command);
        return 1;
    }
    while (offset < end && status == 0 && more) {
        size_t skip;
        int64_t got = block_operand_read_piece(device, offset, end, buffer, &skip);

        if (got < 0) {
            shell_printf("%s: %s: at byte %lu: %s\n", command, device->name, (unsigned long)offset,
                         block_error_name((int)got));
            status = 1;
        } else {
            more = put(arg, (const uint8_t *)buffer + skip, (size_t)got);
            offset += (uint64_t)got;
        }
        if (shell_interrupted())
            status = STATUS_INTERRUPTED;
    }
    kmem_free(buffer);
    return status;
}

int block_operand_size(const char *text, uint64_t *size)
{
    static const char units[] = "kmgKMG";
    char digits[24];
    size_t length = strlen(text);
    unsigned shift = 0;
    const char *unit;
    uint64_t value;
    int error;

    if (length == 0 || length >= sizeof digits)
        return -EINVAL;
    strlcpy(digits, text, sizeof digits);
    unit = strchr(units, digits[length - 1]);
    if (unit) {
        shift = 10 * (unsigned)((unit - units) % 3 + 1);
        digits[length - 1] = '\0';
    }
    error = parse_u64(digits, 0, &value);
    if (error != 0)
        return error;
    if (value > UINT64_MAX >> shift)
        return -ERANGE;
    *size = value << shift;
    return 0;
}

void block_operand_complete(struct completion *completion)
{
    struct block_device *device = NULL;

    late_start();
    while ((device = block_next_device(device)) != NULL)
        completion_add(completion, device->name);
}
