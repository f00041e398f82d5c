/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program's paths begin with, and what its new files may not be. */
#include "fs/file/calls.h"
#include "fs/file/path.h"
#include "kernel/memory/kmem.h"
#include "linux/program/program_private.h"

CALL(umask)
{
    return path_base_set_umask(task_current()->program->base, ARG_U32(0) & 0777u);
}

CALL(getcwd)
{
    char *buffer = kmem_alloc(PATH_LENGTH);
    long length;

    if (!buffer)
        return -ENOMEM;
    length = fs_getcwd(task_current()->program->base, buffer, PATH_LENGTH);
    if (length == -ERANGE)
        length = -ENAMETOOLONG; /* for any buffer */
    else if (length > 0 && (uint64_t)length > ARG(1))
        length = -ERANGE;
    if (length > 0 && copyout(buffer, ARG_PTR(0), (size_t)length) != 0)
        length = -EFAULT;
    kmem_free(buffer);
    return length;
}
