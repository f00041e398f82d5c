/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a command to an IDE drive has ended, from what the registers say: see ide.h. Sections are
 * those of ATA/ATAPI-6; sense keys are SCSI's (SPC-2, 7.20).
 */
#include "drivers/ide.h"
#include "lib/errno.h"

/* 8.25.6 (READ DMA), 8.43.6 (WRITE DMA) */
#define DISK_ICRC  0x80u /* damaged on the cable */
#define DISK_UNC   0x40u /* data that cannot be corrected */
#define DISK_MC    0x20u /* the medium was changed */
#define DISK_IDNF  0x10u /* the sector was not found, though the disk has that many */
#define DISK_MCR   0x08u /* somebody wants to change the medium */
#define DISK_ABORT 0x04u /* given up; with nothing else it may be anything */
#define DISK_NM    0x02u /* no medium */

/* 8.27.6 (PACKET): the upper half of the error register is a sense key. */
#define SENSE_SHIFT     4
#define SENSE_RECOVERED 1
#define SENSE_NOT_READY 2
#define SENSE_MEDIUM    3
#define SENSE_ILLEGAL   5

static enum block_fault ide_outcome_disk_fault(uint8_t error)
{
    if (error & DISK_ICRC)
        return BLOCK_FAULT_TRANSPORT;
    if (error & (DISK_UNC | DISK_IDNF))
        return BLOCK_FAULT_MEDIA;
    if (error & (DISK_MC | DISK_MCR | DISK_NM))
        return BLOCK_FAULT_NOT_READY;
    return BLOCK_FAULT_UNTOLD;
}

static enum block_fault ide_outcome_packet_fault(uint8_t error)
{
    switch (error >> SENSE_SHIFT) {
    case SENSE_RECOVERED:
        return BLOCK_FAULT_RECOVERED;
    case SENSE_NOT_READY:
        return BLOCK_FAULT_NOT_READY;
    case SENSE_MEDIUM:
        return BLOCK_FAULT_MEDIA;
    case SENSE_ILLEGAL:
        return BLOCK_FAULT_ILLEGAL;
    default:
        return BLOCK_FAULT_UNTOLD;
    }
}

struct ide_outcome ide_outcome(enum ide_protocol protocol, uint8_t status, uint8_t error,
                               uint8_t master)
{
    struct ide_outcome outcome = {0, BLOCK_FAULT_UNTOLD};
    bool moved = !(status & IDE_STAT_DF) && !(master & (IDE_MASTER_ERROR | IDE_MASTER_ACTIVE));

    if (moved && !(status & IDE_STAT_ERR))
        return outcome;
    outcome.error = -EIO;
    if (master & IDE_MASTER_ERROR)
        outcome.fault = BLOCK_FAULT_TRANSPORT;
    else if (status & IDE_STAT_ERR)
        outcome.fault = protocol == IDE_PACKET ? ide_outcome_packet_fault(error)
                                               : ide_outcome_disk_fault(error);
    if (outcome.fault != BLOCK_FAULT_RECOVERED)
        return outcome;
    if (moved)
        outcome.error = 0;
    else
        outcome.fault = BLOCK_FAULT_UNTOLD;
    return outcome;
}
