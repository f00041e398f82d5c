/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of kinds of errors: what the block layer counts, and what an IDE drive's registers say. */
#include "drivers/ide.h"
#include "kernel/block/block.h"
#include "lib/errno.h"
#include "tests/kernel/fake_disk.h"
#include "tests/kernel/selftest.h"

#define REQUESTS 10u

static uint64_t faults(enum block_fault fault)
{
    return evcnt_value(&fake_disk->device.stats.faults[fault]);
}

/* How each request ends. */
static const struct {
    int error;
    enum block_fault fault;
} ends[REQUESTS] = {
    {0, BLOCK_FAULT_MEDIA}, /* it has not failed, so that is not looked at */
    {-EIO, BLOCK_FAULT_MEDIA},     {-EIO, BLOCK_FAULT_UNTOLD},    {-EIO, BLOCK_FAULT_MEDIA},
    {-EIO, BLOCK_FAULT_NOT_READY}, {-EIO, BLOCK_FAULT_TRANSPORT}, {-ENOTSUP, BLOCK_FAULT_ILLEGAL},
    {-EIO, BLOCK_FAULT_MEDIA},     {-EIO, BLOCK_FAULT_ILLEGAL},   {-EIO, BLOCK_FAULT_UNTOLD},
};

static int end_all(void)
{
    for (unsigned i = 0; i < REQUESTS; i++) {
        SELFTEST_EQUAL(fake_disk_submit(i, i % 2 ? BLOCK_WRITE : BLOCK_READ, 1), 0);
        fake_disk->held[0]->fault = ends[i].fault;
        fake_disk_finish(0, ends[i].error, ends[i].error ? 512 : 0);
    }
    SELFTEST_EQUAL(evcnt_value(&fake_disk->device.stats.errors), 9);
    SELFTEST_EQUAL(faults(BLOCK_FAULT_MEDIA), 3);
    SELFTEST_EQUAL(faults(BLOCK_FAULT_NOT_READY), 1);
    SELFTEST_EQUAL(faults(BLOCK_FAULT_TRANSPORT), 1);
    SELFTEST_EQUAL(faults(BLOCK_FAULT_ILLEGAL), 2);
    SELFTEST_EQUAL(faults(BLOCK_FAULT_NO_DEVICE), 0);
    return 0;
}

/* What the driver got at last with pains is no failure. */
static int recover(void)
{
    SELFTEST_EQUAL(fake_disk_submit(0, BLOCK_READ, 1), 0);
    block_recovered(fake_disk->held[0]);
    fake_disk_finish(0, 0, 0);
    SELFTEST_EQUAL(faults(BLOCK_FAULT_RECOVERED), 1);
    SELFTEST_EQUAL(evcnt_value(&fake_disk->device.stats.errors), 9);
    return 0;
}

/* Those that the device has, and those that wait. */
static int go(void)
{
    for (unsigned i = 0; i < REQUESTS; i++)
        SELFTEST_EQUAL(fake_disk_submit(i, BLOCK_READ, 1), 0);
    fake_disk->held_count = 0;
    block_gone(&fake_disk->device);
    SELFTEST_EQUAL(-fake_disk_submit(0, BLOCK_READ, 1), ENXIO); /* refused: it is no request */
    SELFTEST_EQUAL(faults(BLOCK_FAULT_NO_DEVICE), REQUESTS);
    SELFTEST_EQUAL(evcnt_value(&fake_disk->device.stats.errors), 9 + REQUESTS);
    SELFTEST_EQUAL(faults(BLOCK_FAULT_MEDIA), 3);
    return 0;
}

SELFTEST(block_faults, "block-faults", "each kind of error is counted for itself, once a request")
{
    int result;

    SELFTEST_EQUAL(fake_disk_attach(REQUESTS), 0);
    result = end_all();
    if (result == 0)
        result = recover();
    if (result == 0)
        result = go();
    fake_disk_detach();
    return result;
}

