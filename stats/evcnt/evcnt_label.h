/* SPDX-License-Identifier: BSD-2-Clause */
/* What an event counter is called, measured once for as many as bear it. */
#ifndef STATS_EVCNT_LABEL_H
#define STATS_EVCNT_LABEL_H

#include <sys/evcnt.h>

/* The strings persist, and need no end behind these lengths; legal are 1 to 255. */
struct evcnt_label {
    const char *group;
    const char *name;
    unsigned grouplen;
    unsigned namelen;
};

/* Either may be NULL, and has length 0 then; no length is said to be above 256. */
struct evcnt_label evcnt_label_of(const char *group, const char *name);

/* As evcnt_attach_share of <sys/evcnt.h>, for COUNT of them, of CPU and of those after it: in the
 * groups of GROUPS, each with LABEL's name. With the lock held for all of them. */
void evcnt_attach_row(struct evcnt *shares, struct evcnt *whole, unsigned cpu, unsigned count,
                      const struct evcnt_label *groups, struct evcnt_label label);

#endif
