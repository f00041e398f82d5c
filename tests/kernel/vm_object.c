/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of what a mapping shows: an object's pages, private and shared, and its end. */
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/vm_run.h"

#define PAGES 10u

/* A file of 10 pages, less 100 bytes, in memory; it counts who holds it. */
static struct {
    struct vm_object object; /* first */
    void *pages[PAGES];
    int holds;
    unsigned asked, writes, synced;
} file;

static int file_page(struct vm_object *object, uint64_t index, bool write, void **page, bool *slept)
{
    (void)object;
    file.asked++;
    file.writes += write;
    if (index >= PAGES)
        return index == PAGES + 1 ? -EIO : -ENXIO;
    *slept = index == 9;
    *page = file.pages[index];
    return page_hold(*page) ? 0 : -ENOMEM;
}

static void vm_object_file_hold(struct vm_object *object)
{
    (void)object;
    file.holds++;
}

static void vm_object_file_release(struct vm_object *object)
{
    (void)object;
    file.holds--;
}

static uint64_t file_size(struct vm_object *object)
{
    (void)object;
    return PAGES * PAGE_SIZE - 100;
}

static void file_name(struct vm_object *object, struct vm_object_name *out)
{
    (void)object;
    strlcpy(out->name, "/tmp/file", sizeof out->name);
    out->inode = 77;
}

static int file_sync(struct vm_object *object, uint64_t offset, uint64_t size)
{
    (void)object;
    file.synced += (unsigned)((offset + size) / PAGE_SIZE);
    return 0;
}

static const struct vm_object_ops file_ops = {
    file_page, vm_object_file_hold, vm_object_file_release, file_size, file_name, file_sync,
};

static bool file_make(void)
{
    memset(&file, 0, sizeof file);
    file.object.ops = &file_ops;
    for (unsigned i = 0; i < PAGES; i++) {
        file.pages[i] = page_alloc(0);
        if (!file.pages[i])
            return false;
        memset(file.pages[i], 0, PAGE_SIZE);
        *(uint64_t *)file.pages[i] = 100 + i;
    }
    return true;
}

static int map_file(struct vm *vm, uintptr_t address, unsigned rights, unsigned flags,
                    uint64_t first)
{
    return vm_map(vm, &address, 12 * PAGE_SIZE, rights, flags | VM_FIXED, &file.object,
                  first * PAGE_SIZE);
}

static int object_private(struct vm *vm)
{
    uint64_t copied = vm_run_counter("flt_acow"), promoted = vm_run_counter("flt_prcopy");
    uint64_t shown = vm_run_counter("flt_obj"), pages = vm_run_pages();

    SELFTEST_EQUAL(-map_file(vm, VM_AT, VM_RW, 0, 2), 0);
    SELFTEST_EQUAL(file.holds, 1);
    SELFTEST_EQUAL(vm_pages_with(VM_AT, 8, 102), 8); /* read */
    SELFTEST_EQUAL(vm_run_counter("flt_obj") - shown, 8);
    SELFTEST_EQUAL(vm_run_pages() - pages, 0);
    SELFTEST_EQUAL(vm_write_pages(VM_AT, 3, 500), 3);
    SELFTEST_EQUAL(vm_run_counter("flt_acow") - copied, 3);
    SELFTEST_EQUAL(-vm_unmap(vm, VM_AT + 6 * PAGE_SIZE, 2 * PAGE_SIZE), 0);
    SELFTEST_EQUAL(file.holds, 2); /* two pieces */
    SELFTEST_EQUAL(-map_file(vm, VM_AT + 32 * PAGE_SIZE, VM_RW, 0, 0), 0);
    SELFTEST_EQUAL(vm_write_pages(VM_AT + 32 * PAGE_SIZE, 5, 900), 5);
    SELFTEST_EQUAL(vm_run_counter("flt_prcopy") - promoted, 5);
    SELFTEST_EQUAL(vm_run_faults().copied, 8);
    SELFTEST_EQUAL(vm_run_faults().major, 1);
    SELFTEST_EQUAL(vm_run_faults().minor, 15);
    SELFTEST_EQUAL(vm_run_pages() - pages, 8);
    SELFTEST_EQUAL(*(uint64_t *)file.pages[2], 102);
    SELFTEST_EQUAL(file.writes, 0);
    SELFTEST_EQUAL(vm_fault(vm, VM_AT + 9 * PAGE_SIZE, ASPACE_READ), VM_FAULT_BEYOND);
    SELFTEST_EQUAL(vm_fault(vm, VM_AT + 43 * PAGE_SIZE, ASPACE_READ), VM_FAULT_BEYOND);
    return 0;
}