/* Registers at the end of a command: ATA/ATAPI-6, 8.25 (READ DMA) and 8.27 (PACKET). */
static const struct {
    uint8_t status, error, master;
    int disk_error;
    enum block_fault disk;
    int cd_error;
    enum block_fault cd;
} registers[] = {
    {0x50, 0x00, 0x04, 0, BLOCK_FAULT_UNTOLD, 0, BLOCK_FAULT_UNTOLD},
    {0x50, 0x40, 0x04, 0, BLOCK_FAULT_UNTOLD, 0, BLOCK_FAULT_UNTOLD}, /* no ERR: not valid */
    {0x51, 0x04, 0x04, -EIO, BLOCK_FAULT_UNTOLD, -EIO, BLOCK_FAULT_UNTOLD},
    {0x51, 0x40, 0x04, -EIO, BLOCK_FAULT_MEDIA, -EIO, BLOCK_FAULT_UNTOLD},
    {0x51, 0x10, 0x04, -EIO, BLOCK_FAULT_MEDIA, 0, BLOCK_FAULT_RECOVERED},
    {0x51, 0x84, 0x04, -EIO, BLOCK_FAULT_TRANSPORT, -EIO, BLOCK_FAULT_UNTOLD},
    {0x51, 0x20, 0x04, -EIO, BLOCK_FAULT_NOT_READY, -EIO, BLOCK_FAULT_NOT_READY},
    {0x51, 0x08, 0x04, -EIO, BLOCK_FAULT_NOT_READY, -EIO, BLOCK_FAULT_UNTOLD},
    {0x51, 0x02, 0x04, -EIO, BLOCK_FAULT_NOT_READY, -EIO, BLOCK_FAULT_UNTOLD},
    {0x51, 0x30, 0x04, -EIO, BLOCK_FAULT_MEDIA, -EIO, BLOCK_FAULT_MEDIA},
    {0x51, 0x54, 0x04, -EIO, BLOCK_FAULT_MEDIA, -EIO, BLOCK_FAULT_ILLEGAL},
    {0x51, 0x60, 0x04, -EIO, BLOCK_FAULT_MEDIA, -EIO, BLOCK_FAULT_UNTOLD},
    {0x50, 0x00, 0x06, -EIO, BLOCK_FAULT_TRANSPORT, -EIO, BLOCK_FAULT_TRANSPORT},
    {0x51, 0x10, 0x06, -EIO, BLOCK_FAULT_TRANSPORT, -EIO, BLOCK_FAULT_TRANSPORT},
    {0x50, 0x00, 0x05, -EIO, BLOCK_FAULT_UNTOLD, -EIO, BLOCK_FAULT_UNTOLD},
    {0x51, 0x10, 0x05, -EIO, BLOCK_FAULT_MEDIA, -EIO, BLOCK_FAULT_UNTOLD},
    {0x71, 0x10, 0x04, -EIO, BLOCK_FAULT_MEDIA, -EIO, BLOCK_FAULT_UNTOLD},
    {0x70, 0x00, 0x04, -EIO, BLOCK_FAULT_UNTOLD, -EIO, BLOCK_FAULT_UNTOLD},
};

SELFTEST(ide_outcome, "ide-outcome", "what the registers of an IDE drive say of a request's end")
{
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        struct ide_outcome disk =
            ide_outcome(IDE_DISK, registers[i].status, registers[i].error, registers[i].master);
        struct ide_outcome cd =
            ide_outcome(IDE_PACKET, registers[i].status, registers[i].error, registers[i].master);

        if (disk.error != registers[i].disk_error || disk.fault != registers[i].disk ||
            cd.error != registers[i].cd_error || cd.fault != registers[i].cd)
            return selftest_fail("line %u: disk %d %d, CD-ROM %d %d", (unsigned)i, disk.error,
                                 (int)disk.fault, cd.error, (int)cd.fault);
    }
    return 0;
}
