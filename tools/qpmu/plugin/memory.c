/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses go through the modelled caches as they happen. A place in RAM stands for the physical
 * address. Devices and uncached segments have no part in it. With several CPUs one lock guards all
 * caches.
 */
#include "tools/qpmu/plugin/memory.h"

#include "tools/qpmu/hierarchy.h"
#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/plugin/word.h"

#include <pthread.h>

#define PAGE    4096u
#define RAM_LOW 0x10000000u /* how much of a Malta's RAM is at 0 */

#define L1D_SETS 512

static struct qpmu_hierarchy *caches;
static uint64_t *l1d_entry; /* of the only CPU */
static uint8_t *l1d_recent;
static pthread_spinlock_t lock;

bool memory_open(uint64_t l2_size, unsigned l2_line)
{
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    caches = qpmu_hierarchy_create(vcpu_count, l2_size, l2_line);
    if (!caches)
        return false;
    for (unsigned i = 0; i < vcpu_count; i++) {
        qpmu_hierarchy_attach(caches, i, vcpus[i].pmu.raw);
        vcpus[i].l1d = qpmu_hierarchy_l1d(caches, i);
        vcpus[i].l1i = qpmu_hierarchy_l1i(caches, i);
    }
    l1d_entry = vcpus[0].l1d->entry;
    l1d_recent = vcpus[0].l1d->recent;
    return true;
}

void memory_cold(void)
{
    qpmu_hierarchy_reset(caches);
    for (unsigned i = 0; i < vcpu_count; i++) {
        vcpus[i].mapping++;
        qpmu_predictor_reset(&vcpus[i].predictor);
    }
}

static inline void take_lock(void)
{
    if (!one_vcpu)
        pthread_spin_lock(&lock);
}

static inline void give_lock(void)
{
    if (!one_vcpu)
        pthread_spin_unlock(&lock);
}

/* The place in RAM of an address of MIPS' unmapped segments, where it needs no question to QEMU.
 * -1: ask; 0: uncached or no RAM. */
static inline int unmapped_place(uint64_t address, uint64_t *place)
{
    uint64_t physical;

    if (address >> 29 == 0xffffffff80000000ull >> 29)
        physical = address & 0x1fffffff;
    else if (address >> 29 == 0xffffffffa0000000ull >> 29)
        return 0;
    else if (address >> 62 == 2) {
        if ((address >> 59 & 7) == 2)
            return 0;
        physical = address & 0x07ffffffffffffffull;
    } else
        return -1;
    if (physical >= 0x80000000u)
        physical -= 0x80000000u;
    else if (physical >= RAM_LOW)
        return 0;
    *place = physical;
    return 1;
}

/* What QEMU said of a page stays true until the guest changes its address translation. */
static inline struct page_place *known_page(struct vcpu *cpu, uint64_t address)
{
    return &cpu->pages[address / PAGE % PAGE_PLACES];
}

static inline bool knows_page(const struct vcpu *cpu, const struct page_place *known,
                              uint64_t address)
{
    return known->page == address / PAGE && known->mapping == cpu->mapping;
}

bool memory_place(struct vcpu *cpu, emu_access info, uint64_t address, uint64_t *place)
{
    struct page_place *page = known_page(cpu, address);
    uint64_t physical;
    int known = mips ? unmapped_place(address, place) : -1;

    if (known >= 0)
        return known;
    if (!knows_page(cpu, page, address)) {
        if (!emu_access_ram(info, address, &physical) || !page_place(physical, place))
            return false;
        *page = (struct page_place){address / PAGE, cpu->mapping, *place - address % PAGE};
    }
    *place = page->place + address % PAGE;
    return true;
}

void memory_remapped(unsigned int index, void *unused)
{
    (void)unused;
    vcpu_of(index)->mapping++;
}

/* The models' counters that count now. True: one of them is at its limit. */
static bool model_at_limit(const struct vcpu *cpu)
{
    uint64_t events = cpu->running_models;

    for (; events; events &= events - 1)
        if (qpmu_cpu_reached(&cpu->pmu, (enum qpmu_event)__builtin_ctzll(events)))
            return true;
    return false;
}

