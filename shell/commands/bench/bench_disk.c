/* SPDX-License-Identifier: BSD-2-Clause */
/* bench read: reads of a disk, one at a time, each from its submission to where its waiter goes on.
 */
#include "kernel/block/block.h"
#include "kernel/memory/kmem.h"
#include "kernel/device/late.h"
#include "shell/commands/bench/bench.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

static __attribute__((noinline, noclone)) int bench_disk_read_often(struct block_device *device,
                                                                    uint32_t count, void *buffer)
{
    int error = 0;

    for (unsigned i = 0; error == 0 && i < BENCH_ROUNDS; i++) {
        BENCH_PLACE("bench_disk_begin");
        error = block_io(device, BLOCK_READ, 0, count, buffer);
        BENCH_PLACE("bench_disk_end");
    }
    return error;
}

int bench_disk(const char *name, const char *bytes)
{
    struct block_device *device;
    uint64_t size;
    void *buffer;
    int error;

    late_start();
    device = block_find(name);
    if (device == NULL) {
        shell_printf("bench: %s: no such device\n", name);
        return 1;
    }
    if (options_number((char *[]){"bench"}, "number of bytes", bytes, 1, UINT32_MAX, &size) != 0)
        return STATUS_USAGE;
    if (size % device->block_size != 0) {
        shell_printf("bench: %s: not a multiple of %s's blocks\n", bytes, name);
        return 1;
    }
    buffer = kmem_alloc(size);
    error = buffer == NULL ? 1 : block_open(device);
    if (error == 0)
        error = bench_disk_read_often(device, (uint32_t)(size / device->block_size), buffer);
    kmem_free(buffer);
    if (error != 0)
        shell_printf("bench: %s: cannot be read\n", name);
    return error != 0;
}
