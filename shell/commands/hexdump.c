/* SPDX-License-Identifier: BSD-2-Clause */
/* hexdump: the bytes of a block device, as `hexdump -C` prints them. */
#include "kernel/block/block.h"
#include "lib/string.h"
#include "shell/commands/shared/block_operand.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define ROW 16

struct dump {
    uint64_t offset; /* of the row that is being filled */
    size_t filled;
    bool all, repeating, have_last;
    uint8_t row[ROW], last[ROW];
    struct shell_gather out;
};

static void hexdump_print_row(struct dump *dump)
{
    char text[ROW + 1];

    shell_gather_printf(&dump->out, "%08lx ", (unsigned long)dump->offset);
    for (size_t i = 0; i < ROW; i++) {
        if (i % 8 == 0)
            shell_gather_printf(&dump->out, " ");
        if (i < dump->filled)
            shell_gather_printf(&dump->out, "%02x ", dump->row[i]);
        else
            shell_gather_printf(&dump->out, "   ");
    }
    for (size_t i = 0; i < dump->filled; i++)
        text[i] = dump->row[i] >= ' ' && dump->row[i] <= '~' ? (char)dump->row[i] : '.';
    text[dump->filled] = '\0';
    shell_gather_printf(&dump->out, " |%s|\n", text);
}

/* A row is complete, or the last: rows like the one before are a `*`. */
static void hexdump_end_row(struct dump *dump)
{
    bool same = !dump->all && dump->have_last && dump->filled == ROW &&
                memcmp(dump->row, dump->last, ROW) == 0;

    if (!same)
        hexdump_print_row(dump);
    else if (!dump->repeating)
        shell_gather_printf(&dump->out, "*\n");
    dump->repeating = same;
    dump->have_last = true;
    memcpy(dump->last, dump->row, ROW);
    dump->offset += dump->filled;
    dump->filled = 0;
}

static bool hexdump_add(void *arg, const uint8_t *bytes, size_t size)
{
    struct dump *dump = arg;

    for (size_t i = 0; i < size; i++) {
        dump->row[dump->filled++] = bytes[i];
        if (dump->filled == ROW)
            hexdump_end_row(dump);
        if (dump->filled == 0 && shell_interrupted())
            return false;
    }
    return true;
}

static int hexdump_print(char **argv, const char *name, uint64_t skip, uint64_t length, bool all)
{
    struct block_device *device = block_operand(argv[0], name);
    struct dump dump = {.offset = skip, .all = all};
    uint64_t size;
    int status;

    if (!device)
        return 1;
    size = device->blocks * device->block_size;
    if (skip > size || (length != UINT64_MAX && length > size - skip)) {
        shell_printf("%s: %s: has %lu bytes, the range is beyond its end\n", argv[0], device->name,
                     (unsigned long)size);
        return 1;
    }
    if (length > size - skip)
        length = size - skip;
    status = block_operand_read(argv[0], device, skip, length, hexdump_add, &dump);
    if (dump.filled > 0)
        hexdump_end_row(&dump);
    if (status == 0)
        shell_gather_printf(&dump.out, "%08lx\n", (unsigned long)dump.offset);
    shell_gather_flush(&dump.out);
    return status;
}

static int hexdump_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "Cs:n:v"};
    uint64_t skip = 0, length = UINT64_MAX;
    bool all = false;
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        if (option == 'v')
            all = true;
        if ((option == 's' && block_operand_size(options.value, &skip) != 0) ||
            (option == 'n' && block_operand_size(options.value, &length) != 0)) {
            shell_printf("%s: bad %s \"%s\"\n", argv[0], option == 's' ? "skip" : "length",
                         options.value);
            return command_usage(argv[0]);
        }
    }
    if (options.index != argc - 1)
        return command_usage(argv[0]);
    return hexdump_print(argv, argv[options.index], skip, length, all);
}

static void hexdump_complete(struct completion *completion, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    block_operand_complete(completion);
}

COMMAND(hexdump, .name = "hexdump", .summary = "show the bytes of a block device",
        .usage = "hexdump [-C] [-v] [-s SKIP] [-n LENGTH] DEV",
        .description = "  -s  begin SKIP bytes into the device (k, M, G: times 1024, ...)\n"
                       "  -n  stop after LENGTH bytes\n"
                       "  -v  print rows that repeat, too, instead of one *\n"
                       "  -C  accepted: this is the only layout\n"
                       "\n"
                       "Example: hexdump -s 0x1be -n 66 wd0\n",
        .run = hexdump_run, .complete = hexdump_complete);
