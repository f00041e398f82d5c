/* SPDX-License-Identifier: BSD-2-Clause */
/* Regular files of trees: where their bytes are. Reading and writing them is in tree_file.c. */
#include "fs/tree/tree_data.h"
#include "fs/file/calls.h"
#include "fs/tree/tree.h"
#include "kernel/memory/page.h"
#include "kernel/vm/vm_object.h"
#include "lib/errno.h"
#include "lib/string.h"

PAGE_OWNER(file_pages, "files");

uint64_t tree_data_pages(void)
{
    return file_pages.pages;
}

void tree_data_init(struct tree_data *data)
{
    mutex_init(&data->writing, "file data");
    spinlock_init(&data->lock, "file pages");
    data->seals = FILE_SEAL_SEAL;
}

/* A page of TREE's share of memory, full of zeroes. */
static int tree_page_alloc(struct tree *tree, void **out)
{
    uintptr_t state = spinlock_acquire(&tree->count_lock);
    bool full = tree->pages >= tree->pages_max;

    if (!full)
        tree->pages++;
    spinlock_release(&tree->count_lock, state);
    if (full)
        return -ENOSPC;
    *out = page_alloc_for(&file_pages, 0);
    if (*out != NULL) {
        memset(*out, 0, PAGE_SIZE);
        return 0;
    }
    state = spinlock_acquire(&tree->count_lock);
    tree->pages--;
    spinlock_release(&tree->count_lock, state);
    return -ENOMEM;
}

static void tree_page_release(struct tree *tree, void *page)
{
    uintptr_t state = spinlock_acquire(&tree->count_lock);

    tree->pages--;
    spinlock_release(&tree->count_lock, state);
    page_release(page);
}

/* Takes away the pages from FIRST on, up to END. */
static void tree_data_cut_range(struct tree_node *node, uint64_t first, uint64_t end)
{
    struct tree_data *data = &node->data;
    void *page;

    do {
        uint64_t index = first;
        uintptr_t state = spinlock_acquire(&data->lock);

        page = radix_next(&data->pages, &index);
        if (index >= end)
            page = NULL;
        if (page != NULL) {
            radix_remove(&data->pages, index);
            data->page_count--;
        }
        spinlock_release(&data->lock, state);
        if (page != NULL)
            tree_page_release(node->tree, page);
    } while (page != NULL);
}

void tree_data_cut(struct tree_node *node, uint64_t first)
{
    tree_data_cut_range(node, first, UINT64_MAX);
}

void tree_data_end(struct tree_node *node)
{
    tree_data_cut(node, 0);
    mutex_destroy(&node->data.writing);
}

static void *tree_data_hold_page(struct tree_data *data, uint64_t index)
{
    uintptr_t state = spinlock_acquire(&data->lock);
    void *page = radix_get(&data->pages, index);

    if (page != NULL && !page_hold(page))
        page = NULL;
    spinlock_release(&data->lock, state);
    return page;
}

/* Makes PAGE, new, the one of that index, unless there is one meanwhile. */
static int tree_data_insert_page(struct tree_node *node, uint64_t index, void **page)
{
    struct tree_data *data = &node->data;
    uintptr_t state = spinlock_acquire(&data->lock);
    void *there = radix_get(&data->pages, index), *spare = NULL;
    int error = 0;

    if (there != NULL) {
        spare = *page;
        *page = there;
    } else {
        error = radix_set(&data->pages, index, *page);
        data->page_count += error == 0;
    }
    if (error == 0 && !page_hold(*page))
        error = -ENOMEM;
    spinlock_release(&data->lock, state);
    if (error != 0 && there == NULL)
        spare = *page;
    if (spare != NULL)
        tree_page_release(node->tree, spare);
    return error;
}

/* The page of that index, if it lies in the archive as it is to be. */
static void *tree_data_page_in_place(const struct tree_data *data, uint64_t index)
{
    uint64_t start = index << PAGE_SHIFT;

    if (!data->in_place || start + PAGE_SIZE > data->size)
        return NULL;
    return (void *)(uintptr_t)(data->archive + start);
}

