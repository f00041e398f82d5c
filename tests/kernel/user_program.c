/* SPDX-License-Identifier: BSD-2-Clause */
/* Where small programs lie: see user_program.h. */
#include "tests/kernel/user_program.h"
#include <arch/aspace.h>
#include "kernel/memory/page.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/string.h"

#define ORDER 5 /* two blocks of 64 KiB */

static char *blocks; /* code, data */
static struct aspace *space, *before;

int user_program_load(const struct user_program *program, bool mapped)
{
    int result;

    blocks = page_alloc(ORDER);
    if (!blocks)
        return -ENOMEM;
    space = aspace_create();
    if (!space) {
        page_free(blocks);
        return -ENOMEM;
    }
    memset(blocks, 0, (size_t)USER_SIZE * 2);
    memcpy(blocks, program->start, (size_t)(program->end - program->start));
    before = thread_set_aspace(space);
    result = mapped ? user_program_map() : 0;
    if (result != 0)
        user_program_unload();
    return result;
}

void user_program_unload(void)
{
    user_program_unmap();
    thread_set_aspace(before);
    aspace_destroy(space);
    page_free(blocks);
}

int user_program_map(void)
{
    int result = aspace_map(space, USER_CODE, memory_physical(blocks), USER_SIZE,
                            ASPACE_READ | ASPACE_EXECUTE);

    return result ? result
                  : aspace_map(space, USER_DATA, memory_physical(blocks + USER_SIZE), USER_SIZE,
                               ASPACE_READ | ASPACE_WRITE);
}

void user_program_unmap(void)
{
    aspace_unmap(space, USER_CODE, 2 * USER_SIZE, NULL, NULL);
}

struct aspace *user_program_space(void)
{
    return space;
}

void *user_program_data(void)
{
    return blocks + USER_SIZE;
}
