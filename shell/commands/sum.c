/* SPDX-License-Identifier: BSD-2-Clause */
/* sum: the CRC-32 of a block device, or of a range of its blocks. */
#include "kernel/block/block.h"
#include "lib/crc32.h"
#include "shell/commands/shared/block_operand.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

static bool sum_add(void *arg, const uint8_t *bytes, size_t size)
{
    uint32_t *crc = arg;

    *crc = crc32(*crc, bytes, size);
    return true;
}

static int sum_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = ""};
    uint64_t skip = 0, count;
    struct block_device *device;
    uint32_t crc = 0;
    int status;

    if (options_next(&options) != OPTIONS_END)
        return STATUS_USAGE;
    argc -= options.index;
    if (argc != 1 && argc != 3)
        return command_usage(argv[0]);
    if (argc == 3 &&
        (options_number(argv, "skip", argv[options.index + 1], 0, UINT64_MAX, &skip) ||
         options_number(argv, "count", argv[options.index + 2], 1, UINT64_MAX, &count)))
        return STATUS_USAGE;
    device = block_operand(argv[0], argv[options.index]);
    if (!device)
        return 1;
    if (argc == 1)
        count = device->blocks;
    if (skip > device->blocks || count > device->blocks - skip) {
        shell_printf("%s: %s: has %lu blocks, %lu from %lu on are beyond its end\n", argv[0],
                     device->name, (unsigned long)device->blocks, (unsigned long)count,
                     (unsigned long)skip);
        return 1;
    }
    status = block_operand_read(argv[0], device, skip * device->block_size,
                                count * device->block_size, sum_add, &crc);
    if (status == 0)
        shell_printf("%08x %lu %s\n", crc, (unsigned long)(count * device->block_size),
                     device->name);
    return status;
}

static void sum_complete(struct completion *completion, int argc, char **argv)
{
    (void)argv;
    if (argc == 1)
        block_operand_complete(completion);
}

COMMAND(sum, .name = "sum", .summary = "checksum of a block device",
        .usage = "sum DEV [SKIP COUNT]",
        .description = "Prints the CRC-32 (zlib's), the number of bytes and the device. SKIP and\n"
                       "COUNT are in blocks of the device.\n"
                       "\n"
                       "Example: sum wd0 0 64\n",
        .run = sum_run, .complete = sum_complete);
