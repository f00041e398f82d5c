/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random bytes. Where the CPU has a source of them (RDRAND) it is that. Elsewhere (Malta) they are
 * splitmix64's, begun with the cycle counter and the time, into which each request mixes the cycle
 * counter: good enough for hash seeds and stack protectors, no secret to who knows when the machine
 * started, and the same in every run that is deterministic.
 */
#include <arch/cpu.h>
#include <arch/random.h>
#include "fs/dev/dev.h"
#include "kernel/lock/spinlock.h"
#include "kernel/time/clock.h"
#include "lib/string.h"

static struct spinlock lock = SPINLOCK_INITIALIZER("random");
static uint64_t generator;

/* Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): its constants. */
static uint64_t dev_random_next_word(void)
{
    uint64_t word = generator += 0x9e3779b97f4a7c15u;

    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
    word = (word ^ word >> 27) * 0x94d049bb133111ebu;
    return word ^ word >> 31;
}

static uint64_t random_word(void)
{
    uintptr_t state;
    uint64_t word;

    if (cpu_random(&word))
        return word;
    state = spinlock_acquire(&lock);
    generator ^= cycles_now() << 20 ^ clock_now();
    word = dev_random_next_word();
    spinlock_release(&lock, state);
    return word;
}

void random_bytes(void *buffer, size_t size)
{
    char *at = buffer;

    while (size > 0) {
        uint64_t word = random_word();
        size_t part = size < sizeof word ? size : sizeof word;

        memcpy(at, &word, part);
        at += part;
        size -= part;
    }
}
