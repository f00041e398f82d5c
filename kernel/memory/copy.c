/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the kernel and user mode's memory: the checks. See <arch/copy.h>. */
#include <arch/copy.h>
#include <arch/aspace.h>
#include "lib/errno.h"

/* Whether the SIZE bytes at USER can be a user's at all. */
static bool copy_is_user(const void *user, size_t size)
{
    return size <= ASPACE_USER_END && (uintptr_t)user <= ASPACE_USER_END - size;
}

static int copy(void *to, const void *from, size_t size)
{
    size_t left;

    user_access_begin();
    left = copy_guarded(to, from, size);
    user_access_end();
    return left == 0 ? 0 : -EFAULT;
}

int copyin(const void *user, void *kernel, size_t size)
{
    return copy_is_user(user, size) ? copy(kernel, user, size) : -EFAULT;
}

int copyout(const void *kernel, void *user, size_t size)
{
    return copy_is_user(user, size) ? copy(user, kernel, size) : -EFAULT;
}

int copyswap(void *user, uint32_t *value, uint32_t new)
{
    long old = -1;

    if (copy_is_user(user, sizeof new)) {
        user_access_begin();
        old = copy_swap_guarded(user, *value, new);
        user_access_end();
    }
    if (old < 0)
        return -EFAULT;
    *value = (uint32_t)old;
    return 0;
}

int copyinstr(const void *user, void *kernel, size_t size, size_t *length)
{
    size_t room = (uintptr_t)user < ASPACE_USER_END ? ASPACE_USER_END - (uintptr_t)user : 0;
    long copied;

    user_access_begin();
    copied = copy_string_guarded(kernel, user, size < room ? size : room);
    user_access_end();
    if (copied < 0 || (copied == 0 && room < size))
        return -EFAULT;
    if (copied == 0)
        return -ENAMETOOLONG;
    if (length)
        *length = (size_t)copied;
    return 0;
}
