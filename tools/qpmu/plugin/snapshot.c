/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A snapshot holds the guest's memory, slots included, but nothing of the plugin's. When it is
 * loaded, or comes into another QEMU, the counters are of another time. QEMU does not say so, but
 * each slot has a stamp that changes with every use of a register and, while something is counted,
 * at least every 2^20 instructions (room.h): a slot whose stamp is not the one that was written
 * last is of another time. Its counters stop then, for good: they read all ones, and the slot's
 * magic is 0, until the guest makes the hypercall again.
 */
#include "tools/qpmu/plugin/snapshot.h"

#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/reset.h"
#include "tools/qpmu/plugin/room.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>

#define PAGE 4096u

static void tell_once(void)
{
    static bool told;

    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        fprintf(stderr, "qpmu: the guest's memory is of another time (loadvm, migration): its "
                        "counters have stopped\n");
}

/* In the CPU's thread, or where none runs. */
static void stop(struct vcpu *cpu)
{
    tell_once();
    cpu->stopped = true;
    reset_registers(cpu);
    page_set32(&cpu->ring.slot->magic, 0);
}

/* Writes another stamp, so that the slot as it was before is known for what it is. */
static void stamp(struct vcpu *cpu)
{
    cpu->stamp++;
    cpu->stamped_at = cpu->pmu.raw[QPMU_INSTRUCTIONS];
    page_set64(&cpu->ring.slot->stamp, cpu->stamp);
}

bool snapshot_is_same(const struct vcpu *cpu)
{
    return !cpu->ring.slot || page_get64(&cpu->ring.slot->stamp) == cpu->stamp;
}

void room_spent(struct vcpu *cpu)
{
    cpu->stamped_at = cpu->pmu.raw[QPMU_INSTRUCTIONS];
    direct_look(cpu);
    if (cpu->ring.slot && !cpu->stopped && !reset_missed(cpu) && snapshot_is_same(cpu))
        stamp(cpu);
}

void snapshot_hypercall(struct vcpu *cpu)
{
    /* Another QEMU's are other stamps. */
    if (getrandom(&cpu->stamp, sizeof(cpu->stamp), GRND_NONBLOCK) != sizeof(cpu->stamp))
        cpu->stamp = (uint64_t)(uintptr_t)cpu;
    if (cpu->stopped)
        reset_registers(cpu);
    cpu->stopped = false;
    stamp(cpu);
}

bool snapshot_register(struct vcpu *cpu)
{
    if (cpu->stopped)
        return false;
    if (!snapshot_is_same(cpu)) {
        stop(cpu);
        return false;
    }
    stamp(cpu);
    return true;
}

/* Slots that only the memory knows of: their CPUs' counters have never been here. Pages that have
 * no memory yet are left so. */
static void find(void)
{
    struct qpmu_slot *slot;
    unsigned char there;

    for (uint64_t place = 0; page_open() && (slot = page_slot(place)) != NULL; place += PAGE) {
        uint32_t index;

        if (mincore(slot, PAGE, &there) != 0 || !(there & 1) ||
            page_get32(&slot->magic) != QPMU_MAGIC || page_get32(&slot->version) != QPMU_VERSION)
            continue;
        index = page_get32(&slot->cpu);
        if (index >= vcpu_count)
            continue;
        vcpus[index].ring.slot = slot;
        stop(&vcpus[index]);
    }
}

void snapshot_flushed(void)
{
    bool other = false;

    for (unsigned i = 0; i < vcpu_count; i++) {
        struct vcpu *cpu = &vcpus[i];

        if (cpu->ring.slot && !cpu->stopped && !reset_missed(cpu) && !snapshot_is_same(cpu)) {
            other = true;
            stop(cpu);
        }
    }
    if (other)
        find();
}

/* A machine that was switched on begins at the reset vector. CPUs translate at the same time; none
 * has executed anything before the first has been here. */
void snapshot_translated(struct qemu_plugin_tb *translation)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool looked;

    if (__atomic_load_n(&looked, __ATOMIC_ACQUIRE))
        return;
    pthread_mutex_lock(&lock);
    if (!looked && !reset_vector(emu_insn_address(emu_insn_at(translation, 0)), translation))
        find();
    __atomic_store_n(&looked, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}
