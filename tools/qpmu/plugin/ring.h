/* SPDX-License-Identifier: BSD-2-Clause */
/* Overflows on their way to the guest: records in its ring, and an interrupt. */
#ifndef QPMU_PLUGIN_RING_H
#define QPMU_PLUGIN_RING_H

#include "tools/qpmu/include/qpmu.h"

#include <stdbool.h>

struct ring {
    struct qpmu_slot *slot;
    uint32_t head;    /* the true one; the slot's is only told */
    uint32_t dropped; /* the same */
    uint32_t lost[QPMU_COUNTERS];
    bool in_flight; /* a byte was sent, and the guest has not emptied the ring since */
};

/* Makes the ring empty. */
void ring_open(struct ring *ring, struct qpmu_slot *slot);
/* Adds a record (numbers in host order), or counts it as dropped. */
void ring_put(struct ring *ring, const struct qpmu_record *record, bool interrupt);

/* The socket behind the guest's serial port; NULL: no interrupts. */
void interrupt_argument(const char *path);
bool interrupt_there(void);
void interrupt_raise(void);

#endif