static void tree_data_copy_archive(const struct tree_data *data, uint64_t index, void *page)
{
    uint64_t start = index << PAGE_SHIFT;
    uint64_t size = data->size - start;

    memcpy(page, data->archive + start, size < PAGE_SIZE ? size : PAGE_SIZE);
}

int tree_data_page(struct tree_node *node, uint64_t index, bool create, void **out)
{
    struct tree_data *data = &node->data;
    int error;

    *out = tree_data_page_in_place(data, index);
    if (*out != NULL)
        return page_hold(*out) ? 0 : -ENOMEM;
    *out = tree_data_hold_page(data, index);
    if (*out != NULL || (!create && data->archive == NULL))
        return 0;
    error = tree_page_alloc(node->tree, out);
    if (error != 0)
        return error;
    if (data->archive != NULL)
        tree_data_copy_archive(data, index, *out);
    return tree_data_insert_page(node, index, out);
}

uint64_t tree_data_size(struct tree_node *node)
{
    uintptr_t state = spinlock_acquire(&node->data.lock);
    uint64_t size = node->data.size;

    spinlock_release(&node->data.lock, state);
    return size;
}

uint64_t tree_data_blocks(struct tree_node *node)
{
    uintptr_t state = spinlock_acquire(&node->data.lock);
    uint64_t blocks = node->data.archive != NULL ? (node->data.size + 511) / 512
                                                 : node->data.page_count * (PAGE_SIZE / 512);

    spinlock_release(&node->data.lock, state);
    return blocks;
}

void tree_data_set_size(struct tree_node *node, uint64_t size)
{
    uintptr_t state = spinlock_acquire(&node->data.lock);

    node->data.size = size;
    spinlock_release(&node->data.lock, state);
}

/* What a mapping has written behind the end is not to appear when the file grows. */
void tree_data_clear_tail(struct tree_node *node, uint64_t size)
{
    size_t used = size % PAGE_SIZE;
    char *page = used == 0 ? NULL : tree_data_hold_page(&node->data, size >> PAGE_SHIFT);

    if (page == NULL)
        return;
    memset(page + used, 0, PAGE_SIZE - used);
    page_release(page);
}

