/* SPDX-License-Identifier: BSD-2-Clause */
/* Who asks: user and groups, as permissions of files are checked against them (the file-system ids
 * of Linux). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct credentials {
    uint32_t uid, gid;
    unsigned group_count;   /* supplementary groups */
    const uint32_t *groups; /* the caller's, valid while the call lasts */
};

extern const struct credentials credentials_root; /* uid 0, gid 0, no groups */

bool credentials_in_group(const struct credentials *who, uint32_t gid);

/* What is asked for; as access(2) numbers them. */
#define PERMIT_EXECUTE 1u /* of a directory: search */
#define PERMIT_WRITE   2u
#define PERMIT_READ    4u

/* Whether MODE, of a file that is UID's and GID's, permits all of WANTED: 0 or -EACCES. User 0 may
 * do everything but execute what nobody may execute. */
int credentials_permit(const struct credentials *who, uint32_t mode, uint32_t uid, uint32_t gid,
                       unsigned wanted);
