/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an address space is made of, for aspace.c and the machines; everybody else goes through
 * <arch/aspace.h>.
 *
 * A tree of tables of 512 words: LEVELS deep, the lowest with a word for each page. The machine
 * says what the words look like (<machine/aspace.h>). Once made, a table stays until the address
 * space goes.
 */
#pragma once

#include <arch/aspace.h>
#include "kernel/cpu/cpu.h"
#include "kernel/lock/spinlock.h"

#define ASPACE_TABLE_WORDS 512u

struct aspace {
    uint64_t *top;
    unsigned levels;
    uintptr_t start; /* addresses that it may map */
    size_t size;
    uint64_t empty; /* the word of a page that is not mapped */
    size_t pages, tables;
    struct spinlock lock;
    volatile cpu_set_t active; /* CPUs on which it is active; of the kernel's it is not kept: all */
    uint64_t machine;          /* Malta: generation and ASID */
};

/* A table full of WORD; NULL if out of memory. For the machine: not counted. */
uint64_t *aspace_table_alloc(uint64_t word);
void aspace_table_free(uint64_t *table);