static uint64_t tree_data_page_above(uint64_t offset)
{
    return (offset + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
}

static uint64_t tree_data_page_below(uint64_t offset)
{
    return offset & ~(uint64_t)(PAGE_SIZE - 1);
}

/* Of a file that is not mapped nothing has to be looked at. `writing` is not held, which a fault
 * may wait for. */
static void tree_data_revoke(struct tree_node *node, uint64_t start, uint64_t end, bool copies)
{
    uintptr_t state = spinlock_acquire(&node->vnode.lock);
    bool mapped = node->vnode.mapped > 0;

    spinlock_release(&node->vnode.lock, state);
    if (mapped)
        vm_revoke(&node->vnode, start, end, copies);
}

int tree_data_truncate(struct tree_node *node, uint64_t size)
{
    struct tree_data *data = &node->data;
    uint64_t old;

    if (data->archive != NULL)
        return -EROFS;
    if (size > INT64_MAX)
        return -EFBIG;
    mutex_enter(&data->writing);
    old = data->size;
    if (data->seals & (size < old ? FILE_SEAL_SHRINK : size > old ? FILE_SEAL_GROW : 0)) {
        mutex_exit(&data->writing);
        return -EPERM;
    }
    tree_data_clear_tail(node, size < old ? size : old);
    tree_data_set_size(node, size);
    if (size < old)
        tree_data_cut(node, (size + PAGE_SIZE - 1) >> PAGE_SHIFT);
    mutex_exit(&data->writing);
    if (size < old)
        tree_data_revoke(node, tree_data_page_above(size), UINT64_MAX, true);
    tree_touch(node, true);
    return 0;
}

/* Zeroes from START to END, in one page. */
static void tree_data_zero(struct tree_node *node, uint64_t start, uint64_t end)
{
    char *page = start < end ? tree_data_hold_page(&node->data, start >> PAGE_SHIFT) : NULL;

    if (page == NULL)
        return;
    memset(page + start % PAGE_SIZE, 0, end - start);
    page_release(page);
}

static void tree_data_punch(struct tree_node *node, uint64_t start, uint64_t end)
{
    uint64_t first = tree_data_page_above(start), last = tree_data_page_below(end);

    if (first > last) {
        tree_data_zero(node, start, end);
        return;
    }
    tree_data_zero(node, start, first);
    tree_data_cut_range(node, first >> PAGE_SHIFT, last >> PAGE_SHIFT);
    tree_data_zero(node, last, end);
}

/* Those that forbid it. */
static uint32_t tree_data_allocate_seals(const struct tree_data *data, unsigned flags, uint64_t end)
{
    if (flags & FS_ALLOCATE_HOLE)
        return FILE_SEAL_WRITES;
    return end > data->size ? FILE_SEAL_GROW : 0;
}

int tree_op_allocate(struct vnode *vnode, unsigned flags, uint64_t offset, uint64_t size)
{
    struct tree_node *node = tree_node(vnode);
    struct tree_data *data = &node->data;

    if (!tree_has_data(node) || data->archive != NULL)
        return -EOPNOTSUPP;
    mutex_enter(&data->writing);
    if (data->seals & tree_data_allocate_seals(data, flags, offset + size)) {
        mutex_exit(&data->writing);
        return -EPERM;
    }
    if (flags & FS_ALLOCATE_HOLE) {
        tree_data_punch(node, offset, offset + size);
    } else if (!(flags & FS_ALLOCATE_KEEP) && offset + size > data->size) {
        tree_data_clear_tail(node, data->size);
        tree_data_set_size(node, offset + size);
    }
    mutex_exit(&data->writing);
    if (flags & FS_ALLOCATE_HOLE)
        tree_data_revoke(node, tree_data_page_above(offset), tree_data_page_below(offset + size),
                         false);
    tree_touch(node, true);
    return 0;
}

int tree_data_seal(struct vnode *vnode, uint32_t seals)
{
    struct tree_data *data = &tree_node(vnode)->data;
    uintptr_t state;
    int error = 0;

    if (vnode->file_ops != &tree_regular_file || data->archive != NULL)
        return -EINVAL;
    mutex_enter(&data->writing);
    state = spinlock_acquire(&vnode->lock);
    if (data->seals & FILE_SEAL_SEAL)
        error = -EPERM;
    else if (seals & ~data->seals & FILE_SEAL_WRITE && vnode->mapped_writers > 0)
        error = -EBUSY;
    else
        data->seals |= seals;
    spinlock_release(&vnode->lock, state);
    mutex_exit(&data->writing);
    return error;
}

int tree_data_seals(struct vnode *vnode)
{
    const struct tree_data *data = &tree_node(vnode)->data;

    return vnode->file_ops != &tree_regular_file || data->archive != NULL ? -EINVAL
                                                                          : (int)data->seals;
}

int tree_op_page(struct vnode *vnode, uint64_t index, bool write, void **page, bool *slept)
{
    struct tree_node *node = tree_node(vnode);
    uint64_t size;
    int error;

    (void)slept;
    if (!tree_has_data(node))
        return -ENODEV;
    size = tree_data_size(node);
    if (index >= (size + PAGE_SIZE - 1) >> PAGE_SHIFT)
        return -ENXIO;
    if (write && node->data.archive != NULL)
        return -EIO; /* never asked for: nobody opens it for writing */
    error = tree_data_page(node, index, true, page);
    if (error == 0 && write)
        tree_touch(node, true);             /* once a page: later stores are nobody's business */
    return error == -ENOSPC ? -EIO : error; /* SIGBUS, as on a full tmpfs */
}