static int object_shared(struct vm *vm)
{
    struct vm_mapping_info info;

    SELFTEST_EQUAL(-map_file(vm, VM_AT, VM_RW, VM_SHARED | VM_READ_ONLY, 0), EACCES);
    SELFTEST_EQUAL(-map_file(vm, VM_AT, VM_RW, VM_SHARED, 0), 0);
    SELFTEST_EQUAL(vm_pages_with(VM_AT, 5, 100), 5);
    SELFTEST_EQUAL(file.writes, 0);
    SELFTEST_EQUAL(vm_write_pages(VM_AT, 4, 600), 4);
    SELFTEST_EQUAL(file.writes, 4);
    SELFTEST_EQUAL(*(uint64_t *)file.pages[3], 603);
    SELFTEST_EQUAL(vm_run_faults().copied, 0);
    SELFTEST_EQUAL(vm_run_faults().minor, 9);
    SELFTEST_EQUAL(-vm_sync(vm, VM_AT + PAGE_SIZE, 2 * PAGE_SIZE, false), 0);
    SELFTEST_EQUAL(file.synced, 3);
    SELFTEST_EQUAL(-vm_advise(vm, VM_AT, 4 * PAGE_SIZE, VM_DONTNEED), 0);
    SELFTEST_EQUAL(vm_resident(vm), 1);
    SELFTEST_EQUAL(vm_pages_with(VM_AT, 4, 600), 4);
    SELFTEST_EQUAL(-vm_advise(vm, VM_AT, 4 * PAGE_SIZE, VM_FREE), EINVAL);
    SELFTEST_EQUAL(-map_file(vm, VM_AT + 64 * PAGE_SIZE, ASPACE_READ, VM_SHARED | VM_READ_ONLY, 1),
                   0);
    SELFTEST_EQUAL(-vm_protect(vm, VM_AT + 64 * PAGE_SIZE, PAGE_SIZE, VM_RW), EACCES);
    SELFTEST_CHECK(vm_mapping_next(vm, VM_AT + 12 * PAGE_SIZE, &info));
    SELFTEST_EQUAL(info.start, VM_AT + 64 * PAGE_SIZE);
    SELFTEST_EQUAL(info.end - info.start, 12 * PAGE_SIZE);
    SELFTEST_EQUAL(info.offset, PAGE_SIZE);
    SELFTEST_EQUAL(info.name.inode, 77);
    SELFTEST_EQUAL(strcmp(info.name.name, "/tmp/file"), 0);
    SELFTEST_CHECK(!vm_mapping_next(vm, info.end, &info));
    return 0;
}

static int run_with_file(int (*job)(struct vm *vm))
{
    int result;

    SELFTEST_CHECK(file_make());
    result = vm_run(job);
    for (unsigned i = 0; i < PAGES; i++) {
        if (result == 0)
            SELFTEST_EQUAL(page_references(file.pages[i]), 1);
        page_release(file.pages[i]);
    }
    if (result == 0)
        SELFTEST_EQUAL(file.holds, 0);
    return result;
}

SELFTEST(vm_object_private, "vm-object-private",
         "a private mapping of an object reads its pages, and writes to copies")
{
    return run_with_file(object_private);
}

SELFTEST(vm_object_shared, "vm-object-shared",
         "a shared mapping writes to the object, which is told")
{
    return run_with_file(object_shared);
}

/* The first page that is asked for is not the first one of the object. */
static int memory_from_the_middle(uint64_t middle)
{
    struct vm_object *object = vm_memory_create((middle + 1) * PAGE_SIZE);
    void *first, *other, *again;
    bool slept;

    SELFTEST_CHECK(object != NULL);
    SELFTEST_EQUAL(-object->ops->page(object, middle, true, &other, &slept), 0);
    SELFTEST_EQUAL(-object->ops->page(object, 0, true, &first, &slept), 0);
    SELFTEST_EQUAL(-object->ops->page(object, middle, true, &again, &slept), 0);
    SELFTEST_CHECK(other == again && other != first);
    SELFTEST_EQUAL(vm_memory_pages(object), 2);
    page_release(first);
    page_release(other);
    page_release(again);
    object->ops->release(object);
    return 0;
}

static int memory(struct vm *vm)
{
    struct vm_object *object = vm_memory_create(3000 * PAGE_SIZE);
    uintptr_t at = VM_AT;
    uint64_t value;

    if (memory_from_the_middle(5) != 0 || memory_from_the_middle(1u << 20) != 0)
        return 1;
    SELFTEST_CHECK(object != NULL);
    SELFTEST_EQUAL(-vm_map(vm, &at, 3000 * PAGE_SIZE, VM_RW, VM_SHARED | VM_FIXED, object, 0), 0);
    SELFTEST_EQUAL(vm_write_pages(VM_AT, 20, 1), 20);
    SELFTEST_EQUAL(vm_write_pages(VM_AT + 2999 * PAGE_SIZE, 1, 5), 1);
    SELFTEST_EQUAL(vm_memory_pages(object), 21);
    SELFTEST_EQUAL(-vm_advise(vm, VM_AT, 3000 * PAGE_SIZE, VM_DONTNEED), 0);
    SELFTEST_EQUAL(vm_pages_with(VM_AT, 20, 1), 20);
    SELFTEST_CHECK(vm_read(VM_AT + 2999 * PAGE_SIZE, &value) && value == 5);
    SELFTEST_EQUAL(-vm_advise(vm, VM_AT, 3000 * PAGE_SIZE, VM_DONTNEED), 0);
    vm_memory_resize(object, 9 * PAGE_SIZE + 8);
    SELFTEST_EQUAL(vm_memory_pages(object), 10);
    SELFTEST_EQUAL(vm_pages_with(VM_AT, 20, 1), 10);
    SELFTEST_EQUAL(vm_fault(vm, VM_AT + 10 * PAGE_SIZE, ASPACE_READ), VM_FAULT_BEYOND);
    vm_memory_resize(object, 12 * PAGE_SIZE);
    SELFTEST_CHECK(vm_read(VM_AT + 11 * PAGE_SIZE, &value) && value == 0);
    vm_memory_resize(object, 2);
    vm_memory_resize(object, PAGE_SIZE);
    SELFTEST_EQUAL(vm_memory_pages(object), 1);
    object->ops->release(object);
    return 0;
}

SELFTEST(vm_object_memory, "vm-object-memory",
         "memory as an object grows, shrinks and is found again")
{
    return vm_run(memory);
}
