/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev/kstat: the ioctls of <sys/kstat.h> for programs. Data pass through the kernel's memory, of
 * which as much is taken as the kstat needs, whatever the program says that it has room for.
 */
#include <arch/copy.h>
#include <sys/kstat.h>
#include "kernel/export/kstat_refresh.h"
#include "kernel/memory/kmem.h"
#include "linux/program/program_private.h"
#include "linux/statistics/statistics.h"

#define FIRST_ROOM 4096u

/* Strings of a kstat in memory at FROM, as they will be at TO: what does not point inside points
 * nowhere. */
static void kstat_move_strings(const kstat_t *ks, uintptr_t from, uintptr_t to)
{
    kstat_named_t *record = ks->ks_data;

    if ((ks->ks_flags & KSTAT_FLAG_LONGSTRINGS) == 0)
        return;
    for (size_t i = 0; i < ks->ks_ndata && i < ks->ks_data_size / sizeof *record; i++) {
        uintptr_t at = (uintptr_t)record[i].value.str.addr.ptr;

        if (record[i].data_type != KSTAT_DATA_STRING)
            continue;
        at = record[i].value.str.len > 0 && at - from < ks->ks_data_size ? at - from + to : 0;
        record[i].value.str.addr.ptr = (char *)at;
    }
}

/* Reads KS into memory of the kernel's, at most LIMIT bytes: what kstat_ioctl says. *MEMORY is to
 * be freed. */
static int kstat_read_kernel(kstat_t *ks, size_t limit, void **memory)
{
    size_t room = limit < FIRST_ROOM ? limit : FIRST_ROOM;

    for (;;) {
        int result;

        *memory = kmem_zalloc(room > 0 ? room : 1);
        if (*memory == NULL)
            return -EAGAIN;
        ks->ks_data = *memory;
        ks->ks_data_size = room;
        result = kstat_ioctl(KSTAT_IOC_READ, ks);
        if (result != -ENOMEM || ks->ks_data_size <= room || ks->ks_data_size > limit)
            return result;
        room = ks->ks_data_size;
        kmem_free(*memory);
    }
}

/* What the program is told of the kstat, at its own header. */
static int kstat_tell_header(kstat_t *asked, const kstat_t *ks, void *user)
{
    asked->ks_ndata = ks->ks_ndata;
    asked->ks_data_size = ks->ks_data_size;
    asked->ks_flags = ks->ks_flags;
    asked->ks_snaptime = ks->ks_snaptime;
    return copyout(asked, user, sizeof *asked);
}

static long kstat_read_user(void *user)
{
    kstat_t asked, ks = {.ks_kid = 0};
    void *memory;
    int result;

    if (copyin(user, &asked, sizeof asked) != 0)
        return -EFAULT;
    ks.ks_kid = asked.ks_kid;
    result = kstat_read_kernel(&ks, asked.ks_data_size, &memory);
    if (result >= 0 && ks.ks_data_size > 0) {
        kstat_move_strings(&ks, (uintptr_t)memory, (uintptr_t)asked.ks_data);
        if (copyout(memory, asked.ks_data, ks.ks_data_size) != 0)
            result = -EFAULT;
    }
    kmem_free(memory);
    if (result != -ENXIO && memory != NULL && kstat_tell_header(&asked, &ks, user) != 0)
        return -EFAULT;
    return result;
}

/* Whether it may be written, and is of the size that the program says: with that known, the
 * program's data are fetched. */
static int kstat_check_write(const kstat_t *asked, kstat_t *ks)
{
    int result;

    ks->ks_kid = asked->ks_kid;
    result = kstat_ioctl(KSTAT_IOC_READ, ks);
    if (result < 0 && result != -ENOMEM)
        return result;
    if ((ks->ks_flags & KSTAT_FLAG_WRITABLE) == 0)
        return -EACCES;
    return asked->ks_data_size != ks->ks_data_size || asked->ks_ndata != ks->ks_ndata ? -EINVAL : 0;
}

static long kstat_write_user(const void *user)
{
    kstat_t asked, ks = {.ks_kid = 0};
    int result;

    if (!program_is_root(task_current()->program))
        return -EPERM;
    if (copyin(user, &asked, sizeof asked) != 0)
        return -EFAULT;
    result = kstat_check_write(&asked, &ks);
    if (result != 0)
        return result;
    ks.ks_data = kmem_alloc(ks.ks_data_size > 0 ? ks.ks_data_size : 1);
    if (ks.ks_data == NULL)
        return -EAGAIN;
    result = copyin(asked.ks_data, ks.ks_data, ks.ks_data_size);
    if (result == 0) {
        kstat_move_strings(&ks, (uintptr_t)asked.ks_data, (uintptr_t)ks.ks_data);
        result = kstat_ioctl(KSTAT_IOC_WRITE, &ks);
    }
    kmem_free(ks.ks_data);
    return result;
}

static long kstat_control_user(struct file *file, uint32_t command, uintptr_t argument, bool user)
{
    (void)file;
    if (!user)
        return -ENOTTY;
    switch (command) {
    case KSTAT_IOC_CHAIN_ID:
        kstat_refresh();
        return kstat_ioctl(KSTAT_IOC_CHAIN_ID, NULL);
    case KSTAT_IOC_READ:
        return kstat_read_user((void *)argument);
    case KSTAT_IOC_WRITE:
        return kstat_write_user((void *)argument);
    default:
        return -EINVAL;
    }
}

static const struct file_ops kstat_ops = {.ioctl = kstat_control_user};
struct device statistics_kstat = {.name = "kstat",
                                  .type = S_IFCHR,
                                  .major = DEV_STATISTICS_MAJOR,
                                  .minor = 0,
                                  .mode = 0666,
                                  .ops = &kstat_ops};
