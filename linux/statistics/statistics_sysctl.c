/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/sysctl: what sysctl(8) tells, and root may set, for programs. */
#include <arch/copy.h>
#include "abi/statistics.h"
#include "kernel/export/sysctl.h"
#include "kernel/memory/kmem.h"
#include "linux/program/program_private.h"
#include "linux/statistics/statistics.h"

#define NAME_BYTES  128u
#define FRESH_LIMIT 4096u /* no value that can be set is longer */
#define ATTEMPTS    10u

/* A little more than the value takes now, as it may grow. */
static size_t sysctl_room(size_t size, uint64_t limit)
{
    size += size / 8 + 64;
    return size < limit ? size : limit;
}

/* Reads NAME into memory of the kernel's: 0 or -ENOMEM, and *SIZE, of which *ROOM bytes are there
 * at most. *MEMORY is to be freed. */
static int sysctl_read_kernel(const char *name, uint64_t limit, char **memory, size_t *room,
                              size_t *size)
{
    int error = sysctlbyname(name, NULL, size, NULL, 0);

    *memory = NULL;
    for (unsigned i = 0; error == 0 && i < ATTEMPTS; i++) {
        *room = sysctl_room(*size, limit);
        *memory = kmem_zalloc(*room > 0 ? *room : 1);
        if (*memory == NULL)
            return -ENOMEM;
        *size = *room;
        error = sysctlbyname(name, *memory, size, NULL, 0);
        if (error != -ENOMEM || *room == limit)
            return error;
        kmem_free(*memory);
        *memory = NULL;
        error = 0;
    }
    return error == 0 ? -ENOMEM : error;
}

/* As much of the value as there is room for; -ENOMEM if it is not all of it. */
static int sysctl_read(const char *name, struct abi_sysctl *asked)
{
    size_t room = 0, size = 0;
    char *memory;
    int error;

    if (asked->old == 0) {
        error = sysctlbyname(name, NULL, &size, NULL, 0);
        asked->old_size = error == 0 ? size : asked->old_size;
        return error;
    }
    error = sysctl_read_kernel(name, asked->old_size, &memory, &room, &size);
    if (memory == NULL || (error != 0 && error != -ENOMEM)) {
        kmem_free(memory);
        return error;
    }
    if (copyout(memory, (void *)(uintptr_t)asked->old, size < room ? size : room) != 0)
        error = -EFAULT;
    kmem_free(memory);
    asked->old_size = size;
    return error;
}

static int sysctl_write(const char *name, const struct abi_sysctl *asked)
{
    char *fresh;
    int error;

    if (!program_is_root(task_current()->program))
        return -EPERM;
    if (asked->fresh_size > FRESH_LIMIT)
        return -EINVAL;
    fresh = kmem_alloc(asked->fresh_size > 0 ? asked->fresh_size : 1);
    if (fresh == NULL)
        return -ENOMEM;
    error = copyin((const void *)(uintptr_t)asked->fresh, fresh, asked->fresh_size);
    if (error == 0)
        error = sysctlbyname(name, NULL, NULL, fresh, asked->fresh_size);
    kmem_free(fresh);
    return error;
}

/* The old value first, whether there is a new one or not. */
static long sysctl_by_name(void *user)
{
    struct abi_sysctl asked;
    char name[NAME_BYTES];
    int error, told;

    if (copyin(user, &asked, sizeof asked) != 0)
        return -EFAULT;
    error = copyinstr((const void *)(uintptr_t)asked.name, name, sizeof name, NULL);
    if (error != 0)
        return error == -ENAMETOOLONG ? -ENOENT : error;
    error = sysctl_read(name, &asked);
    told = copyout(&asked, user, sizeof asked);
    if (error == 0 && told != 0)
        error = told;
    return error == 0 && asked.fresh != 0 ? sysctl_write(name, &asked) : error;
}

static long sysctl_control(struct file *file, uint32_t command, uintptr_t argument, bool user)
{
    (void)file;
    if (!user || command != ABI_SYSCTL_BYNAME)
        return -ENOTTY;
    return sysctl_by_name((void *)argument);
}

static const struct file_ops sysctl_ops = {.ioctl = sysctl_control};
struct device statistics_sysctl = {.name = "sysctl",
                                   .type = S_IFCHR,
                                   .major = DEV_STATISTICS_MAJOR,
                                   .minor = 1,
                                   .mode = 0666,
                                   .ops = &sysctl_ops};
