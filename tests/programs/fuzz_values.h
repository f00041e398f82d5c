/* SPDX-License-Identifier: BSD-2-Clause */
/* For fuzz_calls.c: what arguments of calls are drawn from. */
#pragma once

#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* The numbers that are drawn. */
static __thread uint64_t dice;

static uint64_t draw(void)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return dice * 0x2545f4914f6cdd1dull;
}

static uint64_t below(uint64_t bound)
{
    return (draw() >> 16) % bound;
}

static uint64_t seed_of(uint64_t seed, uint64_t round, uint64_t child)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15ull + round * 0xbf58476d1ce4e5b9ull + child * 77777;

    x ^= x >> 31;
    return x ? x : 1;
}

/* clang-format off */
static const int64_t edges[] = {
    0, 1, -1, 2, 3, 7, 8, 15, 16, 63, 64, 65, 127, 128, 255, 256, 1023, 1024, 4095, 4096, 4097,
    8192, 65535, 65536, 1 << 20, INT32_MAX, INT32_MIN, UINT32_MAX, 1l << 32, (1l << 32) + 1,
    INT64_MAX, INT64_MIN, INT64_MAX - 4095, -2, -100, -4095, -4096, 1l << 47, (1l << 47) - 1,
    (1l << 47) - 4096, 1l << 40, 1l << 62,
};
/* clang-format on */
/* clang-format off */
static const char *const paths[] = {
    "a", "b", "c", "d", "d/a", "d/b", "d/d", "d/d/d", "l", "p", ".", "..", "", "/", "a/", "d/",
    "d/..", "./d/./a", "/tmp", "/tmp/fuzz", "/bin", "/bin/fuzz_calls", "/dev/null", "/dev/zero",
    "/dev/random", "/dev", "/dev/kstat", "/proc", "/proc/self", "/proc/self/maps",
    "/proc/self/stat", "/proc/self/status", "/proc/self/fd", "/proc/self/exe", "/proc/self/fd/3",
    "/proc/1/maps", "/proc/meminfo", "/nowhere", "long",
};
/* clang-format on */

/* The child's memory: pages of chance, the last before a hole; one that is read-only; some to be
 * mapped and unmapped. */
static uint8_t *arena, *constant;
#define ARENA   (16 * 4096ul)
#define SCRATCH 0x10000000ul
#define PAGES   64ul

static uint64_t any_value(void);

static uint64_t any_pointer(void)
{
    switch (below(12)) {
    case 0:
        return 0;
    case 1:
        return (uint64_t)arena + ARENA - below(40);
    case 2:
        return (uint64_t)arena + (below(15) + 1) * 4096 - below(32);
    case 3:
        return (uint64_t)constant + below(4096);
    case 4:
        return SCRATCH + below(PAGES) * 4096 + below(2) * below(4096);
    case 5:
        return (uint64_t)edges[below(sizeof edges / sizeof *edges)];
    case 6:
        return 0xffffffff80000000ull + below(1 << 24);
    case 7:
        return (1ull << 63) + below(1 << 20) * 4096;
    default:
        return (uint64_t)arena + below(ARENA / 8) * 8;
    }
}

static uint64_t any_process(void)
{
    switch (below(6)) {
    case 0:
        return 0;
    case 1:
        return (uint64_t)getpid();
    case 2:
        return (uint64_t)getpid() + 1 + below(4);
    case 3:
        return (uint64_t)-(int64_t)getpid();
    case 4:
        return (uint64_t)getppid();
    default:
        return below(200);
    }
}

static uint64_t any_size(void)
{
    switch (below(5)) {
    case 0:
        return below(64);
    case 1:
        return below(16) * 4096;
    case 2:
        return 1ull << below(64);
    case 3:
        return below(20000);
    default:
        return (uint64_t)edges[below(sizeof edges / sizeof *edges)];
    }
}

static uint64_t any_path(void)
{
    char *at = (char *)arena + below(15) * 4096 + below(3000);
    const char *path = paths[below(sizeof paths / sizeof *paths)];

    if (geteuid() == 0 && strncmp(path, "/dev", 4) == 0)
        path = "a"; /* root might remove it */
    if (strcmp(path, "long") == 0)
        memset(at, 'x', below(2) ? 255 : 300), at[300] = '\0';
    else
        strcpy(at, path);
    if (below(64) == 0)
        memset(arena, "/ax."[below(4)], 4200), arena[4096 + below(4)] = '\0', at = (char *)arena;
    return (uint64_t)at;
}

/* Times are short, or odd. */
static uint64_t any_time(void)
{
    int64_t *at = (int64_t *)(arena + below(100) * 16);

    for (unsigned i = 0; i < 4; i += 2) {
        at[i] = below(8) ? 0 : (int64_t)any_value();
        at[i + 1] = below(8) ? (int64_t)below(2000) : (int64_t)any_value();
    }
    return (uint64_t)at;
}

static uint64_t any_vector(void)
{
    uint64_t *at = (uint64_t *)(arena + below(64) * 64);

    for (unsigned i = 0; i < 16; i += 2) {
        at[i] = any_pointer();
        at[i + 1] = below(4) ? below(5000) : any_size();
    }
    return (uint64_t)at;
}

static uint64_t any_strings(void)
{
    uint64_t *at = (uint64_t *)(arena + below(64) * 64);
    unsigned count = (unsigned)below(7);

    for (unsigned i = 0; i < count; i++)
        at[i] = below(16) ? any_path() : any_pointer();
    at[count] = 0;
    return (uint64_t)at;
}

static uint64_t any_value(void)
{
    switch (below(10)) {
    case 0:
        return (uint64_t)edges[below(sizeof edges / sizeof *edges)];
    case 1:
        return below(64);
    case 2:
        return below(20);
    case 3:
        return 1ull << below(64);
    case 4:
        return (1ull << below(32)) | (1ull << below(16));
    case 5:
        return draw();
    case 6:
        return any_size();
    default:
        return any_pointer();
    }
}

static uint64_t argument(char kind)
{
    if (below(12) == 0)
        return any_value();
    switch (kind) {
    case 'f':
        return below(16) == 0 ? (uint64_t)-100 : below(24);
    case 'p':
        return any_path();
    case 'b':
        return any_pointer();
    case 's':
        return any_size();
    case 'i':
        return below(10);
    case 'g':
        return below(3) == 0 ? 0 : below(1 + (1u << below(13)));
    case 't':
        return any_time();
    case 'v':
        return any_vector();
    case 'a':
        return any_strings();
    case 'n':
        return any_process();
    case 'm':
        return SCRATCH + below(PAGES) * 4096;
    case 'l':
        return (1 + below(20)) * 4096;
    case 'S':
        return below(66);
    case 'd':
        return below(3) ? (uint64_t)-100 : below(24);
    case '0':
        return 0;
    default:
        return any_value();
    }
}