static void check_models(struct vcpu *cpu, uint64_t pc)
{
    for (uint64_t events = cpu->running_models; events; events &= events - 1)
        check_limit(cpu, (enum qpmu_event)__builtin_ctzll(events), pc);
}

static void __attribute__((noinline)) missed(struct vcpu *cpu, const struct step *step,
                                             uint64_t place, uint64_t address, unsigned size,
                                             bool store)
{
    take_lock();
    qpmu_hierarchy_access(caches, cpu->index, place, address, size, store ? QPMU_STORE : QPMU_LOAD);
    give_lock();
    if (model_at_limit(cpu)) {
        settle_before(cpu, step);
        check_models(cpu, step->pc);
    }
}

static inline void access_one(struct vcpu *cpu, emu_access info, uint64_t address, unsigned size,
                              bool store, const struct step *step)
{
    uint64_t need = store ? QPMU_LINE_VALID | QPMU_LINE_OWNED : QPMU_LINE_VALID;
    uint64_t place;

    if (!memory_place(cpu, info, address, &place))
        return;
    if (one_vcpu && ((address ^ (address + size - 1)) & ~(uint64_t)(QPMU_L1D_LINE - 1)) == 0 &&
        qpmu_cache_hit(cpu->l1d, place, address, need))
        return;
    missed(cpu, step, place, address, size, store);
}

void memory_accessed(unsigned int index, emu_access info, uint64_t address, void *step)
{
    struct vcpu *cpu = vcpu_of(index);
    unsigned size = emu_access_size(info);
    unsigned room = PAGE - (unsigned)(address % PAGE);
    bool store = emu_access_stores(info);

    access_one(cpu, info, address, size < room ? size : room, store, step);
    if (size > room)
        access_one(cpu, info, address + room, size - room, store, step);
}

/* QEMU 7.2 also reports here what helpers access after the block was left (level.c). */
void memory_leaving(unsigned int index, emu_access info, uint64_t address, void *arg)
{
    struct vcpu *cpu = vcpu_of(index);
    const struct step *step = arg;
    const struct block *block = block_now(cpu);

    /* QEMU may have made it anew, alone, to access a device under -icount. */
    if (block->count == 0 || block->steps[block->count - 1].pc != step->pc ||
        word_marks(cpu) / MARK_LAST >= (unsigned)(step->insn.loads + step->insn.stores))
        return;
    *word_of(cpu) += MARK_LAST;
    memory_accessed(index, info, address, arg);
}

/* It is not known to hit: the caches say. It lies within a line. */
static void __attribute__((noinline)) access_known(uint64_t place, uint64_t address,
                                                   const struct step *step, bool store)
{
    missed(&vcpus[0], step, place, address, 1, store);
}

/* The only CPU's access of up to 8 bytes that hits (as qpmu_cache_hit, its numbers known): NEED are
 * bits that the line must have. Others take the long way. */
static inline void access_fast(bool is_mips, emu_access info, uint64_t address, void *step,
                               uint64_t need)
{
    struct vcpu *cpu = &vcpus[0];
    uint64_t set = address / QPMU_L1D_LINE % L1D_SETS;
    uint64_t place = address - 0xffffffff80000000ull, entry;
    unsigned way;

    if (!is_mips || place >= RAM_LOW) {
        const struct page_place *known = known_page(cpu, address);

        if (!knows_page(cpu, known, address) ||
            (!is_mips && address % QPMU_L1D_LINE > QPMU_L1D_LINE - 8)) {
            memory_accessed(0, info, address, step);
            return;
        }
        place = known->place + address % PAGE;
    }
    way = l1d_recent[set];
    entry = l1d_entry[set * 2 + way];
    if (entry >> QPMU_LINE_BITS == place / QPMU_L1D_LINE && (entry & need) == need)
        return;
    entry = l1d_entry[set * 2 + (way ^ 1)];
    if (entry >> QPMU_LINE_BITS == place / QPMU_L1D_LINE && (entry & need) == need)
        l1d_recent[set] = (uint8_t)(way ^ 1);
    else
        access_known(place, address, step, need & QPMU_LINE_OWNED);
}

#define LOADED QPMU_LINE_VALID
#define STORED (QPMU_LINE_VALID | QPMU_LINE_OWNED)

