/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's RAM, which QEMU has mapped as a file of its own (a memory backend that is shared):
 * found among this process's mappings by its name. The plugin runs inside QEMU and uses the same
 * mapping, so nothing has to be opened, agreed upon or removed.
 */
#include "tools/qpmu/plugin/page.h"

#include <byteswap.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char *ram_name = "memory-backend-memfd";
static uint64_t ram_base;
static bool swapped;
static unsigned char *ram;
static uint64_t ram_size;

void page_arguments(const char *name, uint64_t base, bool big)
{
    if (name)
        ram_name = name;
    ram_base = base;
    swapped = big;
}

/* Mappings of one file in a row are one: the kernel splits them where their flags differ. */
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
}

/* CPUs may knock at the same time. */
bool page_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find);
    return ram != NULL;
}

bool page_place(uint64_t physical, uint64_t *place)
{
    *place = physical - ram_base;
    return *place < ram_size;
}

bool page_host_place(const void *host, uint64_t *place)
{
    *place = (uintptr_t)host - (uintptr_t)ram;
    return host && ram && *place < ram_size;
}

struct qpmu_slot *page_slot(uint64_t place)
{
    if (place % 4096 != 0 || ram_size < QPMU_SLOT_SIZE || place > ram_size - QPMU_SLOT_SIZE)
        return NULL;
    return (struct qpmu_slot *)(ram + place);
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
