/* SPDX-License-Identifier: BSD-2-Clause */
/* dd: copies between block devices. Everything is checked before anything is written. */
#include "kernel/block/block.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "shell/commands/dd/block_copy.h"
#include "shell/commands/shared/block_operand.h"
#include "shell/command.h"
#include "shell/live.h"
#include "shell/output.h"

#define COUNT_REST UINT64_MAX

struct request {
    const char *from, *to;
    uint64_t bs, count, skip, seek, jobs;
    bool flush;
};

static int dd_bad(char **argv, const char *word)
{
    shell_printf("%s: bad operand \"%s\"\n", argv[0], word);
    return STATUS_USAGE;
}

static int dd_read_number(char **argv, const char *word, const char *text, uint64_t low,
                          uint64_t high, uint64_t *value)
{
    if (block_operand_size(text, value) == 0 && *value >= low && *value <= high)
        return 0;
    return dd_bad(argv, word);
}

/* The value of WORD if it is an operand of that NAME, else NULL. */
static const char *dd_value_of(const char *word, const char *name)
{
    size_t length = strlen(name);

    return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static int dd_read_operand(char **argv, const char *word, struct request *r)
{
    const char *value;

    if ((value = dd_value_of(word, "if")) != NULL)
        r->from = value;
    else if ((value = dd_value_of(word, "of")) != NULL)
        r->to = value;
    else if ((value = dd_value_of(word, "bs")) != NULL)
        return dd_read_number(argv, word, value, 1, BLOCK_COPY_RECORD_MAX, &r->bs);
    else if ((value = dd_value_of(word, "count")) != NULL)
        return dd_read_number(argv, word, value, 0, COUNT_REST - 1, &r->count);
    else if ((value = dd_value_of(word, "skip")) != NULL)
        return dd_read_number(argv, word, value, 0, UINT64_MAX, &r->skip);
    else if ((value = dd_value_of(word, "seek")) != NULL)
        return dd_read_number(argv, word, value, 0, UINT64_MAX, &r->seek);
    else if ((value = dd_value_of(word, "jobs")) != NULL)
        return dd_read_number(argv, word, value, 1, BLOCK_COPY_JOBS_MAX, &r->jobs);
    else if ((value = dd_value_of(word, "conv")) != NULL && strcmp(value, "fsync") == 0)
        r->flush = true;
    else
        return dd_bad(argv, word);
    return 0;
}

/* 0, a status after a report. */
static int dd_find_place(char **argv, const char *name, bool source, struct block_place *place)
{
    static const char pattern[] = "pattern:";

    place->kind = BLOCK_PLACE_DEVICE;
    if (strcmp(block_operand_name(name), "null") == 0 && !source) {
        place->kind = BLOCK_PLACE_NULL;
        return 0;
    }
    if (strcmp(block_operand_name(name), "zero") == 0 && source) {
        place->kind = BLOCK_PLACE_ZERO;
        return 0;
    }
    if (strncmp(name, pattern, sizeof pattern - 1) == 0 && source) {
        place->kind = BLOCK_PLACE_PATTERN;
        if (parse_u64(name + sizeof pattern - 1, 0, &place->seed) != 0)
            return dd_bad(argv, name);
        return 0;
    }
    place->device = block_operand(argv[0], name);
    if (!place->device)
        return 1;
    if (!source && place->device->read_only) {
        shell_printf("%s: %s: %s\n", argv[0], name, block_error_name(-EROFS));
        return 1;
    }
    return 0;
}

/* Where a place begins, and how many bytes it has from there; whether that is possible. */
static bool dd_place_range(char **argv, struct block_place *place, uint64_t bs, uint64_t records,
                           uint64_t *room)
{
    struct block_device *device = place->device;
    uint64_t size;

    *room = UINT64_MAX;
    if (place->kind != BLOCK_PLACE_DEVICE)
        return true;
    if (bs % device->block_size != 0) {
        shell_printf("%s: bs=%lu is not a multiple of %u, the block size of %s\n", argv[0],
                     (unsigned long)bs, device->block_size, device->name);
        return false;
    }
    size = device->blocks * device->block_size;
    if (records > size / bs) {
        shell_printf("%s: %s: record %lu is beyond its end (%lu bytes)\n", argv[0], device->name,
                     (unsigned long)records, (unsigned long)size);
        return false;
    }
    place->offset = records * bs;
    *room = size - place->offset;
    return true;
}

/* How much is to be moved, which must be there. */
static bool dd_length(char **argv, const struct request *r, struct block_copy *copy, uint64_t in,
                      uint64_t out)
{
    uint64_t bytes = r->count != COUNT_REST ? r->count * r->bs : in != UINT64_MAX ? in : out;
    const struct block_device *sink = copy->to.device;

    if (r->count != COUNT_REST && r->count > UINT64_MAX / r->bs)
        bytes = UINT64_MAX;
    if (bytes == UINT64_MAX && r->count == COUNT_REST) {
        shell_printf("%s: neither end has a length: say count=\n", argv[0]);
        return false;
    }
    if (bytes > in || bytes > out) {
        const char *name = bytes > in ? copy->from.device->name : sink->name;

        shell_printf("%s: %s: has %lu bytes there, %lu are wanted\n", argv[0], name,
                     (unsigned long)(bytes > in ? in : out), (unsigned long)bytes);
        return false;
    }
    if (sink && bytes % sink->block_size != 0) {
        shell_printf("%s: %lu bytes are not whole blocks of %s\n", argv[0], (unsigned long)bytes,
                     sink->name);
        return false;
    }
    copy->bytes = bytes;
    return true;
}

static void dd_report(char **argv, const struct block_copy *copy)
{
    uint64_t us = copy->ns / 1000;

    if (copy->error == -EINTR)
        return;
    if (copy->error != 0 && !copy->error_name)
        shell_printf("%s: %s\n", argv[0], block_error_name(copy->error));
    else if (copy->error != 0)
        shell_printf("%s: %s: %s of %u blocks at %lu: %s\n", argv[0], copy->error_name,
                     block_kind_name(copy->error_kind), copy->error_count,
                     (unsigned long)copy->error_block, block_error_name(copy->error));
    shell_printf("%lu+%lu records in\n%lu+%lu records out\n", (unsigned long)copy->full_in,
                 (unsigned long)copy->part_in, (unsigned long)copy->full_out,
                 (unsigned long)copy->part_out);
    shell_printf("%lu bytes, %lu.%06lu s, %lu kB/s\n", (unsigned long)copy->moved,
                 (unsigned long)(us / 1000000), (unsigned long)(us % 1000000),
                 (unsigned long)(us == 0 ? 0 : copy->moved * 1000 / us));
}

static int dd_run(int argc, char **argv)
{
    struct request r = {.bs = 512, .count = COUNT_REST, .jobs = 1};
    struct block_copy copy = {0};
    uint64_t in, out;
    int status;

    for (int i = 1; i < argc; i++)
        if (dd_read_operand(argv, argv[i], &r) != 0)
            return STATUS_USAGE;
    if (!r.from || !r.to) {
        shell_printf("%s: %s= is missing\n", argv[0], r.from ? "of" : "if");
        return STATUS_USAGE;
    }
    status = dd_find_place(argv, r.from, true, &copy.from);
    if (status == 0)
        status = dd_find_place(argv, r.to, false, &copy.to);
    if (status != 0)
        return status;
    if (!dd_place_range(argv, &copy.from, r.bs, r.skip, &in) ||
        !dd_place_range(argv, &copy.to, r.bs, r.seek, &out) || !dd_length(argv, &r, &copy, in, out))
        return 1;
    copy.record = (size_t)r.bs;
    copy.jobs = (unsigned)r.jobs;
    copy.flush = r.flush;
    copy.progress = live_has_keys();
    block_copy(&copy);
    dd_report(argv, &copy);
    if (copy.error == -EINTR)
        return STATUS_INTERRUPTED;
    return copy.error != 0;
}

static void dd_complete(struct completion *completion, int argc, char **argv)
{
    static const char *const words[] = {
        "if=", "of=", "bs=", "count=", "skip=", "seek=", "jobs=", "conv=fsync", NULL};

    (void)argc;
    (void)argv;
    completion_add_list(completion, words);
}

COMMAND(dd, .name = "dd", .summary = "copy between block devices",
        .usage = "dd if=FROM of=TO [bs=N] [count=N] [skip=N] [seek=N] [jobs=N] [conv=fsync]",
        .description =
            "FROM is a block device (devctl list), zero, or pattern:SEED; TO is a block device\n"
            "or null. Numbers may end in k, M or G.\n"
            "  bs     bytes of a record (512 if not given), whole blocks, up to 1M\n"
            "  count  how many records; if not given, all there are or there is room for\n"
            "  skip   records of FROM to skip first; seek: of TO\n"
            "  jobs   threads, each with a record of its own, up to 64\n"
            "  conv   fsync: at the end, tell TO to write out its cache\n"
            "\n"
            "Example: dd if=wd0 of=null bs=64k jobs=4\n",
        .run = dd_run, .complete = dd_complete);
