/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments and environment on their way into a new program, and the call itself. */
#include <arch/copy.h>
#include "fs/file/calls.h"
#include "fs/file/file.h"
#include "kernel/memory/kmem.h"
#include "lib/format.h"
#include "lib/string.h"
#include "linux/program/call.h"
#include "linux/start/exec.h"

#define FIRST_ROOM    4096u
#define STRINGS_LEAST (128ul << 10)
#define STRINGS_MOST  (6ul << 20)
#define CHUNK         512u

static int exec_strings_room(struct exec_strings *strings, size_t more)
{
    size_t room = strings->room ? strings->room : FIRST_ROOM;
    char *text;

    if (strings->used + more > strings->limit)
        return -E2BIG;
    if (strings->used + more <= strings->room)
        return 0;
    while (room < strings->used + more)
        room *= 2;
    text = kmem_alloc(room);
    if (!text)
        return -ENOMEM;
    if (strings->used > 0)
        memcpy(text, strings->text, strings->used);
    kmem_free(strings->text);
    strings->text = text;
    strings->room = room;
    return 0;
}

int exec_string_add(struct exec_strings *strings, const char *text)
{
    size_t size = strlen(text) + 1;
    int error = exec_strings_room(strings, size);

    if (error == 0) {
        memcpy(strings->text + strings->used, text, size);
        strings->used += size;
    }
    return error;
}

/* In pieces, as its length is not known. */
int exec_string_add_user(struct exec_strings *strings, const void *user)
{
    size_t copied, total = 0;
    int error;

    do {
        error = exec_strings_room(strings, CHUNK);
        if (error == -E2BIG) /* the rest may be shorter */
            error = strings->used < strings->limit ? exec_strings_room(strings, 1) : -E2BIG;
        if (error != 0)
            return error;
        size_t room = strings->room - strings->used;

        if (room > strings->limit - strings->used)
            room = strings->limit - strings->used;
        error = copyinstr((const char *)user + total, strings->text + strings->used, room, &copied);
        if (error == -ENAMETOOLONG)
            copied = room;
        else if (error != 0)
            return error;
        strings->used += copied;
        total += copied;
        if (total > EXEC_STRING_MAX)
            return -E2BIG;
    } while (error == -ENAMETOOLONG);
    return 0;
}

void exec_strings_free(struct exec_strings *strings)
{
    kmem_free(strings->text);
    strings->text = NULL;
    strings->used = strings->room = 0;
}

/* An array of pointers that ends with NULL; NULL itself is an empty one. */
static int exec_strings_add_array(struct exec_strings *strings, uint64_t array, uint32_t *count)
{
    uint64_t at;
    int error = 0;

    while (array != 0 && error == 0) {
        if (copyin((const void *)array, &at, sizeof at) != 0)
            return -EFAULT;
        if (at == 0)
            break;
        if (strings->limit < strings->used + sizeof at)
            return -E2BIG;
        strings->limit -= sizeof at; /* pointers count, too: execve(2) */
        error = exec_string_add_user(strings, (const void *)at);
        ++*count;
        array += sizeof at;
    }
    return error;
}

static size_t exec_strings_limit(const struct program *program)
{
    uint64_t limit = program->limits[RLIMIT_STACK].now / 4;

    if (limit > STRINGS_MOST)
        limit = STRINGS_MOST;
    return limit < STRINGS_LEAST ? STRINGS_LEAST : limit;
}

/* Of an empty path: what DESCRIPTOR is open to, and the name that scripts see. */
static int exec_of_descriptor(int descriptor, char *path, struct file **file)
{
    *file = call_file(descriptor);
    if (!*file)
        return -EBADF;
    format(path, PATH_LENGTH, "/dev/fd/%d", descriptor);
    return (*file)->vnode ? 0 : -EACCES;
}

static long exec_call(struct trap_frame *frame, int descriptor, uint64_t path_at,
                      uint64_t arguments, uint64_t variables, bool empty)
{
    struct file *file = NULL;
    struct exec_strings strings = {.limit = exec_strings_limit(task_current()->program)};
    struct path_walk walk;
    char *path;
    int error = call_path_in((const void *)path_at, &path);

    if (error != 0)
        return error;
    if (empty && path[0] == '\0')
        error = exec_of_descriptor(descriptor, path, &file);
    if (error == 0)
        error = call_walk_begin(&walk, file ? AT_FDCWD : descriptor, path);
    if (error != 0) {
        if (file)
            file_release(file);
        kmem_free(path);
        return error;
    }
    strings.limit -= strlen(path) + 1;
    error = exec_strings_add_array(&strings, arguments, &strings.arguments);
    strings.arguments_used = strings.used;
    if (error == 0 && strings.arguments == 0) { /* as Linux does since 5.18 */
        error = exec_string_add(&strings, "");
        strings.arguments = 1;
        strings.arguments_used = strings.used;
    }
    if (error == 0)
        error = exec_strings_add_array(&strings, variables, &strings.variables);
    if (error == 0)
        error = exec_run(&walk, path, file ? file->vnode : NULL, &strings, frame);
    else
        exec_strings_free(&strings);
    call_walk_end(&walk);
    if (file)
        file_release(file);
    kmem_free(path);
    return error == 0 ? -CALL_KEEP : error;
}

CALL(execve)
{
    return exec_call(frame, AT_FDCWD, ARG(0), ARG(1), ARG(2), false);
}

CALL(execveat)
{
    if (ARG_U32(4) & ~AT_EMPTY_PATH)
        return -EINVAL;
    return exec_call(frame, ARG_INT(0), ARG(1), ARG(2), ARG(3), ARG_U32(4) != 0);
}
