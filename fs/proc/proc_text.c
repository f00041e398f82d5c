/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts that are made for a reader. */
#include "fs/proc/proc_private.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"
#include <stdarg.h>

#define FIRST_ROOM 1024u

/* Room for SIZE bytes more. */
static bool text_grow(struct proc_text *text, size_t size)
{
    size_t room = text->room == 0 ? FIRST_ROOM : text->room;
    char *larger;

    if (text->used + size <= text->room)
        return true;
    while (room < text->used + size)
        room *= 2;
    larger = text->failed ? NULL : kmem_alloc(room);
    if (larger == NULL) {
        text->failed = true;
        return false;
    }
    memcpy(larger, text->text, text->used);
    kmem_free(text->text);
    text->text = larger;
    text->room = room;
    return true;
}

void proc_write(struct proc_text *text, const void *bytes, size_t size)
{
    if (!text_grow(text, size))
        return;
    memcpy(text->text + text->used, bytes, size);
    text->used += size;
}

static void proc_text_put(void *argument, const char *piece, size_t length)
{
    proc_write(argument, piece, length);
}

void proc_printf(struct proc_text *text, const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    format_to(proc_text_put, text, fmt, arguments);
    va_end(arguments);
}

int proc_text_make(struct proc_text *text, const struct proc_file *file, struct process *process)
{
    int error;

    text->used = 0;
    text->failed = false;
    error = file->make(text, process, file->argument);
    return error == 0 && text->failed ? -ENOMEM : error;
}

void proc_text_end(struct proc_text *text)
{
    kmem_free(text->text);
}
