/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of processes. Words at a time: they are whole, and aligned. */
#include "kernel/vm/vm_private.h"

PAGE_OWNER(process_pages, "processes");

void *vm_page_alloc(void)
{
    return page_alloc_for(&process_pages, 0);
}

uint64_t vm_all_pages(void)
{
    return process_pages.pages + vm_memory_all_pages();
}

#define AT_ONCE 32

struct dropping {
    unsigned count;
    void *pages[AT_ONCE];
};

static void vm_page_drop_page(void *argument, uint64_t physical)
{
    struct dropping *dropping = argument;

    dropping->pages[dropping->count++] = memory_pointer(physical);
    if (dropping->count == AT_ONCE) {
        page_release_all(dropping->pages, AT_ONCE);
        dropping->count = 0;
    }
}

void vm_drop_pages(struct vm *vm, uintptr_t start, uintptr_t end)
{
    struct dropping dropping;

    dropping.count = 0;
    if (aspace_unmap(vm->aspace, start, end - start, vm_page_drop_page, &dropping) > 0)
        page_release_all(dropping.pages, dropping.count);
}

void vm_page_zero(void *page)
{
    uint64_t *at = page, *end = at + PAGE_SIZE / sizeof *at;

    for (; at < end; at += 16) {
        at[0] = at[1] = at[2] = at[3] = at[4] = at[5] = at[6] = at[7] = 0;
        at[8] = at[9] = at[10] = at[11] = at[12] = at[13] = at[14] = at[15] = 0;
    }
}

void vm_page_copy(void *to, const void *from)
{
    uint64_t *at = to, *end = at + PAGE_SIZE / sizeof *at;
    const uint64_t *source = from;

    for (; at < end; at += 8, source += 8) {
        at[0] = source[0];
        at[1] = source[1];
        at[2] = source[2];
        at[3] = source[3];
        at[4] = source[4];
        at[5] = source[5];
        at[6] = source[6];
        at[7] = source[7];
    }
}
