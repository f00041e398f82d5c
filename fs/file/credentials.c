/* SPDX-License-Identifier: BSD-2-Clause */
/* Permissions: see credentials.h. */
#include "fs/file/credentials.h"
#include "fs/file/stat.h"
#include "lib/errno.h"

const struct credentials credentials_root;

bool credentials_in_group(const struct credentials *who, uint32_t gid)
{
    if (who->gid == gid)
        return true;
    for (unsigned i = 0; i < who->group_count; i++)
        if (who->groups[i] == gid)
            return true;
    return false;
}

int credentials_permit(const struct credentials *who, uint32_t mode, uint32_t uid, uint32_t gid,
                       unsigned wanted)
{
    unsigned granted = mode & 7;

    if (who->uid == 0) {
        bool executable = (mode & 0111) != 0 || (mode & S_IFMT) == S_IFDIR;

        return (wanted & PERMIT_EXECUTE) != 0 && !executable ? -EACCES : 0;
    }
    if (who->uid == uid)
        granted = mode >> 6 & 7;
    else if (credentials_in_group(who, gid))
        granted = mode >> 3 & 7;
    return (wanted & ~granted) != 0 ? -EACCES : 0;
}
