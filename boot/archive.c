/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The boot module as an archive of files: it becomes the root. A script may lie in it, under a name
 * of its own, so that one module brings both; an empty one is none.
 */
#include "boot/board_part.h"
#include "fs/root.h"
#include "fs/cpio.h"
#include "kernel/console/script.h"

#define SCRIPT_NAME "quipu-script"

static const void *archive;
static size_t archive_size;

static bool archive_take_module(const void *data, size_t size)
{
    struct cpio_entry script;

    if (!cpio_is(data, size))
        return false;
    archive = data;
    archive_size = size;
    if (cpio_find(data, size, SCRIPT_NAME, &script) && script.size > 0)
        script_read(script.data, script.size);
    return true;
}

static void archive_join(void)
{
    fs_set_archive(archive, archive_size);
}

BOARD_PART(archive, .module = archive_take_module, .devices = archive_join);
