/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is brought back (loadvm) is known by its stamp: tools/qpmu/plugin/snapshot.c. */
#include "tests/host/qpmu_pc.h"
#include "tests/host/test.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/snapshot.h"

/* A stamp is good for so many instructions: the memory as it was before is of another time then,
 * and gets no stamp that would make it good again. */
TEST(qpmu_plugin_stamps)
{
    struct vcpu *cpu = &vcpus[0];
    struct qpmu_slot *slot;
    uint64_t first;

    pc_begin(QPMU_LEVEL_REGISTERS);
    CHECK(page_open());
    slot = page_slot(0x8000);
    cpu->ring.slot = slot;
    snapshot_hypercall(cpu);
    room_give(cpu);
    first = slot->stamp;
    cpu->pmu.raw[QPMU_INSTRUCTIONS] += ROOM_MOST - 1;
    room_give(cpu);
    CHECK_EQUAL(slot->stamp, first);
    CHECK(snapshot_is_same(cpu));
    cpu->pmu.raw[QPMU_INSTRUCTIONS] += 1;
    room_give(cpu);
    CHECK(slot->stamp != first);
    CHECK(snapshot_is_same(cpu));
    slot->stamp = first;
    CHECK(!snapshot_is_same(cpu));
    cpu->pmu.raw[QPMU_INSTRUCTIONS] += ROOM_MOST;
    room_give(cpu);
    CHECK_EQUAL(slot->stamp, first);
    CHECK(!snapshot_is_same(cpu));
    cpu->ring.slot = NULL;
}
