/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's RAM, which QEMU has mapped as a file of its own (a memory backend that is shared):
 * found among this process's mappings by its name. The plugin runs inside QEMU and uses the same
 * mapping, so nothing has to be opened, agreed upon or removed.
 */
#include "tools/qpmu/plugin/page.h"

#include "tools/qpmu/qemu/emu.h"

#include <byteswap.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define FOUR_GIB       0x100000000ull
#define MALTA_LOW      0x10000000u
#define MALTA_HOLE_END 0x20000000u

static const char *ram_name = "memory-backend-memfd";
static uint64_t ram_base;
static bool named, swapped, sign_extends;
static unsigned char *ram;
static uint64_t ram_size;
static uint64_t ram_low; /* PC: how much of it is below the hole; 0: all, or not known */

void page_arguments(const char *name, uint64_t base, bool big)
{
    if (name)
        ram_name = name;
    named = name != NULL;
    ram_base = base;
    swapped = big;
    sign_extends = base != 0; /* a Malta */
}

/* Called once, which is how often the user hears of it. Mappings of one file in a row are one: the
 * kernel splits them where their flags differ. */
static void find(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];

    while (maps && fgets(line, sizeof(line), maps)) {
        uint64_t begin, end, offset;
        char flags[5];

        if (!strstr(line, ram_name) ||
            sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64, &begin, &end, flags, &offset) != 4)
            continue;
        if (flags[1] != 'w' || flags[3] != 's' || offset != ram_size ||
            (ram && begin != (uintptr_t)ram + ram_size))
            continue;
        if (!ram)
            ram = (unsigned char *)(uintptr_t)begin;
        ram_size += end - begin;
    }
    if (maps)
        fclose(maps);
    if (!ram && named)
        fprintf(stderr,
                "qpmu: the guest asked for counters, but no shared memory has \"%s\" in its name "
                "(ram=)\n",
                ram_name);
    else if (!ram)
        fprintf(stderr,
                "qpmu: the guest asked for counters, but its RAM is not shared: add -object "
                "memory-backend-memfd,id=ram,size=... and -machine memory-backend=ram (or start "
                "QEMU by "
                "qemu-pmu)\n");
}

/* CPUs may make the hypercall at the same time. */
bool page_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find);
    return ram != NULL;
}

/*
 * QEMU 7.2 tells the place in all RAM, plus `ram_base`; later ones the physical address, where RAM
 * may have a hole: Malta's first 256 MiB are also at 0, and a PC's RAM goes on at 4 GiB.
 */
bool page_place(uint64_t physical, uint64_t *place)
{
    if (physical >= ram_base)
        physical -= ram_base;
    else if (physical >= MALTA_LOW && physical < MALTA_HOLE_END)
        return false;
    if (ram_low && physical >= FOUR_GIB)
        physical -= FOUR_GIB - ram_low;
    else if (ram_low && physical >= ram_low)
        return false;
    *place = physical;
    return *place < ram_size;
}

/* Whether what lies at PLACE is what the CPU sees at ADDRESS: tried with a value that nobody else
 * has written. */
static bool is_seen(uint64_t place, uint64_t address)
{
    uint32_t *word, before, seen = 0, tried = 0x9e3779b9u;

    if (place > ram_size - sizeof(*word) || place % sizeof(*word) != 0)
        return false;
    word = (uint32_t *)(void *)(ram + place);
    before = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    tried ^= before;
    __atomic_store_n(word, tried, __ATOMIC_SEQ_CST);
    (void)!emu_memory_read(address, (uint8_t *)&seen, sizeof(seen));
    __atomic_store_n(word, before, __ATOMIC_SEQ_CST);
    return seen == tried;
}

bool page_prove(uint64_t physical, uint64_t address)
{
    /* How much RAM QEMU's PCs have below the hole, where they have more: hw/i386/pc_piix.c,
     * pc_q35.c */
    static const uint32_t lows[] = {0xc0000000u, 0x80000000u, 0xe0000000u, 0xb0000000u};
    uint64_t place;

    if (ram_base || ram_low || ram_size <= lows[1] || physical < FOUR_GIB || emu.api < 4)
        return true;
    for (unsigned i = 0; i < sizeof(lows) / sizeof(lows[0]); i++) {
        ram_low = lows[i];
        if (page_place(physical, &place) && is_seen(place, address))
            return true;
    }
    ram_low = 0;
    return false;
}

bool page_host_place(const void *host, uint64_t *place)
{
    *place = (uintptr_t)host - (uintptr_t)ram;
    return host && ram && *place < ram_size;
}

void page_complain(uint64_t physical)
{
    static bool told;

    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        fprintf(stderr,
                "qpmu: the guest's slot at %#" PRIx64 " is not a page of its RAM, which is %" PRIu64
                " bytes from %#" PRIx64 " (base=, ram=)\n",
                physical, ram_size, ram_base);
}

struct qpmu_slot *page_slot(uint64_t place)
{
    if (place % 4096 != 0 || ram_size < QPMU_SLOT_SIZE || place > ram_size - QPMU_SLOT_SIZE)
        return NULL;
    return (struct qpmu_slot *)(ram + place);
}

struct qpmu_record *page_records(uint64_t place, uint32_t count, uint32_t stride, uint32_t words)
{
    const uint64_t size = (uint64_t)count * stride + words * 8ull;

    if (count == 0 || (count & (count - 1)) != 0 || place % sizeof(struct qpmu_record) != 0 ||
        ram_size < size || place > ram_size - size)
        return NULL;
    return (struct qpmu_record *)(ram + place);
}

const struct qpmu_stack *page_stack(uint64_t place)
{
    if (place % 16 != 0 || ram_size < sizeof(struct qpmu_stack) ||
        place > ram_size - sizeof(struct qpmu_stack))
        return NULL;
    return (const struct qpmu_stack *)(ram + place);
}

uint64_t page_number(uint64_t place, unsigned size)
{
    uint64_t value = page_load(place, size);

    if (size == 4) {
        value = swapped ? bswap_32((uint32_t)value) : value;
        return sign_extends ? (uint64_t)(int64_t)(int32_t)value : value;
    }
    return swapped ? bswap_64(value) : value;
}

uint64_t page_load(uint64_t place, unsigned size)
{
    uint64_t value = 0;

    if (size > 8 || ram_size < size || place > ram_size - size)
        return 0;
    memcpy(&value, ram + place, size);
    return value;
}

uint32_t page_get32(const uint32_t *field)
{
    uint32_t value = __atomic_load_n(field, __ATOMIC_ACQUIRE);

    return swapped ? bswap_32(value) : value;
}

uint64_t page_get64(const uint64_t *field)
{
    uint64_t value = __atomic_load_n(field, __ATOMIC_ACQUIRE);

    return swapped ? bswap_64(value) : value;
}

void page_set16(uint16_t *field, uint16_t value)
{
    __atomic_store_n(field, swapped ? bswap_16(value) : value, __ATOMIC_RELAXED);
}

void page_set32(uint32_t *field, uint32_t value)
{
    __atomic_store_n(field, swapped ? bswap_32(value) : value, __ATOMIC_RELEASE);
}

void page_set64(uint64_t *field, uint64_t value)
{
    __atomic_store_n(field, swapped ? bswap_64(value) : value, __ATOMIC_RELEASE);
}
