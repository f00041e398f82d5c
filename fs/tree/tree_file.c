/* SPDX-License-Identifier: BSD-2-Clause */
/* Open regular files of trees: reading, writing, seeking holes. */
#include "fs/file/file.h"
#include "fs/tree/tree.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"

/* The part of WANTED bytes from OFFSET on that lies in its page. */
static size_t tree_file_in_page(uint64_t offset, uint64_t wanted)
{
    uint64_t room = PAGE_SIZE - offset % PAGE_SIZE;

    return (size_t)(wanted < room ? wanted : room);
}

/* SIZE bytes within a page; how many were moved. */
static int tree_file_read_part(struct tree_node *node, uint64_t offset, size_t size,
                               struct uio *uio, size_t *moved)
{
    char *page;
    int error = tree_data_page(node, offset >> PAGE_SHIFT, false, (void **)&page);

    if (error != 0)
        return error;
    *moved =
        page != NULL ? uio_put(uio, page + offset % PAGE_SIZE, size) : uio_put_zeroes(uio, size);
    if (page != NULL)
        page_release(page);
    return *moved < size ? -EFAULT : 0;
}

static int tree_file_read_pages(struct tree_node *node, struct uio *uio, uint64_t *offset,
                                uint64_t end)
{
    int error = 0;

    while (uio->left > 0 && *offset < end && error == 0) {
        uint64_t wanted = end - *offset < uio->left ? end - *offset : uio->left;
        size_t moved = 0;

        error = tree_file_read_part(node, *offset, tree_file_in_page(*offset, wanted), uio, &moved);
        *offset += moved;
    }
    return error;
}

static int tree_file_read_archive(struct tree_data *data, struct uio *uio, uint64_t *offset,
                                  uint64_t end)
{
    size_t size = end - *offset < uio->left ? (size_t)(end - *offset) : uio->left;
    size_t moved = uio_put(uio, data->archive + *offset, size);

    *offset += moved;
    return moved < size ? -EFAULT : 0;
}

static long tree_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    struct tree_node *node = tree_node(file->vnode);
    uint64_t end = tree_data_size(node), start = *offset;
    int error = 0;

    if (start < end && uio->left > 0)
        error = node->data.archive != NULL ? tree_file_read_archive(&node->data, uio, offset, end)
                                           : tree_file_read_pages(node, uio, offset, end);
    if ((file->flags & O_NOATIME) == 0)
        tree_accessed(node);
    return *offset > start ? (long)(*offset - start) : error;
}

/* The file ends at END at least. */
static void tree_file_extend(struct tree_node *node, uint64_t end)
{
    if (node->data.size < end) /* `writing` is held: nobody else changes it */
        tree_data_set_size(node, end);
}

static int tree_file_write_part(struct tree_node *node, uint64_t offset, size_t size,
                                struct uio *uio, size_t *moved)
{
    char *page;
    int error;

    if (node->data.seals & FILE_SEAL_WRITES ||
        (node->data.seals & FILE_SEAL_GROW && offset + size > node->data.size))
        return -EPERM;
    error = tree_data_page(node, offset >> PAGE_SHIFT, true, (void **)&page);
    if (error != 0)
        return error;
    *moved = uio_get(uio, page + offset % PAGE_SIZE, size);
    page_release(page);
    tree_file_extend(node, offset + *moved);
    return *moved < size ? -EFAULT : 0;
}

/* What may be written from OFFSET on; 0: nothing. */
static uint64_t tree_file_write_room(const struct uio *uio, uint64_t offset)
{
    return offset < uio->file_limit ? uio->file_limit - offset : 0;
}

static int tree_file_write_pages(struct tree_node *node, struct uio *uio, uint64_t *offset)
{
    uint64_t room = tree_file_write_room(uio, *offset), end;
    int error = 0;

    if (room == 0)
        return -EFBIG;
    end = *offset + (uio->left < room ? uio->left : room);
    if (*offset > node->data.size)
        tree_data_clear_tail(node, node->data.size);
    while (*offset < end && error == 0) {
        size_t moved = 0;

        error = tree_file_write_part(node, *offset, tree_file_in_page(*offset, end - *offset), uio,
                                     &moved);
        *offset += moved;
    }
    return error;
}

/* Pages that were made behind the end, for nothing. */
static void tree_file_drop_unused(struct tree_node *node, int error)
{
    uint64_t size = node->data.size;

    if (error == -EFAULT)
        tree_data_cut(node, (size + PAGE_SIZE - 1) >> PAGE_SHIFT);
}

void tree_drop_set_id(struct tree_node *node)
{
    uintptr_t state;

    if ((node->mode & (S_ISUID | S_ISGID)) == 0)
        return;
    state = spinlock_acquire(&node->vnode.lock);
    node->mode &= ~S_ISUID;
    if (node->mode & 0010)
        node->mode &= ~S_ISGID;
    spinlock_release(&node->vnode.lock, state);
}

static long tree_write(struct file *file, struct uio *uio, uint64_t *offset)
{
    struct tree_node *node = tree_node(file->vnode);
    uint64_t start;
    int error = 0;

    if (node->vnode.read_only)
        return -EROFS;
    if (uio->left == 0)
        return 0;
    mutex_enter(&node->data.writing);
    if (file_flags(file) & O_APPEND)
        *offset = node->data.size;
    start = *offset;
    error = tree_file_write_pages(node, uio, offset);
    tree_file_drop_unused(node, error);
    mutex_exit(&node->data.writing);
    if (*offset == start)
        return error;
    if (!uio->keeps_set_id)
        tree_drop_set_id(node);
    tree_touch(node, true);
    return (long)(*offset - start);
}

/* The next page from INDEX on that is there, or not there. */
static uint64_t tree_file_next_page(struct tree_data *data, uint64_t index, bool there)
{
    uintptr_t state = spinlock_acquire(&data->lock);

    if (there && radix_next(&data->pages, &index) == NULL)
        index = UINT64_MAX >> PAGE_SHIFT;
    while (!there && radix_get(&data->pages, index) != NULL)
        index++;
    spinlock_release(&data->lock, state);
    return index;
}

static int tree_seek(struct file *file, int whence, uint64_t *offset)
{
    struct tree_node *node = tree_node(file->vnode);
    uint64_t size = tree_data_size(node), found;

    if (*offset >= size)
        return -ENXIO;
    if (node->data.archive != NULL) {
        *offset = whence == SEEK_DATA ? *offset : size;
        return 0;
    }
    found = tree_file_next_page(&node->data, *offset >> PAGE_SHIFT, whence == SEEK_DATA)
            << PAGE_SHIFT;
    if (found > *offset)
        *offset = found;
    if (*offset < size)
        return 0;
    *offset = size;
    return whence == SEEK_DATA ? -ENXIO : 0;
}

const struct file_ops tree_regular_file = {
    .read = tree_read,
    .write = tree_write,
    .seek = tree_seek,
    .seekable = true,
};
