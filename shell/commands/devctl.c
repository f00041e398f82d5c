/* SPDX-License-Identifier: BSD-2-Clause */
/* devctl: lists block devices, makes RAM disks, and lets requests go wrong. */
#include "kernel/block/block.h"
#include "kernel/block/block_maker.h"
#include "kernel/device/late.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "shell/commands/shared/block_operand.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define MIB          (1ull << 20)
#define MIB_MAX      1024
#define MS_PLACES    6 /* ns */
#define MS_MAX       3600000000000ull
#define INJECT_COUNT 1000000

/* What a device answers when it is asked, for a look at the list. */
static const char *devctl_state_of(struct block_device *device)
{
    switch (block_check(device)) {
    case 0:
        return device->read_only ? "read-only" : "ready";
    case -ENXIO:
        return "gone";
    case -ENODEV:
        return "no medium";
    default:
        return "failing";
    }
}

static int devctl_list(void)
{
    struct block_device *device = NULL;

    shell_printf("%-8s %10s %6s %6s %-10s %s\n", "device", "blocks", "size", "depth", "state",
                 "model");
    while ((device = block_next_device(device)) != NULL && !shell_interrupted()) {
        const char *state = devctl_state_of(device);

        shell_printf("%-8s %10lu %6u %6u %-10s %s\n", device->name, (unsigned long)device->blocks,
                     device->block_size, device->depth, state, device->model);
    }
    return 0;
}

static int devctl_create(char **argv)
{
    const struct block_maker *maker = block_maker_find(argv[2]);
    struct block_device *device;
    uint64_t size;
    int error;

    if (!maker) {
        shell_printf("%s: devices of kind %s cannot be made\n", argv[0], argv[2]);
        return 1;
    }
    if (options_number(argv, "size", argv[3], 1, MIB_MAX, &size) != 0)
        return STATUS_USAGE;
    error = maker->make(size * MIB, &device);
    if (error != 0) {
        shell_printf("%s: %s\n", argv[0], block_error_name(error));
        return 1;
    }
    shell_printf("%s\n", device->name);
    return 0;
}

/* What goes wrong from now on; -1: as before. */
struct wish {
    int64_t errors, lost, delay, timeout;
};

static int devctl_bad(char **argv, const char *word)
{
    shell_printf("%s: bad operand \"%s\"\n", argv[0], word);
    return command_usage(argv[0]);
}

static int devctl_read_wish(char **argv, const char *word, struct wish *wish)
{
    const char *value = strchr(word, '=');
    size_t length = value ? (size_t)(value - word) : 0;
    uint64_t number;

    if (!value++)
        return devctl_bad(argv, word);
    if ((length == 6 && strncmp(word, "errors", 6) == 0) ||
        (length == 4 && strncmp(word, "lost", 4) == 0)) {
        if (parse_u64(value, 10, &number) != 0 || number > INJECT_COUNT)
            return devctl_bad(argv, word);
        *(word[0] == 'e' ? &wish->errors : &wish->lost) = (int64_t)number;
        return 0;
    }
    if ((length == 5 && strncmp(word, "delay", 5) == 0) ||
        (length == 7 && strncmp(word, "timeout", 7) == 0)) {
        if (parse_decimal(value, MS_PLACES, &number) != 0 || number > MS_MAX ||
            (word[0] == 't' && number == 0))
            return devctl_bad(argv, word);
        *(word[0] == 'd' ? &wish->delay : &wish->timeout) = (int64_t)number;
        return 0;
    }
    return devctl_bad(argv, word);
}

static int devctl_inject(int argc, char **argv)
{
    struct wish wish = {-1, -1, -1, -1};
    struct block_device *device;
    uintptr_t state;

    for (int i = 3; i < argc; i++)
        if (devctl_read_wish(argv, argv[i], &wish) != 0)
            return STATUS_USAGE;
    late_start();
    device = block_find(argv[2]);
    if (!device) {
        shell_printf("%s: no block device %s\n", argv[0], argv[2]);
        return 1;
    }
    state = spinlock_acquire(&device->lock);
    if (wish.errors >= 0)
        device->inject_errors = (unsigned)wish.errors;
    if (wish.lost >= 0)
        device->inject_lost = (unsigned)wish.lost;
    if (wish.delay >= 0)
        device->inject_delay = (uint64_t)wish.delay;
    if (wish.timeout >= 0)
        device->timeout = (uint64_t)wish.timeout;
    spinlock_release(&device->lock, state);
    return 0;
}

static int devctl_run(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        late_start();
        return devctl_list();
    }
    if (argc == 4 && strcmp(argv[1], "create") == 0) {
        late_start();
        return devctl_create(argv);
    }
    if (argc >= 4 && strcmp(argv[1], "inject") == 0)
        return devctl_inject(argc, argv);
    return command_usage(argv[0]);
}

static void devctl_complete(struct completion *completion, int argc, char **argv)
{
    static const char *const verbs[] = {"list", "create", "inject", NULL};
    static const char *const wishes[] = {"errors=", "delay=", "lost=", "timeout=", NULL};

    if (argc == 1)
        completion_add_list(completion, verbs);
    else if (argc == 2 && strcmp(argv[1], "create") == 0)
        completion_add(completion, "md");
    else if (argc == 2)
        block_operand_complete(completion);
    else if (strcmp(argv[1], "inject") == 0)
        completion_add_list(completion, wishes);
}

COMMAND(
    devctl, .name = "devctl", .summary = "list, make and disturb block devices",
    .usage = "devctl list | create md MIB | inject DEV [errors=N] [delay=MS] [lost=N] [timeout=MS]",
    .description =
        "  list    all block devices; each is asked whether it still is ready\n"
        "  create  a RAM disk of MIB mebibytes; prints its name\n"
        "  inject  errors=N   the next N requests fail, without reaching the device\n"
        "          delay=MS   each request takes MS milliseconds longer, until delay=0\n"
        "          lost=N     the next N requests seem never to end: the device is reset\n"
        "                     and they are tried again\n"
        "          timeout=MS how long a request may take before that (5000 if not set)\n"
        "\n"
        "Example: devctl create md 8; devctl inject md0 errors=1; sum md0\n",
    .run = devctl_run, .complete = devctl_complete);
