/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports of event counters: see evcnt_export.h. */
#include "stats/evcnt/evcnt_export.h"

#include "lib/errno.h"
#include "stats/evcnt/evcnt_registry.h"
#include "stats/port.h"

#define ATTEMPTS      100
#define PER_CHUNK_ALL (1 << 28)
#define SLACK         1024u
#define PER_CHUNK     16 /* counters looked at without letting go of the lock */

#define STRINGS_OFFSET __builtin_offsetof(struct evcnt_sysctl, ev_strings)

_Static_assert(STRINGS_OFFSET == 28, "the strings of a record begin at byte 28");

/* A walk from the end of the list towards its beginning. */
struct export_walk {
    int type;
    int count;
    int per_chunk;
    char *buffer;        /* NULL: only add up sizes */
    size_t capacity;     /* of the buffer; records fill it from its end */
    size_t used;         /* what the records so far take, whether they fit or not */
    uint64_t generation; /* as it was when the walk began */
    const struct evcnt *next;
};

size_t evcnt_export_record_size(unsigned grouplen, unsigned namelen)
{
    return (STRINGS_OFFSET + grouplen + 1 + namelen + 1 + 7) & ~(size_t)7;
}

static char *evcnt_export_copy_string(char *to, const char *from, unsigned length)
{
    for (unsigned i = 0; i < length; i++)
        *to++ = from[i];
    *to++ = '\0';
    return to;
}

static void evcnt_export_fill_record(struct evcnt_sysctl *record, size_t size,
                                     const struct evcnt *ev, uint64_t count)
{
    char *end = (char *)record + size;
    char *at;

    record->ev_count = count;
    record->ev_addr = (uintptr_t)ev;
    record->ev_parent = (uintptr_t)ev->ev_parent;
    record->ev_type = ev->ev_type;
    record->ev_grouplen = ev->ev_grouplen;
    record->ev_namelen = ev->ev_namelen;
    record->ev_len = (uint8_t)(size / 8);
    at = evcnt_export_copy_string(record->ev_strings, ev->ev_group, ev->ev_grouplen);
    at = evcnt_export_copy_string(at, ev->ev_name, ev->ev_namelen);
    while (at < end)
        *at++ = '\0';
}

/* With the lock held. Everything below it in the buffer is still free. */
static void evcnt_export_visit(struct export_walk *walk, const struct evcnt *ev)
{
    uint64_t count;
    size_t size;

    if (walk->type != EVCNT_TYPE_ANY && walk->type != ev->ev_type)
        return;
    count = evcnt_value(ev);
    if (walk->count == KERN_EVCNT_COUNT_NONZERO && count == 0)
        return;
    size = evcnt_export_record_size(ev->ev_grouplen, ev->ev_namelen);
    walk->used += size;
    if (walk->buffer != NULL && walk->used <= walk->capacity)
        evcnt_export_fill_record((void *)(walk->buffer + walk->capacity - walk->used), size, ev,
                                 count);
}

/*
 * Visits some counters. A detachment since the walk began may have taken away the one to go on
 * with. Counters attached since stand behind where the walk began, and no child of theirs is in it.
 */
static bool evcnt_export_visit_chunk(struct export_walk *walk, bool first)
{
    uintptr_t state = stats_port_lock();
    bool valid = true;

    if (first) {
        walk->used = 0;
        walk->generation = evcnt_registry.generation;
        walk->next = TAILQ_LAST(&allevents, evcntlist);
    }
    if (walk->generation != evcnt_registry.generation)
        valid = false;
    for (int i = 0; valid && i < walk->per_chunk && walk->next != NULL; i++) {
        evcnt_export_visit(walk, walk->next);
        walk->next = TAILQ_PREV(walk->next, evcntlist, ev_list);
    }
    stats_port_unlock(state);
    return valid;
}

/* The more often others detach under way, the longer a chunk: at last all counters are one, and
 * nobody can. */
static void evcnt_export_walk_all(struct export_walk *walk)
{
    walk->per_chunk = PER_CHUNK;
    for (unsigned attempt = 1;; attempt++) {
        bool valid = evcnt_export_visit_chunk(walk, true);

        while (valid && walk->next != NULL)
            valid = evcnt_export_visit_chunk(walk, false);
        if (valid)
            return;
        if (attempt % 8 == 0 && walk->per_chunk < PER_CHUNK_ALL)
            walk->per_chunk *= 2;
    }
}

int evcnt_export(int type_filter, int count_filter, void *buffer, size_t *size)
{
    struct export_walk walk = {.type = type_filter, .count = count_filter, .buffer = buffer};

    if (type_filter < EVCNT_TYPE_ANY || type_filter > EVCNT_TYPE_TRAP ||
        count_filter < KERN_EVCNT_COUNT_ANY || count_filter > KERN_EVCNT_COUNT_NONZERO)
        return -EINVAL;
    walk.capacity = buffer == NULL ? 0 : *size & ~(size_t)7;
    evcnt_export_walk_all(&walk);
    if (buffer == NULL || walk.used > walk.capacity) {
        *size = walk.used + SLACK;
        return buffer == NULL ? 0 : -ENOMEM;
    }
    if (walk.used < walk.capacity) { /* records are multiples of 8 bytes, like the gap */
        const uint64_t *from = (const void *)(walk.buffer + walk.capacity - walk.used);
        uint64_t *to = buffer;

        for (size_t i = 0; i < walk.used / 8; i++)
            to[i] = from[i];
    }
    *size = walk.used;
    return 0;
}

int evcnt_export_alloc(int type_filter, int count_filter, void **buffer, size_t *size,
                       size_t *capacity)
{
    int error;

    error = evcnt_export(type_filter, count_filter, NULL, capacity);
    if (error != 0)
        return error;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        *buffer = stats_port_alloc(*capacity);
        if (*buffer == NULL)
            return -ENOMEM;
        *size = *capacity;
        error = evcnt_export(type_filter, count_filter, *buffer, size);
        if (error == 0)
            return 0;
        stats_port_free(*buffer, *capacity);
        if (error != -ENOMEM)
            return error;
        *capacity = *size;
    }
    return -EAGAIN;
}

void evcnt_export_free(void *buffer, size_t capacity)
{
    stats_port_free(buffer, capacity);
}

const struct evcnt_sysctl *evcnt_export_next(const void *buffer, size_t size,
                                             const struct evcnt_sysctl *previous)
{
    const char *start = buffer;
    const struct evcnt_sysctl *record;
    size_t offset = 0;
    size_t left;

    if (previous != NULL)
        offset = (size_t)((const char *)previous - start) + (size_t)previous->ev_len * 8;
    if (offset >= size)
        return NULL;
    left = size - offset;
    record = (const void *)(start + offset);
    if (left < STRINGS_OFFSET || (size_t)record->ev_len * 8 > left ||
        (size_t)record->ev_len * 8 <
            evcnt_export_record_size(record->ev_grouplen, record->ev_namelen))
        return NULL;
    return record;
}
