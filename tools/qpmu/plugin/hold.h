/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef QPMU_PLUGIN_HOLD_H
#define QPMU_PLUGIN_HOLD_H

#include <stdbool.h>
#include <stdint.h>

/* All 0 for an empty ring. */
struct hold {
    uint32_t parts;   /* of the ring were full when it was held */
    uint64_t unheld;  /* so many records are not to wait for other CPUs, which did not help */
    unsigned in_vain; /* how often it did not */
};

/* A record was put into a ring of SIZE, where so many wait now: whether it has become fuller by a
 * part and is to be held. */
bool hold_fuller(struct hold *hold, uint32_t waiting, uint32_t size);
/* Then this returns later. INTERRUPTS: the guest is interrupted to take them. */
void hold_back(const struct hold *hold, bool interrupts);
/* One found no room in a ring of SIZE. */
void hold_failed(struct hold *hold, uint32_t size);

#endif
