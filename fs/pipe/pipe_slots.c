/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes in a pipe, page by page. */
#include "fs/pipe/pipe_private.h"
#include "fs/file/uio.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include "lib/string.h"

PAGE_OWNER(pipe_pages, "pipes");

static struct pipe_slot *pipe_slot(struct pipe *pipe, unsigned n)
{
    return &pipe->slot[(pipe->first + n) % pipe->slots];
}

static void pipe_page_free(struct pipe *pipe, void *page)
{
    if (pipe->spare == NULL)
        pipe->spare = page;
    else
        page_free(page);
}

static void *pipe_page_make(struct pipe *pipe)
{
    void *page = pipe->spare;

    pipe->spare = NULL;
    return page != NULL ? page : page_alloc_for(&pipe_pages, 0);
}

int pipe_slots_make(struct pipe *pipe, unsigned slots)
{
    pipe->slot = kmem_zalloc(slots * sizeof *pipe->slot);
    pipe->slots = slots;
    return pipe->slot == NULL ? -ENOMEM : 0;
}

void pipe_slots_drop(struct pipe *pipe)
{
    for (unsigned i = 0; i < pipe->filled; i++)
        page_free(pipe_slot(pipe, i)->page);
    if (pipe->spare != NULL)
        page_free(pipe->spare);
    pipe->spare = NULL;
    pipe->first = pipe->filled = 0;
    pipe->used = 0;
}

int pipe_slots_resize(struct pipe *pipe, unsigned slots)
{
    struct pipe_slot *wider;

    if (pipe->filled > slots)
        return -EBUSY;
    wider = kmem_zalloc(slots * sizeof *wider);
    if (wider == NULL)
        return -ENOMEM;
    for (unsigned i = 0; i < pipe->filled; i++)
        wider[i] = *pipe_slot(pipe, i);
    kmem_free(pipe->slot);
    pipe->slot = wider;
    pipe->slots = slots;
    pipe->first = 0;
    return 0;
}

long pipe_slots_take(struct pipe *pipe, struct uio *uio)
{
    struct pipe_slot *slot = pipe_slot(pipe, 0);
    size_t size = slot->end - slot->begin;

    if (size > uio->left)
        size = uio->left;
    if (uio_put(uio, (char *)slot->page + slot->begin, size) < size)
        return -EFAULT;
    slot->begin += (uint32_t)size;
    pipe->used -= size;
    if (slot->begin == slot->end) {
        pipe_page_free(pipe, slot->page);
        pipe->first = (pipe->first + 1) % pipe->slots;
        pipe->filled--;
    }
    return (long)size;
}

bool pipe_slots_fit(struct pipe *pipe, size_t size)
{
    return pipe->filled > 0 && size <= PAGE_SIZE - pipe_slot(pipe, pipe->filled - 1)->end;
}

long pipe_slots_append(struct pipe *pipe, struct uio *uio, size_t size)
{
    struct pipe_slot *slot = pipe_slot(pipe, pipe->filled - 1);

    if (uio_get(uio, (char *)slot->page + slot->end, size) < size)
        return -EFAULT;
    slot->end += (uint32_t)size;
    pipe->used += size;
    return (long)size;
}

long pipe_slots_put(struct pipe *pipe, struct uio *uio)
{
    size_t size = uio->left < PAGE_SIZE ? uio->left : PAGE_SIZE;
    void *page = pipe_page_make(pipe);

    if (page == NULL)
        return -ENOMEM;
    if (uio_get(uio, page, size) < size) {
        pipe_page_free(pipe, page);
        return -EFAULT;
    }
    *pipe_slot(pipe, pipe->filled++) = (struct pipe_slot){page, 0, (uint32_t)size};
    pipe->used += size;
    return (long)size;
}

size_t pipe_slots_peek(struct pipe *pipe, size_t skip, char *buffer, size_t size)
{
    size_t done = 0;

    for (unsigned i = 0; i < pipe->filled && done < size; i++) {
        const struct pipe_slot *slot = pipe_slot(pipe, i);
        size_t part = slot->end - slot->begin, left = size - done;

        if (part <= skip) {
            skip -= part;
            continue;
        }
        part = part - skip < left ? part - skip : left;
        memcpy(buffer + done, (char *)slot->page + slot->begin + skip, part);
        done += part;
        skip = 0;
    }
    return done;
}
