/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of many mappings: random calls against a plain model, and ten thousand at once. */
#include "kernel/vm/vm_tree.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/vm_run.h"

#define PAGES  256u
#define ROUNDS 4000u
#define NONE   0xff
#define MANY   10000u

/* What is mapped in a window of pages: rights, and what the page's word is (0: not written). */
static uint8_t model_rights[PAGES];
static uint64_t model_value[PAGES];
static uint32_t seed;

static unsigned draw(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static uintptr_t at(unsigned page)
{
    return VM_AT + page * PAGE_SIZE;
}

static bool all_mapped(unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count; i++)
        if (model_rights[i] == NONE)
            return false;
    return true;
}

static void set(unsigned first, unsigned count, uint8_t rights, bool clear)
{
    for (unsigned i = first; i < first + count; i++) {
        model_rights[i] = rights;
        if (clear)
            model_value[i] = 0;
    }
}

static int do_map(struct vm *vm, unsigned first, unsigned count)
{
    static const uint8_t some[] = {0, ASPACE_READ, VM_RW, VM_RW, VM_RX};
    uint8_t rights = some[draw(5)];

    SELFTEST_EQUAL(-vm_map_at(vm, at(first), count, rights, 0), 0);
    set(first, count, rights, true);
    return 0;
}

static int do_unmap(struct vm *vm, unsigned first, unsigned count)
{
    SELFTEST_EQUAL(-vm_unmap(vm, at(first), count * PAGE_SIZE), 0);
    set(first, count, NONE, true);
    return 0;
}

static int do_protect(struct vm *vm, unsigned first, unsigned count)
{
    uint8_t rights = draw(2) ? VM_RW : ASPACE_READ;

    if (all_mapped(first, count)) {
        SELFTEST_EQUAL(-vm_protect(vm, at(first), count * PAGE_SIZE, rights), 0);
        set(first, count, rights, false);
    }
    return 0;
}

static int do_move(struct vm *vm, unsigned first, unsigned count)
{
    unsigned to = draw(PAGES - count);
    uintptr_t address = at(first);
    bool can = to + count <= first || first + count <= to;

    for (unsigned i = 0; can && i < count; i++) /* one mapping, whatever it was made of */
        can = model_rights[first + i] == model_rights[first] && model_rights[first] != NONE;
    if (!can)
        return 0;
    SELFTEST_EQUAL(-vm_remap(vm, &address, count * PAGE_SIZE, count * PAGE_SIZE,
                             VM_REMAP_MAY_MOVE | VM_REMAP_FIXED, at(to)),
                   0);
    set(to, count, model_rights[first], true);
    for (unsigned i = 0; i < count; i++)
        model_value[to + i] = model_value[first + i];
    set(first, count, NONE, true);
    return 0;
}

static int do_write(struct vm *vm, unsigned first, unsigned count)
{
    (void)vm;
    for (unsigned i = first; i < first + count; i++) {
        bool can = model_rights[i] != NONE && (model_rights[i] & ASPACE_WRITE);
        uint64_t value = seed + i + 1;

        SELFTEST_EQUAL(vm_write(at(i), value), can);
        if (can)
            model_value[i] = value;
    }
    return 0;
}

/* The list of mappings is what the model says, joined where it is alike. */
static int check(struct vm *vm)
{
    struct vm_mapping_info info = {.end = 0};
    unsigned runs = 0, pages = 0;

    for (unsigned i = 0; i < PAGES; i++) {
        uint64_t value = 0;
        bool readable = model_rights[i] != NONE && model_rights[i] != 0;

        if (model_rights[i] != NONE) {
            pages++;
            runs += i == 0 || model_rights[i - 1] != model_rights[i];
            if (at(i) >= info.end)
                SELFTEST_CHECK(vm_mapping_next(vm, at(i), &info));
            SELFTEST_CHECK(info.start <= at(i) && at(i) < info.end);
            SELFTEST_EQUAL(info.rights, model_rights[i]);
        }
        SELFTEST_EQUAL(vm_read(at(i), &value), readable);
        if (readable)
            SELFTEST_EQUAL(value, model_value[i]);
    }
    SELFTEST_EQUAL(vm->size, pages * PAGE_SIZE);
    SELFTEST_EQUAL(vm->count, runs);
    return 0;
}

static int random_calls(struct vm *vm)
{
    static int (*const calls[])(struct vm *, unsigned, unsigned) = {do_map, do_unmap, do_protect,
                                                                    do_move, do_write};

    set(0, PAGES, NONE, true);
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned first = draw(PAGES - 16);

        if (calls[draw(5)](vm, first, 1 + draw(16)) != 0 || (i % 50 == 0 && check(vm) != 0))
            return selftest_fail("%s, round %u", selftest_reason(), i);
    }
    return check(vm);
}

SELFTEST(vm_random, "vm-random", "random calls leave what a plain model says")
{
    seed = 4711;
    return vm_run(random_calls);
}

/* Without the mapping at MIDDLE there is one hole of three pages. */
static int check_hole(struct vm *vm, uintptr_t middle)
{
    uintptr_t place = 0;

    SELFTEST_EQUAL(-vm_unmap(vm, middle, PAGE_SIZE), 0);
    SELFTEST_EQUAL(-vm_map(vm, &place, 3 * PAGE_SIZE, ASPACE_READ, 0, NULL, 0), 0);
    SELFTEST_EQUAL(place, middle - PAGE_SIZE);
    SELFTEST_EQUAL(-vm_unmap(vm, place, 3 * PAGE_SIZE), 0);
    SELFTEST_EQUAL(-vm_map_at(vm, middle, 1, VM_RW, 0), 0);
    return 0;
}

/* Every other page, from the top down; and holes are found where they are. */
static int ten_thousand(struct vm *vm)
{
    uintptr_t base = VM_AT, place;

    for (unsigned i = 0; i < MANY; i++)
        SELFTEST_EQUAL(-vm_map_at(vm, base + 2 * i * PAGE_SIZE, 1, VM_RW, 0), 0);
    SELFTEST_EQUAL(vm->count, MANY);
    vm->search_end = base + 2 * MANY * PAGE_SIZE - PAGE_SIZE;
    for (unsigned i = 1; i < MANY; i += 1000) { /* the holes from the top down */
        place = 0;
        SELFTEST_EQUAL(-vm_map(vm, &place, PAGE_SIZE, ASPACE_READ, 0, NULL, 0), 0);
        SELFTEST_EQUAL(place, base + (2 * MANY - 3 - 2 * (i / 1000)) * PAGE_SIZE);
    }
    for (unsigned i = 2500; i < 2600; i++)
        if (check_hole(vm, base + 2 * i * PAGE_SIZE) != 0)
            return 1;
    place = 0;
    SELFTEST_EQUAL(-vm_map(vm, &place, 4 * PAGE_SIZE, ASPACE_READ, 0, NULL, 0), 0);
    SELFTEST_EQUAL(place, base - 4 * PAGE_SIZE);
    SELFTEST_EQUAL(vm_write_pages(base, 1, 7), 1);
    SELFTEST_EQUAL(vm->root->height <= 19, 1); /* 1.44 * log2(10,000) */
    SELFTEST_EQUAL(-vm_unmap(vm, base, 2 * MANY * PAGE_SIZE), 0);
    SELFTEST_EQUAL(vm->count, 1);
    return 0;
}

SELFTEST(vm_many, "vm-many", "ten thousand mappings, and the holes between them")
{
    return vm_run(ten_thousand);
}
