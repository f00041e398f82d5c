/* SPDX-License-Identifier: BSD-2-Clause */
/* Overflows on their way to the guest: records in its ring, and an interrupt. */
#ifndef QPMU_PLUGIN_RING_H
#define QPMU_PLUGIN_RING_H

#include "tools/qpmu/include/qpmu.h"
#include "tools/qpmu/plugin/hold.h"

#include <stdbool.h>

struct ring {
    struct qpmu_slot *slot;
    struct qpmu_record *records; /* of the slot, or memory of the guest's own */
    uint32_t size;               /* a power of two */
    uint32_t callers;            /* words for callers, a power of two; 0: there are none */
    struct callers {
        uint64_t *words;
        uint32_t head; /* words ever written */
        struct {
            uint64_t hash;
            uint32_t first, count;
        } recent[1024];        /* where callers were written last, by their hash */
        uint32_t count, flags; /* the next record's */
        uint64_t at[QPMU_CALLERS_MOST];
    } next;
    uint32_t head;    /* the true one; the slot's is only told */
    uint32_t dropped; /* the same */
    uint32_t lost[QPMU_COUNTERS];
    bool in_flight; /* a byte was sent, and the guest has not emptied the ring since */
    struct hold hold;
};

/* Makes the ring of the slot an empty one. */
void ring_open(struct ring *ring, struct qpmu_slot *slot);
/* Whether the next hypercall is for a ring of the guest's own. */
bool ring_expected(const struct ring *ring);
/* That ring lies at a place in RAM, if it can: the slot tells the guest. */
void ring_move(struct ring *ring, uint64_t place);
/* Tells which events are counted, and whether calls are followed. */
void ring_tell(const struct ring *ring, uint64_t counted, bool following);
/* Whether the next hypercall is for what is on a stack; then it is no more. */
bool ring_expects_stack(struct ring *ring);
/* Adds a record (numbers in host order) and its callers, or counts it as dropped. */
void ring_put(struct ring *ring, const struct qpmu_record *record, bool interrupt);

/* The socket behind the guest's serial port; NULL: no interrupts. */
void interrupt_argument(const char *path);
bool interrupt_there(void);
void interrupt_raise(void);

#endif