static void loaded_mips(unsigned int index, emu_access info, uint64_t address, void *step)
{
    (void)index;
    access_fast(true, info, address, step, LOADED);
}

static void stored_mips(unsigned int index, emu_access info, uint64_t address, void *step)
{
    (void)index;
    access_fast(true, info, address, step, STORED);
}

static void loaded_x86(unsigned int index, emu_access info, uint64_t address, void *step)
{
    (void)index;
    access_fast(false, info, address, step, LOADED);
}

static void stored_x86(unsigned int index, emu_access info, uint64_t address, void *step)
{
    (void)index;
    access_fast(false, info, address, step, STORED);
}

emu_access_call *memory_callback(const struct step *step)
{
    bool load = step->insn.flags & QPMU_INSN_LOAD, store = step->insn.flags & QPMU_INSN_STORE;

    if (!one_vcpu || load == store || step->insn.flags & QPMU_INSN_UNKNOWN)
        return memory_accessed;
    if (mips)
        return store ? stored_mips : loaded_mips;
    return store ? stored_x86 : loaded_x86;
}

void fetch_prepare(struct line *line, uint64_t place, uint64_t pc)
{
    struct qpmu_cache *l1i = vcpus[0].l1i;
    uint64_t set = qpmu_cache_set(l1i, pc);

    *line = (struct line){
        .place = place,
        .pc = pc,
        .entry = place / QPMU_L1I_LINE << QPMU_LINE_BITS | QPMU_LINE_VALID,
        .both = &l1i->entry[set * 2],
        .recent = &l1i->recent[set],
    };
}

void fetch_lines(struct vcpu *cpu, const struct block *block)
{
    for (unsigned i = 0; i < block->line_count; i++) {
        const struct line *line = &block->lines[i];

        if (one_vcpu && qpmu_cache_hit(cpu->l1i, line->place, line->pc, QPMU_LINE_VALID))
            continue;
        take_lock();
        qpmu_hierarchy_access(caches, cpu->index, line->place, line->pc, 1, QPMU_FETCH);
        give_lock();
        if (model_at_limit(cpu))
            check_models(cpu, line->pc);
    }
}

void memory_take(struct vcpu *cpu, uint64_t pc)
{
    if (one_vcpu)
        return;
    take_lock();
    qpmu_hierarchy_take(caches, cpu->index);
    give_lock();
    check_models(cpu, pc);
}

/* LL: what it read, and where. */
void memory_linked(unsigned int index, emu_access info, uint64_t address, void *step)
{
    struct vcpu *cpu = vcpu_of(index);
    uint64_t physical;

    cpu->ll_size = 0;
    if (emu_access_ram(info, address, &physical) && page_place(physical, &cpu->ll_place)) {
        cpu->ll_size = emu_access_size(info);
        cpu->ll_value = page_load(cpu->ll_place, cpu->ll_size);
    }
    if (level_now() >= QPMU_LEVEL_DATA)
        memory_accessed(index, info, address, step);
}

/* SC stores if memory still is what LL read, and if it is the same place: QEMU makes no access
 * otherwise, and no callback. */
void sc_begins(unsigned int index, void *step)
{
    struct vcpu *cpu = vcpu_of(index);

    if (cpu->sc)
        sc_graduated(cpu);
    cpu->sc = step;
    cpu->sc_stored = false;
    cpu->sc_equal = cpu->ll_size != 0 && page_load(cpu->ll_place, cpu->ll_size) == cpu->ll_value;
    word_closer(cpu);
}

void memory_conditional(unsigned int index, emu_access info, uint64_t address, void *step)
{
    struct vcpu *cpu = vcpu_of(index);

    if (cpu->sc == step && cpu->sc_equal)
        cpu->sc_stored = true;
    if (level_now() >= QPMU_LEVEL_DATA)
        memory_accessed(index, info, address, step);
}

void sc_graduated(struct vcpu *cpu)
{
    uint64_t pc = cpu->sc->pc;

    cpu->sc = NULL;
    if (!cpu->sc_stored && cpu->active_count > 0)
        count_event(cpu, QPMU_SC_FAILED, 1, pc);
}
